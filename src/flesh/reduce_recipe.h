// SPDX-License-Identifier: Apache-2.0
// Makes a program smaller on what it is made of, instead of on its words: a smaller tree, simpler
// options, a shorter plan, each fleshed anew. What comes out is again a program of which is known
// what it leaves behind.
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "flesh/recipe.h"

namespace refract::flesh {

/// Whether the program still shows what somebody is after. An Error ends the reduction.
using RecipeJudge = std::function<Result<bool>(const Recipe&, const Program&)>;

struct ReducedRecipe {
  Recipe recipe;
  Program program;
  uint64_t asked = 0;    ///< times the judge was
  bool minimal = false;  ///< no step that is tried can be taken; else it was stopped
};

/// Takes, as long as one can be taken, the first of these steps after which the judge says yes:
/// simpler options; a cut of the tree (cfg/smaller.h), with the recipe's seed or another one;
/// a shorter plan (shorter.h), which is then part of the recipe and goes with the next cut. `stop`
/// is asked before the judge. The recipe itself must be interesting: that is not asked. An error is
/// the judge's, or that the recipe's program cannot be made.
Result<ReducedRecipe> ReduceRecipe(const Recipe& recipe, const RecipeJudge& judge,
                                   const std::function<bool()>& stop);

}  // namespace refract::flesh
