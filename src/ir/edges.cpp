// SPDX-License-Identifier: Apache-2.0
#include "ir/edges.h"

#include <vector>

namespace refract {
inline namespace ir {
namespace {

// True if some use of `id` is in the subtree of `top`.
bool UsedBelow(const Module& module, const ControlFlow& flow, Id id, uint32_t top) {
  for (Use use = module.FirstUse(id); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    Block block = module.BlockOf(user);
    if (!module.IsBasicBlock(block)) continue;
    if (module.Opcode(user) == spv::Op::OpPhi) {
      const uint32_t index = module.OperandIndex(use);
      if (index % 2 == 0) block = module.BlockOfLabel(module.IdAt(user, index + 1));
    }
    if (flow.dominators.Dominates(top, flow.Slot(block))) return true;
  }
  return false;
}

Graph GraphWithEdge(const ControlFlow& flow, Block from, Block to) {
  Graph graph;
  graph.begin.push_back(0);
  for (uint32_t slot = 0; slot < flow.nodes.size(); ++slot) {
    flow.ForEachSuccessorSlot(slot, false, [&](uint32_t next) { graph.targets.push_back(next); });
    if (slot == flow.Slot(from)) graph.targets.push_back(flow.Slot(to));
    graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
  }
  return graph;
}

// True if each operand of `user` that is defined in the function dominates it in `tree`.
bool OperandsDominate(const Module& module, const ControlFlow& flow, const DominatorTree& tree,
                      Inst user) {
  const bool is_phi = module.Opcode(user) == spv::Op::OpPhi;
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (!module.IsId(user, i)) continue;
    const Inst definition = module.Definition(module.IdAt(user, i));
    if (module.Opcode(definition) == spv::Op::OpLabel) continue;
    const Block block = module.BlockOf(definition);
    if (!module.IsBasicBlock(block)) continue;
    Block used = module.BlockOf(user);
    if (is_phi) used = module.BlockOfLabel(module.IdAt(user, i + 1));
    if (is_phi && !tree.Reached(flow.Slot(used))) continue;
    if (!tree.Dominates(flow.Slot(block), flow.Slot(used))) return false;
    if (!is_phi && block == used && !module.Precedes(definition, user)) return false;
  }
  return true;
}

Graph GraphWithoutEnd(const ControlFlow& flow, Block block) {
  const uint32_t end = flow.Slot(block);
  Graph graph;
  graph.begin.push_back(0);
  for (uint32_t slot = 0; slot < flow.nodes.size(); ++slot) {
    if (slot != end) {
      flow.ForEachSuccessorSlot(slot, false, [&](uint32_t to) { graph.targets.push_back(to); });
    }
    graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
  }
  return graph;
}

}  // namespace

bool EdgeBreaksDominance(const Module& module, Block from, Block to) {
  const ControlFlow& flow = module.Flow(module[from].function);
  if (!flow.Reachable(from)) return false;
  // The edge would make it reachable; nothing dominates it now.
  if (!flow.Reachable(to)) return true;
  const uint32_t nearest = flow.dominators.CommonDominator(flow.Slot(from), flow.Slot(to));
  const std::vector<uint32_t> moved = flow.dominators.MovedByEdge(
      flow.Slot(to), nearest,
      [&](uint32_t slot, auto visit) { flow.ForEachSuccessorSlot(slot, false, visit); });
  for (uint32_t v : moved) {
    for (uint32_t d = flow.dominators.Parent(v); d != nearest; d = flow.dominators.Parent(d)) {
      bool broken = false;
      ForEachInstruction(module, flow.AtSlot(d), [&](Inst inst) {
        const Id id = module.Result(inst);
        if (id == Id::kNone || module.Opcode(inst) == spv::Op::OpLabel) return;
        broken = broken || UsedBelow(module, flow, id, v);
      });
      if (broken) return true;
    }
  }
  return false;
}

std::vector<Block> ReachedOver(const Module& module, Block to) {
  const ControlFlow& flow = module.Flow(module[to].function);
  std::vector<uint8_t> seen(flow.nodes.size(), 0);
  std::vector<Block> blocks;
  const auto add = [&](Block block) {
    if (flow.Reachable(block) || seen[flow.Slot(block)] != 0) return;
    seen[flow.Slot(block)] = 1;
    blocks.push_back(block);
  };
  add(to);
  for (size_t i = 0; i < blocks.size(); ++i) {
    for (Block successor : flow.Successors(blocks[i])) add(successor);
  }
  return blocks;
}

bool FirstEdgeBreaksDominance(const Module& module, Block from, Block to) {
  const ControlFlow& flow = module.Flow(module[from].function);
  const DominatorTree tree(GraphWithEdge(flow, from, to), flow.Slot(flow.order[0]));
  for (uint32_t slot : tree.Preorder()) {
    const uint32_t parent = tree.Parent(slot);
    if (parent == DominatorTree::kNone) continue;
    if (flow.nodes[parent].position > flow.nodes[slot].position) return true;
    bool broken = false;
    ForEachInstruction(module, flow.AtSlot(slot), [&](Inst inst) {
      broken = broken || !OperandsDominate(module, flow, tree, inst);
    });
    if (broken) return true;
  }
  return false;
}

bool EndBreaksOrder(const Module& module, Block block) {
  const ControlFlow& flow = module.Flow(module[block].function);
  if (!flow.Reachable(block) || flow.Successors(block).empty()) return false;
  const DominatorTree without(GraphWithoutEnd(flow, block), flow.Slot(flow.order[0]));
  for (uint32_t slot : without.Preorder()) {
    const uint32_t parent = without.Parent(slot);
    if (parent != DominatorTree::kNone && flow.nodes[parent].position > flow.nodes[slot].position) {
      return true;
    }
  }
  return false;
}

}  // namespace ir
}  // namespace refract
