// SPDX-License-Identifier: Apache-2.0
// Recipes of control-flow programs: drawn, repeated and reduced.
#include "flesh/recipe.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cfg/parse.h"
#include "flesh/reduce_recipe.h"
#include "flesh/shorter.h"
#include "ir/binary.h"

namespace refract::flesh {
namespace {

bool Never() {
  return false;
}

// Visits of all walks.
size_t Visits(const Plan& plan) {
  size_t visits = 0;
  for (const Walk& walk : plan.walks) visits += walk.blocks.size();
  return visits;
}

bool HasLoop(const Recipe& recipe) {
  return std::any_of(recipe.tree.nodes.begin(), recipe.tree.nodes.end(),
                     [](const cfg::Node& node) { return node.kind == cfg::NodeKind::kLoop; });
}

TEST(Recipe, FollowsFromTheSeed) {
  std::set<Mode> modes;
  std::set<Stage> stages;
  std::set<std::vector<uint32_t>> programs;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Result<Recipe> recipe = DrawRecipe(seed), again = DrawRecipe(seed);
    ASSERT_TRUE(recipe) << recipe.error().message;
    EXPECT_GE(recipe->tree.size(), kLeastDrawn);
    EXPECT_LE(recipe->tree.size(), kMostDrawn);
    const Result<Program> program = MakeProgram(*recipe);
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_EQ(program->words, MakeProgram(*again)->words);
    EXPECT_TRUE(program->inputs.expected);
    modes.insert(recipe->options.mode);
    stages.insert(recipe->options.stage);
    programs.insert(program->words);
  }
  EXPECT_EQ(modes.size(), 3u);
  EXPECT_EQ(stages.size(), 2u);
  EXPECT_EQ(programs.size(), 60u);
}

TEST(Recipe, ProgramsThatMustEndHaveFuelAndNoBarriers) {
  uint32_t without = 0, barriers = 0, subgroups = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const flesh::FleshOptions any = DrawRecipe(seed)->options;
    without += !any.fuel;
    barriers += any.payload.barriers;
    subgroups += any.payload.subgroups;
    const Recipe recipe = *DrawRecipe(seed, true);
    EXPECT_TRUE(recipe.options.fuel);
    EXPECT_FALSE(recipe.options.payload.barriers || recipe.options.payload.subgroups);
    const auto yes = [](const Recipe&, const Program&) -> Result<bool> { return true; };
    const Result<ReducedRecipe> least = ReduceRecipe(recipe, yes, Never);
    ASSERT_TRUE(least) << least.error().message;
    EXPECT_TRUE(least->recipe.options.fuel);
    if (seed >= 3 && without > 0 && barriers > 0 && subgroups > 0) break;
  }
  EXPECT_GT(without, 0u);
  EXPECT_GT(barriers, 0u);
  EXPECT_GT(subgroups, 0u);
}

// The command line gives the graph as text, which is read as the same blocks.
TEST(Recipe, ItsGraphSurvivesItsText) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const Recipe recipe = *DrawRecipe(seed);
    const cfg::Graph graph = GraphOf(recipe);
    const cfg::Graph read = cfg::InModuleOrder(*cfg::ReadGraphText(cfg::GraphText(graph)));
    EXPECT_EQ(cfg::GraphText(read), cfg::GraphText(graph)) << seed;
    Recipe parsed;
    parsed.tree = cfg::ParseGraph(read)->tree;
    EXPECT_EQ(cfg::GraphText(GraphOf(parsed)), cfg::GraphText(graph)) << seed;
  }
}

TEST(Recipe, AShorterPlanChangesNoOtherDraw) {
  Recipe recipe = *DrawRecipe(7);
  const Program drawn = *MakeProgram(recipe);
  recipe.plan = drawn.plan;
  EXPECT_EQ(MakeProgram(recipe)->words, drawn.words);
  EXPECT_EQ(WriteInputs(MakeProgram(recipe)->inputs), WriteInputs(drawn.inputs));
}

TEST(ReduceRecipe, ReducesToTheFeatureThatIsWanted) {
  uint64_t reduced = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Recipe recipe = *DrawRecipe(seed);
    // A path that repeats a block of a loop.
    const auto looked_for = [](const Recipe& candidate, const Program& program) -> Result<bool> {
      return HasLoop(candidate) &&
             std::any_of(program.plan.walks.begin(), program.plan.walks.end(),
                         [](const Walk& walk) {
                           const std::set<uint32_t> met(walk.blocks.begin(), walk.blocks.end());
                           return met.size() < walk.blocks.size();
                         });
    };
    if (!*looked_for(recipe, *MakeProgram(recipe))) continue;
    const Result<ReducedRecipe> smallest = ReduceRecipe(recipe, looked_for, Never);
    ASSERT_TRUE(smallest) << smallest.error().message;
    ++reduced;
    EXPECT_TRUE(smallest->minimal);
    EXPECT_TRUE(*looked_for(smallest->recipe, smallest->program)) << seed;
    EXPECT_LE(smallest->recipe.tree.size(), 3u) << seed;
    EXPECT_EQ(smallest->recipe.options.payload.operations, 0u);
    EXPECT_EQ(smallest->program.plan.walks.size(), 1u);
    EXPECT_LE(Visits(smallest->program.plan), 4u) << seed;
    // The recipe makes the same program again.
    EXPECT_EQ(MakeProgram(smallest->recipe)->words, smallest->program.words);
  }
  EXPECT_GE(reduced, 3u);
}

TEST(ReduceRecipe, StopsAndPassesErrorsOn) {
  const Recipe recipe = *DrawRecipe(3);
  uint64_t asked = 0;
  const auto yes = [&](const Recipe&, const Program&) -> Result<bool> { return ++asked > 0; };
  const Result<ReducedRecipe> stopped = ReduceRecipe(recipe, yes, [&] { return asked == 5; });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(asked, 5u);
  EXPECT_EQ(stopped->asked, 5u);
  EXPECT_FALSE(stopped->minimal);
  const auto broken = [](const Recipe&, const Program&) -> Result<bool> {
    return Error{"the target is gone", ErrorKind::kFailed};
  };
  const Result<ReducedRecipe> failed = ReduceRecipe(recipe, broken, Never);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the target is gone");
  // If every candidate is interesting, one block is left.
  const Result<ReducedRecipe> least = ReduceRecipe(recipe, yes, Never);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->recipe.tree.size(), 1u);
  EXPECT_EQ(least->program.plan.walk_of.size(), 1u);
}

}  // namespace
}  // namespace refract::flesh
