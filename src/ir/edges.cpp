// SPDX-License-Identifier: Apache-2.0
#include "ir/edges.h"

#include <algorithm>
#include <vector>

namespace refract {
namespace {

// Blocks whose immediate dominator the edge would change, by slot. `nearest` is the common
// dominator.
std::vector<uint32_t> Affected(const ControlFlow& flow, uint32_t to, uint32_t nearest) {
  const DominatorTree& tree = flow.dominators;
  const uint32_t base = tree.Depth(nearest) + 1;
  std::vector<uint32_t> affected;
  if (tree.Depth(to) <= base) return affected;
  // best[v]: the largest least depth over the paths from `to` to v found so far.
  std::vector<uint32_t> best(flow.order.size(), 0), work{to};
  best[to] = tree.Depth(to);
  while (!work.empty()) {
    const uint32_t node = work.back();
    work.pop_back();
    for (Block successor : flow.Successors(flow.AtSlot(node))) {
      const uint32_t next = flow.Slot(successor);
      const uint32_t least = std::min(best[node], tree.Depth(next));
      if (least <= base || least <= best[next]) continue;
      best[next] = least;
      work.push_back(next);
    }
  }
  for (uint32_t v = 0; v < best.size(); ++v) {
    if (best[v] != 0 && best[v] >= tree.Depth(v)) affected.push_back(v);
  }
  return affected;
}

// Whether some use of `id` is in the subtree of `top`.
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

}  // namespace

bool EdgeBreaksDominance(const Module& module, Block from, Block to) {
  const ControlFlow& flow = module.Flow(module[from].function);
  if (!flow.Reachable(from)) return false;
  if (!flow.Reachable(to)) return true;  // it would become reachable: nothing dominates it now
  const uint32_t nearest = flow.dominators.CommonDominator(flow.Slot(from), flow.Slot(to));
  for (uint32_t v : Affected(flow, flow.Slot(to), nearest)) {
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

}  // namespace refract
