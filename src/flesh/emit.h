// SPDX-License-Identifier: Apache-2.0
// The module of a program whose parts are all decided.
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/graph.h"
#include "flesh/direction.h"
#include "flesh/functions.h"
#include "flesh/payload.h"
#include "flesh/program.h"

namespace refract::flesh {

struct Parts {
  const cfg::Graph& graph;
  const FleshOptions& options;
  const Payload& payload;
  const Directions& directions;
  uint32_t invocations = 0;  ///< or tiles
  uint32_t workgroup[3] = {1, 1, 1};
  uint32_t trace_stride = 0;                      ///< words of an invocation's row; a power of two
  bool phis = false;                              ///< carry values in phis instead of memory
  std::vector<uint8_t> back_edge = {};            ///< of each block, with fuel: as AddExits has it
  std::vector<OutlinedConstruct> functions = {};  ///< without phis
  std::vector<bool> kills = {};                   ///< of each block, whether it ends with OpKill
};

std::vector<uint32_t> Emit(const Parts& parts);

}  // namespace refract::flesh
