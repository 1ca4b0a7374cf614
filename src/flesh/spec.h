// SPDX-License-Identifier: Apache-2.0
// The spec of a control-flow program (program.h), from which it can be made again or made
// smaller.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/result.h"
#include "cfg/tree.h"
#include "flesh/program.h"

namespace refract::flesh {

struct ProgramSpec {
  cfg::Tree tree;
  FleshOptions options;
  uint64_t seed = 0;         ///< the value for `refract flesh --seed` with the text of the graph
  std::optional<Plan> plan;  ///< for GraphOf the spec; nullopt: the plan is drawn
};

/// Returns the graph of the tree, with its blocks in the order that they have in the program.
cfg::Graph GraphOf(const ProgramSpec& spec);

/// Makes the program. Fails if no end of the graph can be reached, or if spirv-val refuses the
/// program (docs/validator-quirks.md lists such graphs).
Result<Program> MakeProgram(const ProgramSpec& spec);

constexpr uint32_t kLeastDrawn = 4, kMostDrawn = 40;  ///< blocks

/// Draws a spec with this seed: kLeastDrawn to kMostDrawn blocks, any mode and stage, full and
/// partly filled workgroups, some with barriers, subgroup operations, fuel or functions. With
/// `ends`, all have fuel and none has barriers or subgroup operations, so that even a miscompiled
/// program ends. The program of the spec can be made. The same seed gives the same spec.
Result<ProgramSpec> DrawProgramSpec(uint64_t seed, bool ends = false);

/// Returns the `refract flesh` command that makes the program, without "-o DIR". It does not
/// include a given plan, the kinds of carried values, and the sources of directions.
std::string CommandOf(const ProgramSpec& spec);

/// Describes a program for people: the graph as text, a line for each path, and the layout of the
/// output.
std::string Describe(const ProgramSpec& spec, const Program& program);

}  // namespace refract::flesh
