// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of one function, with dominators, post-dominators, structural dominators
// and constructs (SPIR-V 1.6 revision 2, section 2.11.1). Module::Flow returns it. Callers use
// block handles; internally, a slot is a dense number of a block within the function. Structural
// edits of the Editor patch the graph (flow_patch.h); after that, slots are in no particular order.
#pragma once

#include <span>
#include <vector>

#include "base/check.h"
#include "ir/dominators.h"
#include "ir/handles.h"
#include "ir/lazy_shared.h"

namespace refract {
inline namespace ir {

class Module;

enum class ConstructKind : uint8_t { kSelection, kSwitch, kLoop, kContinue };

/// A structured control-flow construct, identified by its header.
struct Construct {
  static constexpr uint32_t kNone = 0xffffffffu;
  ConstructKind kind = ConstructKind::kSelection;
  Block header = Block::kNone;
  Block merge = Block::kNone;            ///< for a continue construct: that of its loop
  Block continue_target = Block::kNone;  ///< for loops and continue constructs
  /// The construct that contains the header; for a continue construct: its loop.
  uint32_t parent = kNone;
};

/// Maps the blocks of a function to their slots. It is a hash table with open addressing, so its
/// size depends only on this function and not on blocks of other functions.
class BlockSlots {
 public:
  /// The slot of a block, which must be in the map.
  uint32_t operator[](Block block) const {
    size_t i = Place(block);
    for (; entries_[i].block != block; i = (i + 1) & (entries_.size() - 1)) {
      CHECK(entries_[i].block != Block::kNone);
    }
    return entries_[i].slot;
  }
  /// Adds a block or changes its slot. Removed blocks stay in the map, because nothing looks them
  /// up.
  void Set(Block block, uint32_t slot);
  void Reserve(size_t blocks);

 private:
  struct Entry {
    Block block = Block::kNone;
    uint32_t slot = 0;
  };
  size_t Place(Block block) const {
    return static_cast<uint32_t>(Index(block) * 0x9e3779b1u) >> shift_;
  }
  std::vector<Entry> entries_;  // the size is a power of two; at most half of the entries are used
  size_t taken_ = 0;
  uint32_t shift_ = 32;
};

struct ControlFlow {
  /// The basic blocks in the order of the function.
  std::vector<Block> order;
  /// The successors by branch edges, each once, in the order of the terminator's labels.
  std::span<const Block> Successors(Block block) const { return At(Node(block).successors); }
  /// The predecessors by branch edges, each once, in the order of the function.
  std::span<const Block> Predecessors(Block block) const { return At(Node(block).predecessors); }

  /// The position in `order`.
  uint32_t Position(Block block) const { return Node(block).position; }
  bool Reachable(Block block) const { return dominators.Reached(Slot(block)); }
  /// Reflexive. False if either block is unreachable.
  bool Dominates(Block a, Block b) const { return dominators.Dominates(Slot(a), Slot(b)); }
  /// kNone for the entry block and for unreachable blocks.
  Block ImmediateDominator(Block block) const { return AtSlot(dominators.Parent(Slot(block))); }
  /// True if every path from `b` to an exit of the function passes `a`. Reflexive. False if either
  /// block reaches no exit.
  bool PostDominates(Block a, Block b) const {
    return PostDominators().Dominates(Slot(a), Slot(b));
  }
  /// The post-dominator tree by slot; the last node is the virtual exit. It is built at the first
  /// call.
  const DominatorTree& PostDominators() const;

  /// The structural versions, which add an edge from each header to its merge block and continue
  /// target.
  bool StructurallyReachable(Block block) const { return structural.Reached(Slot(block)); }
  bool StructurallyDominates(Block a, Block b) const {
    return structural.Dominates(Slot(a), Slot(b));
  }

  std::vector<Construct> constructs;
  /// The innermost construct that contains the block (a header is in its own construct). kNone
  /// outside of all constructs and for structurally unreachable blocks.
  uint32_t InnermostConstruct(Block block) const { return Node(block).innermost; }
  /// The innermost construct of this kind around `block`; nullptr if not found.
  const Construct* InnermostLoop(Block block) const;
  const Construct* InnermostSwitch(Block block) const;
  /// True if `block` is in the continue construct of some loop.
  bool InContinueConstruct(Block block) const;
  /// The header whose merge block is `block`; kNone if not found.
  Block HeaderOfMerge(Block block) const { return Node(block).merge_of; }
  /// The (first) header whose continue target is `block`; kNone if not found.
  Block HeaderOfContinue(Block block) const { return Node(block).continue_of; }
  bool IsMergeBlock(Block block) const { return HeaderOfMerge(block) != Block::kNone; }
  bool IsContinueTarget(Block block) const { return HeaderOfContinue(block) != Block::kNone; }

  // --- data, maintained by BuildControlFlow and FlowPatch
  /// Slots are 0 .. order.size() - 1; the entry block has slot 0.
  uint32_t Slot(Block block) const { return slots[block]; }
  Block AtSlot(uint32_t slot) const {
    return slot < nodes.size() ? nodes[slot].block : Block::kNone;
  }

  /// A list in `edges`, with spare capacity for growth.
  struct EdgeList {
    uint32_t begin = 0, count = 0, room = 0;
  };
  struct BlockNode {
    Block block = Block::kNone;
    uint32_t position = 0;
    EdgeList successors, predecessors;
    uint32_t innermost = Construct::kNone;
    /// The (first) header that names the block.
    Block merge_of = Block::kNone, continue_of = Block::kNone;
    // From the block's own merge instruction, if it has one.
    Block merge = Block::kNone, continue_target = Block::kNone;
    ConstructKind kind = ConstructKind::kSelection;
  };
  const BlockNode& Node(Block block) const { return nodes[Slot(block)]; }
  BlockNode& Node(Block block) { return nodes[Slot(block)]; }
  std::span<const Block> At(EdgeList list) const {
    return std::span(edges).subspan(list.begin, list.count);
  }
  /// Calls `visit(slot)` for the ends of branch edges and, if `structural`, of the other structural
  /// edges; possibly twice for the same block.
  template <class Visit>
  void ForEachSuccessorSlot(uint32_t slot, bool structural, Visit visit) const {
    for (Block block : At(nodes[slot].successors)) visit(Slot(block));
    if (!structural || nodes[slot].merge == Block::kNone) return;
    visit(Slot(nodes[slot].merge));
    if (nodes[slot].kind == ConstructKind::kLoop) visit(Slot(nodes[slot].continue_target));
  }
  /// Rebuilds both trees, or the constructs, from the nodes and edges.
  void MakeTrees();
  void MakeConstructs();

  BlockSlots slots;
  std::vector<BlockNode> nodes;  ///< by slot
  std::vector<Block> edges;      ///< lists of blocks, with unused gaps left by lists that moved
  DominatorTree dominators;
  DominatorTree structural;
  mutable LazyShared<DominatorTree> postdominators;
  /// Two headers name the same block as merge block or as continue target. In a valid module this
  /// does not occur in reachable code, and FlowPatch does not support it.
  bool is_irregular = false;
};

ControlFlow BuildControlFlow(const Module& module, Function function);

}  // namespace ir
}  // namespace refract
