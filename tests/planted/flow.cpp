// SPDX-License-Identifier: Apache-2.0
#include "planted/flow.h"

#include <algorithm>

namespace refract::planted {
namespace {

DominatorTree Tree(const std::vector<std::vector<uint32_t>>& edges) {
  Graph graph;
  for (const auto& targets : edges) {
    graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
    graph.targets.insert(graph.targets.end(), targets.begin(), targets.end());
  }
  graph.begin.push_back(static_cast<uint32_t>(graph.targets.size()));
  return {graph, 0};
}

void AddOnce(uint32_t value, std::vector<uint32_t>* list) {
  if (std::count(list->begin(), list->end(), value) == 0) list->push_back(value);
}

}  // namespace

Flow::Flow(const Function& function) {
  const auto count = static_cast<uint32_t>(function.blocks.size());
  for (uint32_t i = 0; i < count; ++i) index[function.blocks[i].label] = i;
  successors.resize(count);
  predecessors.resize(count);
  for (auto* list : {&merge, &continue_target, &merge_of, &continue_of}) list->resize(count, kNone);
  for (uint32_t i = 0; i < count; ++i) {
    for (const Operand& operand : function.blocks[i].End().in) {
      const auto target = index.find(operand.word);
      if (operand.is_id && target != index.end()) AddOnce(target->second, &successors[i]);
    }
    for (const uint32_t to : successors[i]) predecessors[to].push_back(i);
  }
  auto structural_edges = successors;
  for (uint32_t i = 0; i < count; ++i) {
    const Instruction* named = function.blocks[i].Merge();
    if (named == nullptr) continue;
    merge[i] = Index(named->Id(0));
    merge_of[merge[i]] = i;
    AddOnce(merge[i], &structural_edges[i]);
    if (named->op != spv::Op::OpLoopMerge) continue;
    continue_target[i] = Index(named->Id(1));
    // A loop of one block can be the whole continue construct of another loop, which is asked for
    // here.
    uint32_t& header = continue_of[continue_target[i]];
    if (continue_target[i] != i || header == kNone) header = i;
    AddOnce(continue_target[i], &structural_edges[i]);
  }
  if (count == 0) return;
  dominators = Tree(successors);
  structural = Tree(structural_edges);
}

uint32_t Flow::InnermostHeader(uint32_t block) const {
  for (uint32_t above = block; above != kNone; above = structural.Parent(above)) {
    if (merge[above] != kNone && !structural.Dominates(merge[above], block)) return above;
  }
  return kNone;
}

bool Flow::InContinue(uint32_t block) const {
  for (uint32_t above = block; above != kNone; above = structural.Parent(above)) {
    const uint32_t header = continue_of[above];
    if (header != kNone && !structural.Dominates(merge[header], block)) return true;
  }
  return false;
}

void OrderBlocks(Function* function) {
  const Flow flow(*function);
  // Branches alone dominate more than structural edges do.
  const auto above = [&](uint32_t block) {
    if (flow.Reachable(block)) return flow.dominators.Parent(block);
    return flow.structural.Reached(block) ? flow.structural.Parent(block) : Flow::kNone;
  };
  std::vector<bool> listed(function->blocks.size());
  std::vector<Block> blocks;
  for (uint32_t i = 0; i < listed.size(); ++i) {
    std::vector<uint32_t> chain;
    for (uint32_t block = i; block != Flow::kNone && !listed[block]; block = above(block)) {
      chain.push_back(block);
      listed[block] = true;
    }
    for (auto block = chain.rbegin(); block != chain.rend(); ++block) {
      blocks.push_back(std::move(function->blocks[*block]));
    }
  }
  function->blocks = std::move(blocks);
}

void DropPhiInputs(Block* block, uint32_t predecessor) {
  for (Instruction& phi : block->code) {
    if (phi.op != spv::Op::OpPhi) continue;
    for (size_t i = 0; i + 1 < phi.in.size();) {
      if (phi.Id(i + 1) == predecessor) {
        phi.in.erase(phi.in.begin() + static_cast<ptrdiff_t>(i),
                     phi.in.begin() + static_cast<ptrdiff_t>(i) + 2);
      } else {
        i += 2;
      }
    }
  }
}

void RenamePredecessor(Function* function, uint32_t from, uint32_t to) {
  ForEachInstruction(*function, [&](Instruction& phi) {
    if (phi.op != spv::Op::OpPhi) return;
    for (size_t i = 1; i < phi.in.size(); i += 2) {
      if (phi.Id(i) == from) phi.in[i].word = to;
    }
  });
}

}  // namespace refract::planted
