// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of one function and what is derived from it: dominators, post-dominators,
// structural dominators and constructs (SPIR-V 1.6 revision 2, section 2.11.1). Get it from
// Module::Flow. Blocks are addressed by handle; inside, by slot, a dense number within the
// function. Editor's structural edits patch it (flow_patch.h): then slots are in no order.
#pragma once

#include <span>
#include <vector>

#include "base/check.h"
#include "ir/dominators.h"
#include "ir/handles.h"
#include "ir/lazy_shared.h"

namespace refract::inline ir {

class Module;

enum class ConstructKind : uint8_t { kSelection, kSwitch, kLoop, kContinue };

/// A structured control-flow construct, by its header.
struct Construct {
  static constexpr uint32_t kNone = 0xffffffffu;
  ConstructKind kind = ConstructKind::kSelection;
  Block header = Block::kNone;
  Block merge = Block::kNone;            ///< of a continue construct: its loop's
  Block continue_target = Block::kNone;  ///< loops and continue constructs
  uint32_t parent = kNone;  ///< the construct the header is in; a continue construct's is its loop
};

/// From the blocks of a function to their slots: open addressing, so that its size is that of the
/// function, whatever other functions' blocks were made in between.
class BlockSlots {
 public:
  /// The block must be there.
  uint32_t operator[](Block block) const {
    size_t i = Place(block);
    for (; entries_[i].block != block; i = (i + 1) & (entries_.size() - 1)) {
      CHECK(entries_[i].block != Block::kNone);
    }
    return entries_[i].slot;
  }
  /// Adds a block or changes its slot. Blocks that are gone stay: nobody asks for them again.
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
  std::vector<Entry> entries_;  // a power of two, at most half of them taken
  size_t taken_ = 0;
  uint32_t shift_ = 32;
};

struct ControlFlow {
  /// Basic blocks in the order they are listed.
  std::vector<Block> order;
  /// Successors by branch edges, each once, in the terminator's order.
  std::span<const Block> Successors(Block block) const { return At(Node(block).successors); }
  /// Predecessors by branch edges, each once, in the order they are listed.
  std::span<const Block> Predecessors(Block block) const { return At(Node(block).predecessors); }

  /// Position in `order`.
  uint32_t Position(Block block) const { return Node(block).position; }
  bool Reachable(Block block) const { return dominators.Reached(Slot(block)); }
  /// Reflexive; false if either is unreachable.
  bool Dominates(Block a, Block b) const { return dominators.Dominates(Slot(a), Slot(b)); }
  /// None for the entry block and unreachable blocks.
  Block ImmediateDominator(Block block) const { return AtSlot(dominators.Parent(Slot(block))); }
  /// Every path from `b` to an exit of the function passes `a`. Reflexive; false if either reaches
  /// no exit.
  bool PostDominates(Block a, Block b) const {
    return PostDominators().Dominates(Slot(a), Slot(b));
  }
  /// By slot, with one more node, the virtual exit; made when first asked for.
  const DominatorTree& PostDominators() const;

  /// Structural: with an edge from each header to its merge block and continue target.
  bool StructurallyReachable(Block block) const { return structural.Reached(Slot(block)); }
  bool StructurallyDominates(Block a, Block b) const {
    return structural.Dominates(Slot(a), Slot(b));
  }

  std::vector<Construct> constructs;
  /// The innermost construct a block is in (a header is in its own); kNone outside of all and for
  /// structurally unreachable blocks.
  uint32_t InnermostConstruct(Block block) const { return Node(block).innermost; }
  /// The construct of that kind or kinds around `block`, innermost first; nullptr if none.
  const Construct* InnermostLoop(Block block) const;
  const Construct* InnermostSwitch(Block block) const;
  /// Whether `block` is in the continue construct of some loop.
  bool InContinueConstruct(Block block) const;
  /// The header that names `block` as its merge block; none.
  Block HeaderOfMerge(Block block) const { return Node(block).merge_of; }
  /// The (first) header that names `block` as its continue target; none.
  Block HeaderOfContinue(Block block) const { return Node(block).continue_of; }
  bool IsMergeBlock(Block block) const { return HeaderOfMerge(block) != Block::kNone; }
  bool IsContinueTarget(Block block) const { return HeaderOfContinue(block) != Block::kNone; }

  // --- storage, kept by BuildControlFlow and FlowPatch
  /// Slots are 0 .. order.size() - 1; the entry block's is 0.
  uint32_t Slot(Block block) const { return slots[block]; }
  Block AtSlot(uint32_t slot) const {
    return slot < nodes.size() ? nodes[slot].block : Block::kNone;
  }

  /// A list in `edges`, with room to grow.
  struct EdgeList {
    uint32_t begin = 0, count = 0, room = 0;
  };
  struct BlockNode {
    Block block = Block::kNone;
    uint32_t position = 0;
    EdgeList successors, predecessors;
    uint32_t innermost = Construct::kNone;
    Block merge_of = Block::kNone, continue_of = Block::kNone;  ///< the (first) header naming it
    // What its own merge instruction says, if it has one.
    Block merge = Block::kNone, continue_target = Block::kNone;
    ConstructKind kind = ConstructKind::kSelection;
  };
  const BlockNode& Node(Block block) const { return nodes[Slot(block)]; }
  BlockNode& Node(Block block) { return nodes[Slot(block)]; }
  std::span<const Block> At(EdgeList list) const {
    return std::span(edges).subspan(list.begin, list.count);
  }
  /// Calls `visit(slot)` for the ends of branch edges and, if `structural`, the others; one may
  /// come twice.
  template <class Visit>
  void ForEachSuccessorSlot(uint32_t slot, bool structural, Visit visit) const {
    for (Block block : At(nodes[slot].successors)) visit(Slot(block));
    if (!structural || nodes[slot].merge == Block::kNone) return;
    visit(Slot(nodes[slot].merge));
    if (nodes[slot].kind == ConstructKind::kLoop) visit(Slot(nodes[slot].continue_target));
  }
  /// Makes both trees, or the constructs, anew from the nodes and edges.
  void MakeTrees();
  void MakeConstructs();

  BlockSlots slots;
  std::vector<BlockNode> nodes;  ///< by slot
  std::vector<Block> edges;      ///< lists of blocks, and gaps where lists have moved away
  DominatorTree dominators;
  DominatorTree structural;
  mutable LazyShared<DominatorTree> postdominators;
  /// Two headers name one block as their merge block, or as their continue target: no valid module
  /// has that where it is reachable, and patches do not go into it.
  bool is_irregular = false;
};

ControlFlow BuildControlFlow(const Module& module, Function function);

}  // namespace refract::inline ir
