// SPDX-License-Identifier: Apache-2.0
#include "ir/control_flow.h"

#include <utility>

#include "ir/branches.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {
namespace {

class Builder {
 public:
  Builder(const Module& module, Function function) : module_(module), function_(function) {}

  ControlFlow Build() {
    NumberBlocks();
    if (flow_.order.empty()) return std::move(flow_);
    CollectSuccessors();
    CollectPredecessors();
    flow_.MakeTrees();
    flow_.MakeConstructs();
    return std::move(flow_);
  }

 private:
  void NumberBlocks() {
    ForEachBlock(module_, function_, [&](Block block) { flow_.order.push_back(block); });
    const size_t n = flow_.order.size();
    flow_.nodes.resize(n);
    flow_.slots.Reserve(n);
    for (uint32_t i = 0; i < n; ++i) {
      flow_.slots.Set(flow_.order[i], i);
      flow_.nodes[i].block = flow_.order[i];
      flow_.nodes[i].position = i;
    }
    flow_.edges.reserve(4 * n);
  }

  void CollectSuccessors() {
    std::vector<Block> last_source(flow_.nodes.size(), Block::kNone);  // by slot of the target
    for (ControlFlow::BlockNode& node : flow_.nodes) {
      const Inst terminator = module_.Terminator(node.block);
      const uint32_t begin = static_cast<uint32_t>(flow_.edges.size());
      ForEachTarget(module_, terminator, [&](uint32_t operand) {
        const Block target = TargetAt(terminator, operand);
        if (std::exchange(last_source[flow_.Slot(target)], node.block) == node.block) return;
        flow_.edges.push_back(target);
      });
      const uint32_t count = static_cast<uint32_t>(flow_.edges.size()) - begin;
      node.successors = {begin, count, count};
      ReadMerge(&node);
    }
  }

  void ReadMerge(ControlFlow::BlockNode* node) {
    const Inst merge = module_.MergeInstruction(node->block);
    if (merge == Inst::kNone) return;
    node->merge = TargetAt(merge, 0);
    SetHeader(&flow_.Node(node->merge).merge_of, node->block);
    if (module_.Opcode(merge) == spv::Op::OpLoopMerge) {
      node->kind = ConstructKind::kLoop;
      node->continue_target = TargetAt(merge, 1);
      SetHeader(&flow_.Node(node->continue_target).continue_of, node->block);
    } else if (module_.Opcode(module_.Terminator(node->block)) == spv::Op::OpSwitch) {
      node->kind = ConstructKind::kSwitch;
    }
  }

  void SetHeader(Block* field, Block header) {
    if (*field == Block::kNone) {
      *field = header;
    } else {
      flow_.is_irregular = true;
    }
  }

  // Predecessors are in order of position, because `nodes` is.
  void CollectPredecessors() {
    for (const ControlFlow::BlockNode& node : flow_.nodes) {
      for (Block to : flow_.At(node.successors)) ++flow_.Node(to).predecessors.room;
    }
    uint32_t begin = static_cast<uint32_t>(flow_.edges.size());
    for (ControlFlow::BlockNode& node : flow_.nodes) {
      node.predecessors.begin = begin;
      begin += node.predecessors.room;
    }
    flow_.edges.resize(begin);
    for (const ControlFlow::BlockNode& node : flow_.nodes) {
      for (uint32_t i = 0; i < node.successors.count; ++i) {
        ControlFlow::EdgeList& list =
            flow_.Node(flow_.edges[node.successors.begin + i]).predecessors;
        flow_.edges[list.begin + list.count++] = node.block;
      }
    }
  }

  Block TargetAt(Inst inst, uint32_t operand) const {
    return module_.BlockOfLabel(module_.IdAt(inst, operand));
  }

  const Module& module_;
  Function function_;
  ControlFlow flow_;
};

// A block is in the construct of a header that structurally dominates it, unless the header's merge
// block dominates it too. In the structural dominator tree, merge blocks and continue targets are
// children of their header. One walk from the root, which knows the construct of the parent, is
// therefore enough.
class ConstructFinder {
 public:
  explicit ConstructFinder(ControlFlow& flow)
      : flow_(flow), of_header_(flow.nodes.size(), Construct::kNone) {}

  void Run() {
    flow_.constructs.clear();
    for (ControlFlow::BlockNode& node : flow_.nodes) node.innermost = Construct::kNone;
    for (uint32_t slot : flow_.structural.Preorder()) Visit(slot);
  }

 private:
  void Visit(uint32_t slot) {
    ControlFlow::BlockNode& node = flow_.nodes[slot];
    const uint32_t parent = flow_.structural.Parent(slot);
    uint32_t around =
        parent == DominatorTree::kNone ? Construct::kNone : flow_.nodes[parent].innermost;
    if (const uint32_t header = HeaderAbove(node.merge_of, slot); header != Construct::kNone) {
      around = flow_.constructs[header].parent;
    }
    if (const uint32_t header = HeaderAbove(node.continue_of, slot); header != Construct::kNone) {
      around = AddContinue(header);
    }
    if (node.merge != Block::kNone) {
      around = Add({node.kind, node.block, node.merge, node.continue_target, around});
      of_header_[slot] = around;
      if (node.continue_target == node.block) around = AddContinue(around);
    }
    node.innermost = around;
  }

  // The construct of a header that strictly dominates the block at `slot`; else kNone.
  uint32_t HeaderAbove(Block header, uint32_t slot) const {
    if (header == Block::kNone) return Construct::kNone;
    const uint32_t above = flow_.Slot(header);
    if (above == slot || !flow_.structural.Dominates(above, slot)) return Construct::kNone;
    return of_header_[above];
  }

  uint32_t Add(const Construct& construct) {
    flow_.constructs.push_back(construct);
    return static_cast<uint32_t>(flow_.constructs.size() - 1);
  }

  uint32_t AddContinue(uint32_t loop) {
    Construct construct = flow_.constructs[loop];
    construct.kind = ConstructKind::kContinue;
    construct.parent = loop;
    return Add(construct);
  }

  ControlFlow& flow_;
  std::vector<uint32_t> of_header_;  // by slot
};

Graph GraphOf(const ControlFlow& flow, bool structural) {
  Graph graph;
  const uint32_t n = static_cast<uint32_t>(flow.nodes.size());
  graph.begin.reserve(n + 1);
  graph.targets.reserve(flow.edges.size());
  for (uint32_t slot = 0; slot < n; ++slot) {
    graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
    flow.ForEachSuccessorSlot(slot, structural, [&](uint32_t to) { graph.targets.push_back(to); });
  }
  graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
  return graph;
}

}  // namespace

void BlockSlots::Reserve(size_t blocks) {
  if (2 * blocks <= entries_.size()) return;
  std::vector<Entry> old = std::move(entries_);
  size_t size = 8;
  shift_ = 29;
  for (; size < 2 * blocks; size *= 2) --shift_;
  entries_.assign(size, {});
  taken_ = 0;
  for (const Entry& entry : old) {
    if (entry.block != Block::kNone) Set(entry.block, entry.slot);
  }
}

void BlockSlots::Set(Block block, uint32_t slot) {
  Reserve(taken_ + 1);
  size_t i = Place(block);
  while (entries_[i].block != Block::kNone && entries_[i].block != block) {
    i = (i + 1) & (entries_.size() - 1);
  }
  if (entries_[i].block == Block::kNone) ++taken_;
  entries_[i] = {block, slot};
}

void ControlFlow::MakeTrees() {
  // Structural edges that are not branch edges always start at a header.
  dominators = DominatorTree(GraphOf(*this, false), 0);
  structural = DominatorTree(GraphOf(*this, true), 0);
}

void ControlFlow::MakeConstructs() {
  ConstructFinder(*this).Run();
}

const DominatorTree& ControlFlow::PostDominators() const {
  return postdominators.Get([&] {
    // The reversed graph, starting from a virtual exit (node n) with an edge to each block without
    // successors.
    const uint32_t n = static_cast<uint32_t>(nodes.size());
    Graph with_exit;
    for (uint32_t slot = 0; slot < n; ++slot) {
      with_exit.begin.push_back(static_cast<uint32_t>(with_exit.targets.size()));
      ForEachSuccessorSlot(slot, false, [&](uint32_t to) { with_exit.targets.push_back(to); });
      if (with_exit.targets.size() == with_exit.begin.back()) with_exit.targets.push_back(n);
    }
    with_exit.begin.resize(n + 2, static_cast<uint32_t>(with_exit.targets.size()));
    return DominatorTree(with_exit.Reversed(), with_exit, n);
  });
}

const Construct* ControlFlow::InnermostLoop(Block block) const {
  for (uint32_t c = InnermostConstruct(block); c != Construct::kNone; c = constructs[c].parent) {
    if (constructs[c].kind == ConstructKind::kLoop) return &constructs[c];
  }
  return nullptr;
}

const Construct* ControlFlow::InnermostSwitch(Block block) const {
  for (uint32_t c = InnermostConstruct(block); c != Construct::kNone; c = constructs[c].parent) {
    if (constructs[c].kind == ConstructKind::kSwitch) return &constructs[c];
  }
  return nullptr;
}

bool ControlFlow::InContinueConstruct(Block block) const {
  for (uint32_t c = InnermostConstruct(block); c != Construct::kNone; c = constructs[c].parent) {
    if (constructs[c].kind == ConstructKind::kContinue) return true;
  }
  return false;
}

ControlFlow BuildControlFlow(const Module& module, Function function) {
  return Builder(module, function).Build();
}

}  // namespace ir
}  // namespace refract
