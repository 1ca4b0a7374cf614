// SPDX-License-Identifier: Apache-2.0
// Makes a generated program smaller by its tree instead of its words. Each candidate is a tree of
// the same language, so it is made into a program again: it is valid, the interpreter proves that
// it is defined, and its expected output is known.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "generate/program.h"

namespace refract::generate {

/// Returns true if the program still shows the failure. An Error ends the reduction.
using RecipeTest = std::function<Result<bool>(const ProgramRecipe&, const GeneratedProgram&)>;

struct ReducedRecipe {
  ProgramRecipe recipe;
  GeneratedProgram program;
  uint64_t asked = 0;    ///< runs of the interestingness test
  bool minimal = false;  ///< true if no smaller recipe is interesting, false if stopped before
};

/// Repeats these changes as long as the recipe is still interesting: fewer invocations; fewer
/// statements (halves of blocks first, then single ones); the contents of an if, loop or switch in
/// its place; fewer cases and labels of switches, loops with one iteration, jumps without
/// conditions; simpler expressions and types; fewer variables and functions. `stop` is called
/// before each try. The recipe itself must be interesting and is not tested. Fails with the error
/// of `is_interesting`, or if the program of the recipe cannot be made.
Result<ReducedRecipe> ReduceRecipe(const ProgramRecipe& recipe, const RecipeTest& is_interesting,
                                   const std::function<bool()>& stop);

/// The kinds of statements in the tree and then its operators with operands, each once:
/// "assignment, loop: less, subtract". Reduced programs that show the same bug often have the same
/// shape.
std::string ShapeOf(const Tree& tree);

/// Whether the tree can be made into a module: every jump is in what it leaves, and every counter
/// is used only in its loop. Every drawn tree is well-formed.
bool IsWellFormed(const Tree& tree);

}  // namespace refract::generate
