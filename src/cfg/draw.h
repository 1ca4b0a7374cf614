// SPDX-License-Identifier: Apache-2.0
// Pictures of graphs, for graphviz.
#pragma once

#include <string>
#include <string_view>

#include "cfg/graph.h"

namespace refract::cfg {

/// A digraph in the language of dot: branches as arrows, dashed ones to merge blocks, dotted ones
/// to continue targets; the labels of a switch have their numbers, the default none. `name` is made
/// its title.
std::string DotText(const Graph& graph, std::string_view name);

}  // namespace refract::cfg
