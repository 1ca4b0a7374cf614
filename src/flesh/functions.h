// SPDX-License-Identifier: Apache-2.0
// Chooses the constructs of a program that become separate functions. Such a construct is entered
// only at its header and left only through its merge block, and no block in it ends the function.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "cfg/graph.h"

namespace refract::flesh {

/// A construct that becomes a function.
struct OutlinedConstruct {
  uint32_t header = 0, merge = 0;
  std::vector<uint32_t> blocks;  ///< blocks of the construct, ascending, without the merge block
};

/// Returns random constructs of which none is inside another one and none contains the entry block.
std::vector<OutlinedConstruct> ChooseFunctions(const cfg::Graph& graph, Random* random);

}  // namespace refract::flesh
