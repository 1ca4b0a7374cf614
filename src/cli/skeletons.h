// SPDX-License-Identifier: Apache-2.0
// Loads the control-flow graphs that a SKELETON on the command line names.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cfg/graph.h"
#include "cli/console.h"

namespace refract {
inline namespace cli {

struct Skeleton {
  std::string from;  ///< for messages: file and function, or the place in a list
  cfg::Graph graph;  ///< its blocks are in an order that a module may have
};

/// For a line of graph text ("0>1 1>ret"), that graph. For graphs.json (`refract cfg generate`),
/// all its graphs. For a module, the graphs of all functions that have blocks. Fails if there is
/// none.
Result<std::vector<Skeleton>> LoadSkeletons(const std::string& given, Console& console);

}  // namespace cli
}  // namespace refract
