// SPDX-License-Identifier: Apache-2.0
#include "ir/edit/flow_patch.h"

#include <algorithm>

namespace refract {
inline namespace ir {

// --- lists and order

// A full list moves to the end of `edges`, with 50 percent more capacity.
void FlowPatch::Insert(EdgeList& list, uint32_t at, Block block) {
  std::vector<Block>& edges = flow_.edges;
  if (list.count == list.room) {
    const uint32_t begin = static_cast<uint32_t>(edges.size());
    list.room += list.room / 2 + 1;
    edges.resize(begin + list.room);
    std::copy_n(edges.begin() + list.begin, list.count, edges.begin() + begin);
    list.begin = begin;
  }
  const auto first = edges.begin() + list.begin;
  std::copy_backward(first + at, first + list.count, first + list.count + 1);
  first[at] = block;
  ++list.count;
}

void FlowPatch::SetOnly(EdgeList& list, Block block) {
  list.count = 0;
  Insert(list, 0, block);
}

void FlowPatch::Erase(EdgeList& list, Block block) {
  const auto first = flow_.edges.begin() + list.begin, end = first + list.count;
  const auto found = std::find(first, end, block);
  if (found == end) return;
  std::copy(found + 1, end, found);
  --list.count;
}

void FlowPatch::Replace(EdgeList& list, Block old_block, Block new_block) {
  const auto first = flow_.edges.begin() + list.begin;
  std::replace(first, first + list.count, old_block, new_block);
}

// Predecessors are in the order in which the blocks are listed.
void FlowPatch::AddPredecessor(Block block, Block predecessor) {
  EdgeList& list = flow_.Node(block).predecessors;
  const uint32_t position = flow_.Position(predecessor);
  uint32_t at = list.count;
  while (at > 0 && flow_.Position(flow_.edges[list.begin + at - 1]) > position) --at;
  Insert(list, at, predecessor);
}

ControlFlow::BlockNode& FlowPatch::AddBlock(Block block, Block after) {
  const uint32_t position = flow_.Position(after) + 1;
  for (BlockNode& node : flow_.nodes) node.position += node.position >= position;
  flow_.order.insert(flow_.order.begin() + position, block);
  flow_.slots.Set(block, static_cast<uint32_t>(flow_.nodes.size()));
  flow_.dominators.AddNode();
  flow_.structural.AddNode();
  BlockNode node;
  node.block = block;
  node.position = position;
  flow_.nodes.push_back(node);
  return flow_.nodes.back();
}

// Moves the end of a block to `to`: its successors and its merge instruction. Blocks that name
// `from` as predecessor or header then name `to`.
void FlowPatch::MoveEnd(Block from, Block to) {
  BlockNode &source = flow_.Node(from), &target = flow_.Node(to);
  target.successors = source.successors;
  target.merge = source.merge;
  target.continue_target = source.continue_target;
  target.kind = source.kind;
  source.successors = {};
  source.merge = source.continue_target = Block::kNone;
  source.kind = ConstructKind::kSelection;
  if (target.merge != Block::kNone) flow_.Node(target.merge).merge_of = to;
  if (target.continue_target != Block::kNone) flow_.Node(target.continue_target).continue_of = to;
}

// --- trees

// Returns true if the tree has changed.
bool FlowPatch::AddToTree(DominatorTree& tree, bool structural, Block from, Block to) {
  const uint32_t x = flow_.Slot(from), y = flow_.Slot(to);
  if (!tree.Reached(x)) return false;
  const uint32_t nearest = tree.CommonDominator(x, y);
  const std::vector<uint32_t> moved = tree.MovedByEdge(y, nearest, [&](uint32_t slot, auto visit) {
    flow_.ForEachSuccessorSlot(slot, structural, visit);
  });
  tree.Reparent(moved, nearest);
  return !moved.empty();
}

// The edge is already in the lists. Returns true if the structural tree has changed.
bool FlowPatch::AddToTrees(Block from, Block to) {
  if ((flow_.Reachable(from) && !flow_.Reachable(to)) ||
      (flow_.StructurallyReachable(from) && !flow_.StructurallyReachable(to))) {
    flow_.MakeTrees();
    return true;
  }
  AddToTree(flow_.dominators, false, from, to);
  return AddToTree(flow_.structural, true, from, to);
}

// True if dominators may depend on the edge. They do not if `to` dominates `from`: then a path from
// the entry over the edge has already passed `to`.
bool FlowPatch::RestsOnEdge(const DominatorTree& tree, Block from, Block to) const {
  const uint32_t x = flow_.Slot(from), y = flow_.Slot(to);
  return tree.Reached(x) && !tree.Dominates(y, x);
}

// --- the patches

void FlowPatch::Split(Block first, Block second) {
  AddBlock(second, first);
  MoveEnd(first, second);
  BlockNode &head = flow_.Node(first), &tail = flow_.Node(second);
  for (uint32_t i = 0; i < tail.successors.count; ++i) {
    const Block to = flow_.edges[tail.successors.begin + i];
    Replace(flow_.Node(to).predecessors, first, second);
  }
  SetOnly(head.successors, second);
  SetOnly(tail.predecessors, first);
  flow_.postdominators.Drop();
  // All paths from `first` pass `second`.
  flow_.dominators.AddBetween(flow_.Slot(second), flow_.Slot(first));
  flow_.structural.AddBetween(flow_.Slot(second), flow_.Slot(first));
  tail.innermost = head.innermost;
  if (tail.merge == Block::kNone || tail.innermost == Construct::kNone) return;
  if (tail.kind == ConstructKind::kLoop) {
    flow_.MakeConstructs();
    return;
  }
  Construct& own = flow_.constructs[tail.innermost];
  own.header = second;
  head.innermost = own.parent;
}

void FlowPatch::AddDiamond(Block block, Block arm) {
  AddBlock(arm, block);
  BlockNode& head = flow_.Node(block);
  const Block join = flow_.edges[head.successors.begin];
  Insert(head.successors, 1, arm);
  head.merge = join;
  flow_.Node(join).merge_of = block;
  SetOnly(flow_.Node(arm).successors, join);
  SetOnly(flow_.Node(arm).predecessors, block);
  AddPredecessor(join, arm);
  flow_.postdominators.Drop();
  flow_.dominators.AddLeaf(flow_.Slot(arm), flow_.Slot(block));
  flow_.structural.AddLeaf(flow_.Slot(arm), flow_.Slot(block));
  if (!flow_.StructurallyReachable(block)) return;
  // The constructs around `block` also contain `join`, and thus the blocks after it.
  Construct construct;
  construct.header = block;
  construct.merge = join;
  construct.parent = head.innermost;
  head.innermost = flow_.Node(arm).innermost = static_cast<uint32_t>(flow_.constructs.size());
  flow_.constructs.push_back(construct);
}

void FlowPatch::AddSelection(Block block, Block merge) {
  BlockNode& head = flow_.Node(block);
  head.merge = merge;
  flow_.Node(merge).merge_of = block;
  flow_.postdominators.Drop();
  if (flow_.edges[head.successors.begin] != merge) {
    Insert(head.successors, 1, merge);
    AddPredecessor(merge, block);
  }
  AddToTrees(block, merge);
  flow_.MakeConstructs();
}

void FlowPatch::SetSuccessors(Block block, const std::vector<Block>& targets) {
  const std::span<const Block> there = flow_.Successors(block);
  const std::vector<Block> old(there.begin(), there.end());
  const auto has = [](const std::vector<Block>& list, Block one) {
    return std::find(list.begin(), list.end(), one) != list.end();
  };
  bool remake = false;
  for (Block target : old) {
    if (has(targets, target)) continue;
    flow_.postdominators.Drop();
    Erase(flow_.Node(block).successors, target);
    Erase(flow_.Node(target).predecessors, block);
    remake = remake || RestsOnEdge(flow_.dominators, block, target) ||
             RestsOnEdge(flow_.structural, block, target);
  }
  for (Block target : targets) {
    if (has(old, target)) continue;
    flow_.postdominators.Drop();
    Insert(flow_.Node(block).successors, flow_.Node(block).successors.count, target);
    AddPredecessor(target, block);
    if (!remake && AddToTrees(block, target)) flow_.MakeConstructs();
  }
  std::copy(targets.begin(), targets.end(),
            flow_.edges.begin() + flow_.Node(block).successors.begin);
  if (!remake) return;
  flow_.MakeTrees();
  flow_.MakeConstructs();
}

void FlowPatch::Merge(Block block) {
  const Block gone = flow_.Successors(block)[0];
  MoveEnd(gone, block);
  BlockNode& node = flow_.Node(block);
  for (uint32_t i = 0; i < node.successors.count; ++i) {
    const Block to = flow_.edges[node.successors.begin + i];
    Erase(flow_.Node(to).predecessors, gone);
    AddPredecessor(to, block);
  }
  flow_.postdominators.Drop();
  const uint32_t slot = flow_.Slot(gone);
  flow_.dominators.Dissolve(slot);
  flow_.structural.Dissolve(slot);
  const uint32_t innermost = flow_.Node(gone).innermost;
  const bool is_header = node.merge != Block::kNone && innermost != Construct::kNone;
  const bool is_loop = is_header && node.kind == ConstructKind::kLoop;
  node.innermost = innermost;
  if (is_header) flow_.constructs[innermost].header = block;
  // Removes the block from the order and from the numbering: the block with the last slot gets its
  // slot.
  const uint32_t position = flow_.Position(gone);
  flow_.order.erase(flow_.order.begin() + position);
  for (BlockNode& other : flow_.nodes) other.position -= other.position > position;
  flow_.dominators.DropNode(slot);
  flow_.structural.DropNode(slot);
  flow_.nodes[slot] = flow_.nodes.back();
  flow_.slots.Set(flow_.nodes[slot].block, slot);
  flow_.nodes.pop_back();
  if (is_loop) flow_.MakeConstructs();
}

void FlowPatch::Move(Block block, Block after) {
  const uint32_t from = flow_.Position(block);
  uint32_t to = flow_.Position(after) + 1;
  const auto begin = flow_.order.begin();
  if (to > from) {
    std::rotate(begin + from, begin + from + 1, begin + to);
    --to;
  } else {
    std::rotate(begin + to, begin + from, begin + from + 1);
  }
  for (uint32_t i = std::min(from, to); i <= std::max(from, to); ++i) {
    flow_.Node(flow_.order[i]).position = i;
  }
  const EdgeList successors = flow_.Node(block).successors;
  for (uint32_t i = 0; i < successors.count; ++i) {
    const Block target = flow_.edges[successors.begin + i];
    Erase(flow_.Node(target).predecessors, block);
    AddPredecessor(target, block);
  }
}

}  // namespace ir
}  // namespace refract
