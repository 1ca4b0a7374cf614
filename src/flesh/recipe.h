// SPDX-License-Identifier: Apache-2.0
// What a program (program.h) is made of, so that it can be made again, and made smaller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cfg/tree.h"
#include "flesh/program.h"

namespace refract::flesh {

struct Recipe {
  cfg::Tree tree;
  FleshOptions options;
  uint64_t seed = 0;         ///< of `refract flesh --seed` with the text of the graph
  std::optional<Plan> plan;  ///< of GraphOf the recipe; nullopt: it is drawn
};

/// The tree's graph, its blocks in the order that the program has them in.
cfg::Graph GraphOf(const Recipe& recipe);

/// An error if no end of the graph can be reached, or spirv-val refuses the program (graphs for
/// which it does: docs/validator-quirks.md).
Result<Program> MakeProgram(const Recipe& recipe);

constexpr uint32_t kLeastDrawn = 4, kMostDrawn = 40;  ///< blocks

/// A recipe with this seed, all of it drawn: kLeastDrawn to kMostDrawn blocks, any mode and stage,
/// workgroups whole and partly filled, some with barriers, subgroup operations, fuel or functions;
/// if `ends`, all with fuel and none with barriers or subgroup operations, so that it ends whatever
/// a compiler makes of it. Its program can be made. The same for the same seed.
Result<Recipe> DrawRecipe(uint64_t seed, bool ends = false);

/// The `refract flesh` line that makes the program, but for "-o DIR". What it does not say are a
/// plan that is given, the kinds of carried values and the sources of directions.
std::string CommandOf(const Recipe& recipe);

/// For people: the graph as text, a line for each way, and how its program is laid out.
std::string Describe(const Recipe& recipe, const Program& program);

}  // namespace refract::flesh
