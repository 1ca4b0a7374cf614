// SPDX-License-Identifier: Apache-2.0
// Which parts of a program are functions of their own: constructs that are entered at their header
// and left by their merge block alone, and in which nothing ends.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"

namespace refract::flesh {

struct OutlinedConstruct {
  uint32_t header = 0, merge = 0;
  std::vector<uint32_t> blocks;  ///< of the construct, ascending; the merge block is not of them
};

/// Some of those that there are, none inside another; the entry block is in none.
std::vector<OutlinedConstruct> ChooseFunctions(const cfg::Graph& graph, Random* random);

}  // namespace refract::flesh
