// SPDX-License-Identifier: Apache-2.0
// Patches of a ControlFlow along with structural edits, for Editor: after each the ControlFlow
// answers every question as one made anew would (SameFlow of consistency.h; flow_patch_test tries
// it). What a patch costs beyond a copy of shared data is what changes, and a few additions for
// each block listed or numbered behind; only the loss of an edge that dominators rest on, and an
// edge that makes blocks reachable, make the trees anew from the patched graph.
#pragma once

#include <vector>

#include "ir/control_flow.h"

namespace refract::inline ir {

/// Each function describes an edit that is made to the module at the same time. None may be asked
/// of a flow that is irregular.
class FlowPatch {
 public:
  explicit FlowPatch(ControlFlow& flow) : flow_(flow) {}

  /// `second`, a new block listed after `first`, takes over the end of `first`, with its merge
  /// instruction if it has one; `first` branches to it.
  void Split(Block first, Block second);
  /// `block`, with one successor, of which it is the one predecessor and which no header names,
  /// becomes a selection header; `arm`, a new block listed after it, the second successor; the old
  /// successor, to which `arm` branches, its merge block.
  void AddDiamond(Block block, Block arm);
  /// `block`, with one successor and without a merge instruction, becomes a selection header with
  /// `merge`, which no header names, as merge block and second successor.
  void AddSelection(Block block, Block merge);
  /// The branch edges that leave `block` become those to `targets` (each once, in order).
  void SetSuccessors(Block block, const std::vector<Block>& targets);
  /// `block`, without merge instruction, gets the end of its one successor, whose one predecessor
  /// it is and which no header names, with its merge instruction if it has one; that block goes.
  void Merge(Block block);
  /// `block` is listed after `after` now. Neither is it the first, nor does it become that.
  void Move(Block block, Block after);

 private:
  using EdgeList = ControlFlow::EdgeList;
  using BlockNode = ControlFlow::BlockNode;

  BlockNode& AddBlock(Block block, Block after);
  void Insert(EdgeList& list, uint32_t at, Block block);
  void SetOnly(EdgeList& list, Block block);
  void Erase(EdgeList& list, Block block);
  void Replace(EdgeList& list, Block old_block, Block new_block);
  void AddPredecessor(Block block, Block predecessor);
  void MoveEnd(Block from, Block to);
  bool AddToTree(DominatorTree& tree, bool structural, Block from, Block to);
  bool AddToTrees(Block from, Block to);
  bool RestsOnEdge(const DominatorTree& tree, Block from, Block to) const;

  ControlFlow& flow_;
};

}  // namespace refract::inline ir
