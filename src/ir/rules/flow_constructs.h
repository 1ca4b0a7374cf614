// SPDX-License-Identifier: Apache-2.0
// Structured control flow as the rules need it (SPIR-V 1.6 revision 2, 2.11.2): back edges,
// constructs including the cases of switches, the constructs around each block, and which of them
// an edge may leave. It is built for one function from its blocks alone, and also works for invalid
// functions. Transformations use control_flow.h instead, which is cached and patched.
#pragma once

#include <vector>

#include "ir/control_flow.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// The interpretation of the rules.
enum class FlowMode : uint8_t {
  kStrict,    ///< the text; if it is unclear, as tools agree; transformations keep this
  kLetter,    ///< each sentence taken literally, if that allows more
  kSpirvVal,  ///< as spirv-val 2023.1, with its known quirks (docs/validator-quirks.md)
  /// Also what the rules before revision 2 of 1.6 allow, with dominance over branches instead of
  /// structural dominance.
  kOlder,
};

constexpr uint32_t kMaxFlowNesting = 1023;  ///< SPIR-V 2.17

enum class FlowKind : uint8_t { kSelection, kSwitch, kLoop, kContinue, kCase };

/// A construct, identified by its first block: the header, the continue target or the case label.
struct FlowConstruct {
  FlowKind kind = FlowKind::kSelection;
  Block head = Block::kNone;
  Block header = Block::kNone;  ///< the block with the merge instruction
  Block merge = Block::kNone;
  Block continue_target = Block::kNone;  ///< for loops and continue constructs
  Block latch = Block::kNone;            ///< for these, the back-edge block; kNone if not found
};

/// The kind of exit that a branch is (2.11.3).
enum class FlowExit : uint8_t {
  kInside,         ///< the branch exits no construct, or stays in the same case
  kExit,           ///< an exit that the list in 2.11.3 allows
  kFallThrough,    ///< from a case to another case of the same switch
  kBad,            ///< an exit that the list does not allow
  kBadOfContinue,  ///< an exit out of a continue construct that the list does not allow
};

class FlowConstructs {
 public:
  /// `function` must have at least one block, and its blocks must be well formed (rule block_form).
  FlowConstructs(const Module& module, Function function, FlowMode mode);

  const Module& module() const { return module_; }
  Function function() const { return function_; }
  FlowMode mode() const { return mode_; }
  const ControlFlow& flow() const { return flow_; }
  const std::vector<Block>& blocks() const { return flow_.order; }

  /// Structural reachability, dominance and post-dominance (kOlder: over branches). The latter two
  /// are reflexive and hold only between reachable blocks. A block that reaches no end is
  /// post-dominated by all.
  bool Reached(Block block) const { return Tree().Reached(Slot(block)); }
  bool Dominates(Block a, Block b) const { return Tree().Dominates(Slot(a), Slot(b)); }
  bool PostDominates(Block a, Block b) const;

  bool IsHeader(Block block) const { return MergeOf(block) != Block::kNone; }
  bool IsLoopHeader(Block block) const {
    return IsHeader(block) && flow_.Node(block).kind == ConstructKind::kLoop;
  }
  bool EndsWith(Block block, spv::Op opcode) const {
    return module_.Opcode(module_.Terminator(block)) == opcode;
  }
  Block MergeOf(Block header) const { return flow_.Node(header).merge; }
  Block ContinueTargetOf(Block header) const { return flow_.Node(header).continue_target; }
  /// The first block with a back edge (a branch to a block that dominates it) to this one.
  Block LatchOf(Block header) const { return latch_[Slot(header)]; }
  /// The blocks that are on, or after, a cycle without a back edge.
  const std::vector<Block>& Irreducible() const { return irreducible_; }

  bool Contains(const FlowConstruct& construct, Block block) const;
  /// Calls `visit(const FlowConstruct&)` for the constructs around a block, innermost first, until
  /// it returns false. The block may head some of them; these are nested in this order from the
  /// inside: case, continue construct, its own construct.
  template <class Visit>
  void ForEachAround(Block block, Visit visit) const {
    for (uint32_t i = innermost_[Slot(block)]; i != kNone && visit(links_[i].construct);) {
      i = links_[i].outer;
    }
  }
  /// The nesting depth: the number of constructs around the block, without cases.
  uint32_t Depth(Block block) const {
    const uint32_t i = innermost_[Slot(block)];
    return i == kNone ? 0 : links_[i].depth;
  }
  /// The first block that is nested deeper than kMaxFlowNesting; kNone if not found. If there
  /// is one, the constructs around other blocks are incomplete.
  Block TooDeep() const { return too_deep_; }
  /// True if `block` is a target of this switch other than its merge block.
  bool IsCaseOf(Block switch_header, Block block) const;
  /// Classifies the branch from one block to another. A break or continue may leave any number of
  /// selections. A switch blocks only a break to an outer switch. Loops and continue constructs
  /// block all of them.
  FlowExit ExitOf(Block from, Block to) const;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  // Chains of the constructs around blocks; blocks share the outer parts.
  struct Link {
    FlowConstruct construct;
    uint32_t outer = kNone, length = 0, depth = 0;
  };

  const DominatorTree& Tree() const {
    return mode_ == FlowMode::kOlder ? flow_.dominators : flow_.structural;
  }
  uint32_t Slot(Block block) const { return flow_.Slot(block); }
  template <class Visit>
  void ForEachSuccessor(Block block, Visit visit) const {
    flow_.ForEachSuccessorSlot(Slot(block), mode_ != FlowMode::kOlder, visit);
  }
  void FindBackEdges();
  void FindIrreducible();
  void MakePostDominators();
  void CollectHeads();
  void ChainConstructs();
  bool LeavesCaseForTarget(Block from, Block to) const;
  uint32_t Push(const FlowConstruct& construct, uint32_t outer);

  const Module& module_;
  const Function function_;
  const FlowMode mode_;
  const ControlFlow flow_;
  DominatorTree postdominators_;  // by slot; the last node is the virtual exit
  std::vector<Block> latch_;      // by slot of the loop header
  std::vector<Block> irreducible_;
  std::vector<bool> lists_merge_;                  // by slot of the switch header
  std::vector<std::vector<FlowConstruct>> heads_;  // by slot; outermost first
  std::vector<Link> links_;
  std::vector<uint32_t> innermost_;  // by slot, in links_
  Block too_deep_ = Block::kNone;
};

}  // namespace ir
}  // namespace refract
