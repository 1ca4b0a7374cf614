// SPDX-License-Identifier: Apache-2.0
// Checks one generated program in every way that needs no driver.
#pragma once

#include <map>
#include <string>

#include "generate/program.h"

namespace refract::test {

/// Makes the program of the recipe and checks it. Returns what is wrong with it, or "":
/// - it is valid by our rules and by spirv-val, for Vulkan 1.1;
/// - in every schedule, the interpreter finds nothing undefined and computes the expected output;
/// - nothing that the generator or the divergence analysis calls uniform differs in these runs.
std::string FaultOf(const generate::ProgramRecipe& recipe, generate::GeneratedProgram* program);

/// Adds 1 for each construct that the tree has: kind of statement, type of what it assigns or
/// evaluates, and class: "assignment vec3 divergent".
void CountConstructs(const generate::Tree& tree, std::map<std::string, uint64_t>* programs);
/// All constructs that the generator can make with the default options, and with the optional
/// types, the floats and the storage images of these options.
std::vector<std::string> AllConstructs(const generate::GenerateOptions& options);

}  // namespace refract::test
