// SPDX-License-Identifier: Apache-2.0
// Makes a control-flow program smaller by its recipe instead of its words: a smaller tree, simpler
// options or a shorter plan, each made into a program again. So the expected output of each
// candidate is known.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "flesh/recipe.h"

namespace refract::flesh {

/// Returns true if the program still shows the failure. An Error ends the reduction.
using RecipeJudge = std::function<Result<bool>(const Recipe&, const Program&)>;

struct ReducedRecipe {
  Recipe recipe;
  Program program;
  uint64_t asked = 0;    ///< runs of the interestingness test
  bool minimal = false;  ///< true if no smaller recipe is interesting, false if stopped before
};

/// Repeats the first of these changes after which the recipe is still interesting, until there is
/// none: simpler options; a cut of the tree (cfg/smaller.h) with the seed of the recipe or another
/// one; a shorter plan (shorter.h), which becomes part of the recipe until the next cut. `stop` is
/// called before each try. The recipe itself must be interesting and is not tested. Fails with the
/// error of `judge`, or if the program of the recipe cannot be made.
Result<ReducedRecipe> ReduceRecipe(const Recipe& recipe, const RecipeJudge& judge,
                                   const std::function<bool()>& stop);

}  // namespace refract::flesh
