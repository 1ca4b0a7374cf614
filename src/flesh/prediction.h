// SPDX-License-Identifier: Apache-2.0
// What is so at every visit of every walk, known before there is a module.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "flesh/payload.h"
#include "flesh/plan.h"

namespace refract::flesh {

struct Visit {
  uint32_t walk = 0;
  uint32_t position = 0;  ///< in the walk
  uint32_t state = 0;     ///< in Prediction::states
  uint16_t choice = 0;    ///< place of the target that is taken
};

struct Prediction {
  std::vector<State> states;           ///< behind visits; one for all that got there alike
  std::vector<Visit> visits;           ///< block by block, of a block walk by walk
  std::vector<uint32_t> first_visit;   ///< of each block, and the number of all at the end
  std::vector<uint32_t> hash_of_walk;  ///< at the end
  std::vector<uint32_t> last_block;    ///< of each walk
  uint32_t longest = 0;                ///< visits of a walk, at most

  uint32_t Carried(const Visit& visit, uint32_t value) const {
    return states[visit.state].carried[value];
  }
  std::span<const Visit> Of(uint32_t block) const {
    return std::span(visits).subspan(first_visit[block],
                                     first_visit[block + 1] - first_visit[block]);
  }
};

Prediction Predict(const cfg::Graph& graph, const Payload& payload, std::span<const Walk> walks);

}  // namespace refract::flesh
