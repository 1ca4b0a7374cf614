// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of one function and what is derived from it: dominators, post-dominators,
// structural dominators and constructs (SPIR-V 1.6 revision 2, section 2.11.1). Get it from
// Module::Flow. Blocks are addressed by handle; inside, by BlockRecord::slot.
#pragma once

#include <span>
#include <vector>

#include "ir/dominators.h"
#include "ir/handles.h"
#include "ir/lazy_shared.h"

namespace refract {

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

struct ControlFlow {
  /// Basic blocks in the order they are listed.
  std::vector<Block> order;
  /// Successors by branch edges, each once, in the terminator's order.
  std::span<const Block> Successors(Block block) const;
  /// Predecessors by branch edges, each once.
  std::span<const Block> Predecessors(Block block) const;

  /// Position in `order`.
  uint32_t Position(Block block) const { return position[Slot(block)]; }
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
  uint32_t InnermostConstruct(Block block) const { return innermost[Slot(block)]; }
  /// The construct of that kind or kinds around `block`, innermost first; nullptr if none.
  const Construct* InnermostLoop(Block block) const;
  const Construct* InnermostSwitch(Block block) const;
  /// Whether `block` is in the continue construct of some loop.
  bool InContinueConstruct(Block block) const;
  /// The header that names `block` as its merge block; none.
  Block HeaderOfMerge(Block block) const { return merge_of[Slot(block)]; }
  /// The (first) header that names `block` as its continue target; none.
  Block HeaderOfContinue(Block block) const { return continue_of[Slot(block)]; }
  bool IsMergeBlock(Block block) const { return HeaderOfMerge(block) != Block::kNone; }
  bool IsContinueTarget(Block block) const { return HeaderOfContinue(block) != Block::kNone; }

  // --- storage, filled by BuildControlFlow; by slot unless said otherwise
  uint32_t Slot(Block block) const { return slot_of_block[Index(block) - first_block]; }
  Block AtSlot(uint32_t slot) const {
    return slot == DominatorTree::kNone || slot >= block_of.size() ? Block::kNone : block_of[slot];
  }
  uint32_t first_block = 0;  ///< slot_of_block begins at this block index
  std::vector<uint32_t> slot_of_block;
  std::vector<Block> block_of;
  std::vector<uint32_t> position;
  std::vector<uint32_t> successor_begin, predecessor_begin;
  std::vector<Block> successors, predecessors;
  DominatorTree dominators;
  DominatorTree structural;
  std::vector<uint32_t> innermost;
  std::vector<Block> merge_of, continue_of;
  mutable LazyShared<DominatorTree> postdominators;
};

ControlFlow BuildControlFlow(const Module& module, Function function);

}  // namespace refract
