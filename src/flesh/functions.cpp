// SPDX-License-Identifier: Apache-2.0
#include "flesh/functions.h"

#include <algorithm>

namespace refract::flesh {
namespace {

constexpr uint32_t kPercent = 50;  // of the constructs that could be functions

// Returns the blocks that can be reached from the header before the merge block. Returns none if an
// edge enters them elsewhere or a block ends the function.
std::vector<uint32_t> BlocksOf(const cfg::Graph& graph, uint32_t header,
                               const std::vector<std::vector<uint32_t>>& predecessors) {
  const uint32_t merge = graph.blocks[header].merge;
  std::vector<bool> inside(graph.size());
  std::vector<uint32_t> blocks = {header};
  inside[header] = true;
  for (size_t i = 0; i < blocks.size(); ++i) {
    if (graph.Targets(blocks[i]).empty()) return {};
    graph.ForEachStructural(blocks[i], [&](uint32_t to) {
      if (to == merge || inside[to]) return;
      inside[to] = true;
      blocks.push_back(to);
    });
  }
  if (inside[0]) return {};
  for (const uint32_t block : blocks) {
    if (block == header) continue;
    for (const uint32_t from : predecessors[block]) {
      if (!inside[from]) return {};
    }
  }
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

}  // namespace

std::vector<OutlinedConstruct> ChooseFunctions(const cfg::Graph& graph, Random* random) {
  std::vector<std::vector<uint32_t>> predecessors(graph.size());
  for (uint32_t block = 0; block < graph.size(); ++block) {
    graph.ForEachStructural(block, [&](uint32_t to) { predecessors[to].push_back(block); });
  }
  std::vector<OutlinedConstruct> chosen;
  std::vector<bool> taken(graph.size());
  for (uint32_t header = 1; header < graph.size(); ++header) {
    if (!graph.blocks[header].is_header() || taken[header] || !random->Percent(kPercent)) continue;
    std::vector<uint32_t> blocks = BlocksOf(graph, header, predecessors);
    const bool free =
        std::none_of(blocks.begin(), blocks.end(), [&](uint32_t block) { return taken[block]; });
    if (blocks.empty() || !free) continue;
    for (const uint32_t block : blocks) taken[block] = true;
    chosen.push_back({header, graph.blocks[header].merge, std::move(blocks)});
  }
  return chosen;
}

}  // namespace refract::flesh
