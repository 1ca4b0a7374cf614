// SPDX-License-Identifier: Apache-2.0
// Drawings of graphs for Graphviz.
#pragma once

#include <string>
#include <string_view>

#include "cfg/graph.h"

namespace refract::cfg {

/// Returns a digraph in the DOT language with the title `name`. Branches are solid arrows. Dashed
/// arrows lead to merge blocks, and dotted ones to continue targets. The labels of a switch are
/// numbered, except the default.
std::string DotText(const Graph& graph, std::string_view name);

}  // namespace refract::cfg
