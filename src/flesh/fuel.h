// SPDX-License-Identifier: Apache-2.0
// Fuel: a carried counter that every back edge decrements. A loop ends when the counter is zero or
// less. No planned path exhausts it. A miscompiled program that would hang therefore ends.
#pragma once

#include <cstdint>
#include <vector>

#include "cfg/graph.h"

namespace refract::flesh {

constexpr uint32_t kFuel = 1u << 16;  ///< back edges of an invocation; more than any path has

/// Returns the graph with a conditional branch at every back edge, whose other target is the merge
/// block of the loop. For each block, `back_edge` gets the position of the loop header among its
/// targets, or 2 if it has no back edge. The result has the same blocks and keeps the rules of
/// structured control flow.
cfg::Graph AddExits(const cfg::Graph& graph, std::vector<uint8_t>* back_edge);

}  // namespace refract::flesh
