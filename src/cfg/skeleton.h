// SPDX-License-Identifier: Apache-2.0
// Graphs as modules and back. A skeleton is the smallest module that has a graph: a compute shader
// whose conditions are `true`, whose selectors are 0 and that does nothing.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cfg/graph.h"
#include "ir/module.h"
#include "ir/tools.h"

namespace refract::cfg {

constexpr uint32_t kFirstLabel = 8;  ///< the id of block 0 in a skeleton; others follow

/// The module, its blocks in the order of their numbers; `version` as VersionWord has it. Valid if
/// the graph keeps the rules and that order is one for modules, as InModuleOrder and trees have it.
std::vector<uint32_t> MakeSkeleton(const Graph& graph, uint32_t version = VersionWord(1, 3));

/// The graph of a function that has blocks; block i is the i-th that is listed. What ends a
/// function, in whichever way, has no targets. An error if blocks are not as `block_form` wants
/// them.
Result<Graph> ReadGraph(const Module& module, Function function);

}  // namespace refract::cfg
