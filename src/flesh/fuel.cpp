// SPDX-License-Identifier: Apache-2.0
#include "flesh/fuel.h"

#include <algorithm>

namespace refract::flesh {
namespace {

// Returns the blocks of the continue construct of a loop. Edges leave it only to the header and the
// merge block.
std::vector<uint32_t> ContinueConstruct(const cfg::Graph& graph, uint32_t header) {
  const uint32_t merge = graph.blocks[header].merge;
  std::vector<uint32_t> blocks = {graph.blocks[header].continue_target};
  for (size_t i = 0; i < blocks.size(); ++i) {
    graph.ForEachStructural(blocks[i], [&](uint32_t to) {
      if (to == header || to == merge) return;
      if (std::find(blocks.begin(), blocks.end(), to) == blocks.end()) blocks.push_back(to);
    });
  }
  return blocks;
}

}  // namespace

cfg::Graph AddExits(const cfg::Graph& graph, std::vector<uint8_t>* back_edge) {
  cfg::Graph changed = graph;
  back_edge->assign(graph.size(), 2);
  for (uint32_t header = 0; header < graph.size(); ++header) {
    if (!graph.blocks[header].is_loop()) continue;
    for (const uint32_t block : ContinueConstruct(graph, header)) {
      const auto to = graph.Targets(block);
      const auto place = std::find(to.begin(), to.end(), header);
      if (place == to.end()) continue;
      const uint32_t merge = graph.blocks[header].merge;
      (*back_edge)[block] = to.size() == 2 && to[0] == merge ? 1 : 0;
      if (to.size() == 1 || to[0] == to[1]) {
        const uint32_t both[] = {header, merge};
        changed.SetTargets(block, both);
      }
    }
  }
  return changed;
}

}  // namespace refract::flesh
