// SPDX-License-Identifier: Apache-2.0
// Structured control flow as the rules see it (SPIR-V 1.6 revision 2, 2.11.2): back edges,
// constructs with the cases of switches, which constructs are around a block, and which of them an
// edge may leave. control_flow.h has what transformations ask all the time and patches it; this is
// made anew for a function, from its blocks alone, and holds for broken functions, too.
#pragma once

#include <vector>

#include "ir/control_flow.h"
#include "ir/module.h"

namespace refract::inline ir {

/// In which reading the rules are taken.
enum class FlowMode : uint8_t {
  kStrict,    ///< the text, where it is unclear as tools agree on it; what transformations make
  kLetter,    ///< each sentence by its letter, where that allows more
  kSpirvVal,  ///< with what spirv-val 2023.1 is known to let pass (docs/validator-quirks.md)
  kOlder,     ///< as before revision 2 of 1.6, with dominance over branches instead of structural
              ///< dominance, too: what either reading accepts
};

constexpr uint32_t kMaxFlowNesting = 1023;  ///< SPIR-V 2.17

enum class FlowKind : uint8_t { kSelection, kSwitch, kLoop, kContinue, kCase };

/// One construct, by the block that heads it: header, continue target or the case's label.
struct FlowConstruct {
  FlowKind kind = FlowKind::kSelection;
  Block head = Block::kNone;
  Block header = Block::kNone;  ///< with the merge instruction
  Block merge = Block::kNone;
  Block continue_target = Block::kNone;  ///< loops and continue constructs
  Block latch = Block::kNone;            ///< the back-edge block of those; none
};

/// What a branch is to the constructs around its source (2.11.3).
enum class FlowExit : uint8_t {
  kInside,         ///< it exits none, or stays in the same case
  kExit,           ///< an exit that is in the list
  kFallThrough,    ///< from a case to another one of the same switch
  kBad,            ///< an exit that is not in the list
  kBadOfContinue,  ///< ... out of a continue construct
};

class FlowConstructs {
 public:
  /// `function` has at least one block, and its blocks are well formed (BlockForm in flow_rules.h).
  FlowConstructs(const Module& module, Function function, FlowMode mode);

  const Module& module() const { return module_; }
  Function function() const { return function_; }
  FlowMode mode() const { return mode_; }
  const ControlFlow& flow() const { return flow_; }
  const std::vector<Block>& blocks() const { return flow_.order; }

  /// Structurally (kOlder: over branches) reachable, dominating, post-dominating; the latter two
  /// reflexive and of reachable blocks only. What reaches no end is post-dominated by all.
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
  /// The first block with a back edge to this one: a branch to a block that dominates it.
  Block LatchOf(Block header) const { return latch_[Slot(header)]; }
  /// The blocks that are on, or behind, a cycle without a back edge.
  const std::vector<Block>& Irreducible() const { return irreducible_; }

  bool Contains(const FlowConstruct& construct, Block block) const;
  /// Calls `visit(const FlowConstruct&)` for the constructs around a block (it may head some of
  /// them), innermost first, until it returns false. What one block heads is nested in this order:
  /// case, continue construct, its own construct.
  template <class Visit>
  void ForEachAround(Block block, Visit visit) const {
    for (uint32_t i = innermost_[Slot(block)]; i != kNone && visit(links_[i].construct);) {
      i = links_[i].outer;
    }
  }
  /// How many of them have their merge block still to come: all but cases.
  uint32_t Depth(Block block) const {
    const uint32_t i = innermost_[Slot(block)];
    return i == kNone ? 0 : links_[i].depth;
  }
  /// The first block found to be deeper than kMaxFlowNesting; none. Then the constructs around
  /// other blocks are not known.
  Block TooDeep() const { return too_deep_; }
  /// Whether `block` is a target of this switch other than its merge block.
  bool IsCaseOf(Block switch_header, Block block) const;
  /// Judges the branch from one block to another. Selections do not stop a break or a continue,
  /// switches only one to an outer switch, loops and continue constructs everything.
  FlowExit ExitOf(Block from, Block to) const;

 private:
  static constexpr uint32_t kNone = 0xffffffffu;
  // Chains of the constructs around blocks; blocks share their outer parts.
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
  DominatorTree postdominators_;  // by slot; one more node: the virtual exit
  std::vector<Block> latch_;      // by slot of the loop header
  std::vector<Block> irreducible_;
  std::vector<bool> lists_merge_;                  // by slot of the switch header
  std::vector<std::vector<FlowConstruct>> heads_;  // by slot; outermost first
  std::vector<Link> links_;
  std::vector<uint32_t> innermost_;  // by slot, in links_
  Block too_deep_ = Block::kNone;
};

}  // namespace refract::inline ir
