// SPDX-License-Identifier: Apache-2.0
// Generated programs: whole shaders with inputs and the output that the interpreter expects.
// docs/generate.md explains one line by line.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "generate/options.h"
#include "generate/tree.h"
#include "input/inputs.h"

namespace refract::generate {

/// The recipe of a program: what a reduction makes smaller.
struct ProgramRecipe {
  GenerateOptions options;
  uint64_t seed = 0;  ///< of the inputs, and of the tree before it was made smaller
  Tree tree;
};

/// Draws a recipe. Fails if an option is out of its range. The same options and seed give the same
/// recipe.
Result<ProgramRecipe> DrawRecipe(const GenerateOptions& options, uint64_t seed);

/// Draws the options of DrawAnyRecipe.
GenerateOptions DrawAnyOptions(uint64_t seed);
/// Draws the options too, as campaigns use them: both stages, different sizes of programs and of
/// workgroups, some without functions or floats, some with subgroup operations.
ProgramRecipe DrawAnyRecipe(uint64_t seed);

struct GeneratedProgram {
  std::vector<uint32_t> words;  ///< SPIR-V 1.3, valid for Vulkan 1.1
  Inputs inputs;                ///< with the expected output, except after MakeModule
  /// Results that are uniform in a workgroup (compute) or in the draw (fragment).
  std::vector<uint32_t> uniform;
};

/// Makes the module and its inputs, without the expected output.
GeneratedProgram MakeModule(const ProgramRecipe& recipe);

/// Makes the program and runs it in the interpreter, which gives the expected output. An error is a
/// fault of Refract: the program has undefined behaviour, or its output is not exact.
Result<GeneratedProgram> MakeProgram(const ProgramRecipe& recipe);

/// Returns the `refract generate` command that makes the program of a drawn recipe, without
/// "-o OUT.spv".
std::string CommandOf(const ProgramRecipe& recipe);

}  // namespace refract::generate
