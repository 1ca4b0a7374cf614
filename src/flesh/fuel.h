// SPDX-License-Identifier: Apache-2.0
// Fuel: a carried counter that goes down with every back edge, and ends every loop once it is not
// above zero any more. What a program is foretold to do never uses it up; what a bad compiler made
// of it then ends, too, where it would have hung.
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/graph.h"

namespace refract::flesh {

constexpr uint32_t kFuel = 1u << 16;  ///< back edges of an invocation; more than any walk has

/// The same blocks; every back edge is that of a conditional branch, which else goes to the merge
/// block of its loop. `back_edge` is of each block the place of its loop's header in its targets,
/// and 2 of those that have no back edge. The graph keeps the rules of structured control flow.
cfg::Graph AddExits(const cfg::Graph& graph, std::vector<uint8_t>* back_edge);

}  // namespace refract::flesh
