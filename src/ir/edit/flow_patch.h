// SPDX-License-Identifier: Apache-2.0
// Patches of a ControlFlow for the structural edits of Editor. After each patch the ControlFlow
// equals a newly built one (SameFlow in consistency.h; flow_patch_test checks it). The cost of a
// patch, besides a copy of shared data, is proportional to the change, plus a few additions for
// each block that is listed or numbered later. The trees are rebuilt from the patched graph in two
// cases only: an edge on which dominators depend is removed, or a new edge makes blocks reachable.
#pragma once

#include <vector>

#include "ir/control_flow.h"

namespace refract {
inline namespace ir {

/// Each function describes an edit that is made to the module at the same time. The flow must not
/// be irregular.
class FlowPatch {
 public:
  explicit FlowPatch(ControlFlow& flow) : flow_(flow) {}

  /// `second`, a new block listed after `first`, gets the end of `first`, with its merge
  /// instruction if there is one. `first` then branches to `second`.
  void Split(Block first, Block second);
  /// `block` has one successor, which has no other predecessor and which no header names. `block`
  /// becomes a selection header. Its second successor is `arm`, a new block listed after it. The
  /// old successor becomes the merge block, to which `arm` branches.
  void AddDiamond(Block block, Block arm);
  /// `block`, with one successor and without a merge instruction, becomes a selection header.
  /// `merge`, which no header names, becomes its merge block and second successor.
  void AddSelection(Block block, Block merge);
  /// Replaces the branch edges that leave `block` with edges to `targets` (each once, in order).
  void SetSuccessors(Block block, const std::vector<Block>& targets);
  /// `block` has no merge instruction and one successor, which has no other predecessor and which
  /// no header names. `block` gets the end of that successor, with its merge instruction if there
  /// is one. The successor is removed.
  void Merge(Block block);
  /// `block` is now listed after `after`. It was not the first block and does not become it.
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

}  // namespace ir
}  // namespace refract
