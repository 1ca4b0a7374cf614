// SPDX-License-Identifier: Apache-2.0
// Predicts all values at every visit of every path, before there is a module.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flesh/payload.h"
#include "flesh/plan.h"

namespace refract::flesh {

/// One visit of a block by a path.
struct Visit {
  uint32_t path = 0;
  uint32_t position = 0;  ///< in the path
  uint32_t state = 0;     ///< in Prediction::states
  uint16_t choice = 0;    ///< position of the target that is taken
};

/// All visits of all paths, with the values at each.
struct Prediction {
  /// After visits; visits with the same choices before them share a state.
  std::vector<State> states;
  std::vector<Visit> visits;  ///< by block, and for each block by path
  /// For each block; the last element is the number of all visits.
  std::vector<uint32_t> first_visit;
  std::vector<uint32_t> hash_of_path;  ///< at the end of the path
  std::vector<uint32_t> last_block;    ///< of each path
  uint32_t longest = 0;                ///< the most visits of a path

  uint32_t Carried(const Visit& visit, uint32_t value) const {
    return states[visit.state].carried[value];
  }
  std::span<const Visit> Of(uint32_t block) const {
    return std::span(visits).subspan(first_visit[block],
                                     first_visit[block + 1] - first_visit[block]);
  }
};

/// Evaluates the payload along the paths.
Prediction Predict(const cfg::Graph& graph, const Payload& payload, std::span<const Path> paths);

}  // namespace refract::flesh
