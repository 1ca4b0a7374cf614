// SPDX-License-Identifier: Apache-2.0
#include "ir/control_flow.h"

#include <algorithm>

#include "ir/branches.h"
#include "ir/module.h"

namespace refract {
namespace {

class Builder {
 public:
  Builder(const Module& module, Function function) : module_(module), function_(function) {}

  ControlFlow Build() {
    NumberBlocks();
    if (flow_.order.empty()) return std::move(flow_);
    CollectEdges();
    Dominate();
    FindConstructs();
    return std::move(flow_);
  }

 private:
  void NumberBlocks() {
    ForEachBlock(module_, function_, [&](Block block) { flow_.order.push_back(block); });
    if (flow_.order.empty()) return;
    const auto [low, high] = std::minmax_element(flow_.order.begin(), flow_.order.end());
    flow_.first_block = Index(*low);
    flow_.slot_of_block.assign(Index(*high) - Index(*low) + 1, 0);
    // Slots here are dense: positions in the list.
    for (uint32_t i = 0; i < flow_.order.size(); ++i) {
      flow_.slot_of_block[Index(flow_.order[i]) - flow_.first_block] = i;
    }
    flow_.block_of = flow_.order;
    flow_.position.resize(flow_.order.size());
    for (uint32_t i = 0; i < flow_.order.size(); ++i) flow_.position[i] = i;
  }

  // Both graphs at once: branch edges, and those with the structural ones after them.
  void CollectEdges() {
    const size_t n = flow_.order.size();
    flow_.merge_of.assign(n, Block::kNone);
    flow_.continue_of.assign(n, Block::kNone);
    std::vector<uint32_t> last_source(n, 0);  // one more than the block that last had this target
    edges_.begin.reserve(n + 1);
    structural_.begin.reserve(n + 1);
    edges_.begin.push_back(0);
    structural_.begin.push_back(0);
    for (uint32_t i = 0; i < n; ++i) {
      const Block block = flow_.order[i];
      const Inst terminator = module_.Terminator(block);
      const auto add = [&](uint32_t target, bool is_branch) {
        if (last_source[target] == i + 1) return;
        last_source[target] = i + 1;
        if (is_branch) edges_.targets.push_back(target);
        structural_.targets.push_back(target);
      };
      ForEachTarget(module_, terminator,
                    [&](uint32_t operand) { add(TargetAt(terminator, operand), true); });
      AddMergeEdges(block, module_.MergeInstruction(block), add);
      edges_.begin.push_back(static_cast<uint32_t>(edges_.targets.size()));
      structural_.begin.push_back(static_cast<uint32_t>(structural_.targets.size()));
    }
    reversed_ = edges_.Reversed();
    Store(edges_, &flow_.successor_begin, &flow_.successors);
    Store(reversed_, &flow_.predecessor_begin, &flow_.predecessors);
  }

  template <class Add>
  void AddMergeEdges(Block block, Inst merge, Add add) {
    if (merge == Inst::kNone) return;
    const uint32_t merge_slot = TargetAt(merge, 0);
    add(merge_slot, false);
    if (flow_.merge_of[merge_slot] == Block::kNone) flow_.merge_of[merge_slot] = block;
    if (module_.Opcode(merge) != spv::Op::OpLoopMerge) return;
    const uint32_t continue_slot = TargetAt(merge, 1);
    add(continue_slot, false);
    if (flow_.continue_of[continue_slot] == Block::kNone) {
      flow_.continue_of[continue_slot] = block;
    }
  }

  uint32_t TargetAt(Inst inst, uint32_t operand) const {
    return flow_.Slot(module_.BlockOfLabel(module_.IdAt(inst, operand)));
  }

  void Store(const Graph& graph, std::vector<uint32_t>* begin, std::vector<Block>* blocks) {
    *begin = graph.begin;
    blocks->reserve(graph.targets.size());
    for (uint32_t slot : graph.targets) blocks->push_back(flow_.order[slot]);
  }

  void Dominate() {
    flow_.dominators = DominatorTree(edges_, reversed_, 0);
    flow_.structural = DominatorTree(structural_, 0);
  }

  // A block is in the construct of a header that structurally dominates it unless the header's
  // merge block does too. In the structural dominator tree a merge block and a continue target are
  // children of their header, so one walk from the root with the parent's construct suffices.
  void FindConstructs() {
    const size_t n = flow_.order.size();
    flow_.innermost.assign(n, Construct::kNone);
    std::vector<uint32_t> of_header(n, Construct::kNone);
    for (uint32_t slot : flow_.structural.Preorder()) {
      const Block block = flow_.order[slot];
      const uint32_t parent = flow_.structural.Parent(slot);
      uint32_t around = parent == DominatorTree::kNone ? Construct::kNone : flow_.innermost[parent];
      if (flow_.merge_of[slot] != Block::kNone) {
        const uint32_t header = flow_.Slot(flow_.merge_of[slot]);
        if (of_header[header] != Construct::kNone && header != slot) {
          around = flow_.constructs[of_header[header]].parent;
        }
      }
      if (flow_.continue_of[slot] != Block::kNone) {
        const uint32_t header = flow_.Slot(flow_.continue_of[slot]);
        if (header != slot && of_header[header] != Construct::kNone) {
          around = AddContinue(of_header[header]);
        }
      }
      const Inst merge = module_.MergeInstruction(block);
      if (merge != Inst::kNone) {
        around = AddHeader(block, merge, around);
        of_header[slot] = around;
        if (flow_.constructs[around].continue_target == block) around = AddContinue(around);
      }
      flow_.innermost[slot] = around;
    }
  }

  uint32_t AddHeader(Block block, Inst merge, uint32_t parent) {
    Construct construct;
    construct.header = block;
    construct.merge = module_.BlockOfLabel(module_.IdAt(merge, 0));
    construct.parent = parent;
    if (module_.Opcode(merge) == spv::Op::OpLoopMerge) {
      construct.kind = ConstructKind::kLoop;
      construct.continue_target = module_.BlockOfLabel(module_.IdAt(merge, 1));
    } else if (module_.Opcode(module_.Terminator(block)) == spv::Op::OpSwitch) {
      construct.kind = ConstructKind::kSwitch;
    }
    flow_.constructs.push_back(construct);
    return static_cast<uint32_t>(flow_.constructs.size() - 1);
  }

  uint32_t AddContinue(uint32_t loop) {
    Construct construct = flow_.constructs[loop];
    construct.kind = ConstructKind::kContinue;
    construct.parent = loop;
    flow_.constructs.push_back(construct);
    return static_cast<uint32_t>(flow_.constructs.size() - 1);
  }

  const Module& module_;
  Function function_;
  ControlFlow flow_;
  Graph edges_, reversed_, structural_;
};

}  // namespace

std::span<const Block> ControlFlow::Successors(Block block) const {
  const uint32_t slot = Slot(block);
  return std::span(successors)
      .subspan(successor_begin[slot], successor_begin[slot + 1] - successor_begin[slot]);
}

std::span<const Block> ControlFlow::Predecessors(Block block) const {
  const uint32_t slot = Slot(block);
  return std::span(predecessors)
      .subspan(predecessor_begin[slot], predecessor_begin[slot + 1] - predecessor_begin[slot]);
}

const DominatorTree& ControlFlow::PostDominators() const {
  return postdominators.Get([&] {
    // The turned graph from a virtual exit (node n) with an edge to each block without successor.
    const uint32_t n = static_cast<uint32_t>(order.size());
    Graph with_exit;
    for (uint32_t i = 0; i < n; ++i) {
      with_exit.begin.push_back(static_cast<uint32_t>(with_exit.targets.size()));
      for (Block successor : Successors(order[i])) with_exit.targets.push_back(Slot(successor));
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

}  // namespace refract
