// SPDX-License-Identifier: Apache-2.0
// Converts graphs to modules and back. A skeleton is the smallest module with a graph: a compute
// shader that does nothing, whose conditions are `true` and whose selectors are 0.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cfg/graph.h"
#include "ir/module.h"
#include "ir/tools.h"

namespace refract::cfg {

constexpr uint32_t kFirstLabel = 8;  ///< the id of block 0 in a skeleton; the other blocks follow

/// Returns the module, with its blocks in the order of their numbers and a `version` from
/// VersionWord. It is valid if the graph keeps the rules and its order is valid in modules, as that
/// of InModuleOrder and of trees is.
std::vector<uint32_t> MakeSkeleton(const Graph& graph, uint32_t version = VersionWord(1, 3));

/// Returns the graph of a function with a body; block i is the i-th in the function. A block that
/// ends the function in any way has no targets. Fails if the blocks break the rule `block_form`.
Result<Graph> ReadGraph(const Module& module, Function function);

}  // namespace refract::cfg
