// SPDX-License-Identifier: Apache-2.0
// Writes the module of a program from its finished parts.
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/graph.h"
#include "flesh/direction.h"
#include "flesh/functions.h"
#include "flesh/payload.h"
#include "flesh/program.h"

namespace refract::flesh {

/// The finished parts of a program.
struct ProgramParts {
  const cfg::Graph& graph;
  const FleshOptions& options;
  const Payload& payload;
  const Directions& directions;
  uint32_t invocations = 0;  ///< or tiles
  uint32_t workgroup[3] = {1, 1, 1};
  uint32_t trace_stride = 0;            ///< words in the row of an invocation; a power of two
  bool phis = false;                    ///< carry values in phis instead of memory
  std::vector<uint8_t> back_edge = {};  ///< with fuel, for each block: see AddExits
  std::vector<OutlinedConstruct> functions = {};  ///< only without phis
  std::vector<bool> kills = {};                   ///< for each block, whether it ends with OpKill
};

/// Returns the words of the module.
std::vector<uint32_t> Emit(const ProgramParts& parts);

}  // namespace refract::flesh
