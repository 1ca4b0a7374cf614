// SPDX-License-Identifier: Apache-2.0
#include "flesh/prediction.h"

#include <algorithm>

namespace refract::flesh {

Prediction Predict(const cfg::Graph& graph, const Payload& payload, std::span<const Walk> walks) {
  Prediction prediction;
  prediction.first_visit.resize(graph.size() + 1);
  for (const Walk& walk : walks) {
    for (const uint32_t block : walk.blocks) ++prediction.first_visit[block + 1];
  }
  for (uint32_t block = 0; block < graph.size(); ++block) {
    prediction.first_visit[block + 1] += prediction.first_visit[block];
  }
  prediction.visits.resize(prediction.first_visit.back());
  std::vector<uint32_t> next(prediction.first_visit.begin(), prediction.first_visit.end() - 1);
  for (uint32_t number = 0; number < walks.size(); ++number) {
    const Walk& walk = walks[number];
    State state = InitialState(payload);
    for (uint32_t i = 0; i < walk.blocks.size(); ++i) {
      Evaluate(payload, walk.blocks[i], &state);
      prediction.visits[next[walk.blocks[i]]++] = {number, i, walk.choices[i], state.carried};
    }
    prediction.hash_of_walk.push_back(state.carried[kHash]);
    prediction.last_block.push_back(walk.blocks.back());
    prediction.longest = std::max(prediction.longest, static_cast<uint32_t>(walk.blocks.size()));
  }
  return prediction;
}

}  // namespace refract::flesh
