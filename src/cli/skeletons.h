// SPDX-License-Identifier: Apache-2.0
// What a user means by the skeleton of a program.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cfg/graph.h"
#include "cli/console.h"

namespace refract::inline cli {

struct Skeleton {
  std::string from;  ///< for messages: file and function, or place in a list
  cfg::Graph graph;  ///< blocks in an order that modules may have
};

/// Of a line of graph text ("0>1 1>ret") that graph; of graphs.json (`refract cfg generate`) all
/// graphs; of a module those of all functions that have blocks. At least one.
Result<std::vector<Skeleton>> LoadSkeletons(const std::string& given, Console& console);

}  // namespace refract::inline cli
