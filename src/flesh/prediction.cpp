// SPDX-License-Identifier: Apache-2.0
#include "flesh/prediction.h"

#include <algorithm>

namespace refract::flesh {

Prediction Predict(const cfg::Graph& graph, const Payload& payload, std::span<const Path> paths) {
  Prediction prediction;
  prediction.first_visit.resize(graph.size() + 1);
  for (const Path& path : paths) {
    for (const uint32_t block : path.blocks) ++prediction.first_visit[block + 1];
  }
  for (uint32_t block = 0; block < graph.size(); ++block) {
    prediction.first_visit[block + 1] += prediction.first_visit[block];
  }
  prediction.visits.resize(prediction.first_visit.back());
  std::vector<uint32_t> next(prediction.first_visit.begin(), prediction.first_visit.end() - 1);
  // Paths that have made the same choices so far share a state. The states form a tree, with
  // children by choice.
  std::vector<uint32_t> first_child, children;
  const size_t likely = std::min<size_t>(prediction.visits.size(), 512);
  prediction.states.reserve(likely);
  first_child.reserve(likely);
  children.reserve(2 * likely);
  const auto visit = [&](uint32_t block, const State& before) {
    Evaluate(payload, block, &prediction.states.emplace_back(State(before)));
    first_child.push_back(static_cast<uint32_t>(children.size()));
    children.resize(children.size() + graph.Targets(block).size());
    return static_cast<uint32_t>(prediction.states.size() - 1);
  };
  const uint32_t entry = visit(0, InitialState(payload));
  for (uint32_t number = 0; number < paths.size(); ++number) {
    const Path& path = paths[number];
    uint32_t state = entry;
    for (uint32_t i = 0; i < path.blocks.size(); ++i) {
      if (i > 0) {
        const uint32_t child = first_child[state] + path.choices[i - 1];
        if (children[child] == 0) {  // 0 is the state of the entry block, which is not a child
          const uint32_t made = visit(path.blocks[i], prediction.states[state]);
          children[child] = made;
        }
        state = children[child];
      }
      prediction.visits[next[path.blocks[i]]++] = {number, i, state, path.choices[i]};
    }
    prediction.hash_of_path.push_back(prediction.states[state].carried[kHash]);
    prediction.last_block.push_back(path.blocks.back());
    prediction.longest = std::max(prediction.longest, static_cast<uint32_t>(path.blocks.size()));
  }
  return prediction;
}

}  // namespace refract::flesh
