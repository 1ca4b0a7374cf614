// SPDX-License-Identifier: Apache-2.0
// Recipes of control-flow programs: drawn, repeated and reduced.
#include "flesh/spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/text.h"
#include "cfg/parse.h"
#include "flesh/reduce_spec.h"
#include "flesh/shorter_plans.h"
#include "ir/binary.h"

namespace refract::flesh {
namespace {

bool Never() {
  return false;
}

// Visits of all paths.
size_t Visits(const Plan& plan) {
  size_t visits = 0;
  for (const Path& path : plan.paths) visits += path.blocks.size();
  return visits;
}

bool HasLoop(const ProgramSpec& spec) {
  return std::any_of(spec.tree.nodes.begin(), spec.tree.nodes.end(),
                     [](const cfg::Node& node) { return node.kind == cfg::NodeKind::kLoop; });
}

TEST(ProgramSpec, FollowsFromTheSeed) {
  std::set<Mode> modes;
  std::set<Stage> stages;
  std::set<std::vector<uint32_t>> programs;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const Result<ProgramSpec> spec = DrawProgramSpec(seed), again = DrawProgramSpec(seed);
    ASSERT_TRUE(spec) << spec.error().message;
    EXPECT_GE(spec->tree.size(), kLeastDrawn);
    EXPECT_LE(spec->tree.size(), kMostDrawn);
    const Result<Program> program = MakeProgram(*spec);
    ASSERT_TRUE(program) << program.error().message;
    EXPECT_EQ(program->words, MakeProgram(*again)->words);
    EXPECT_TRUE(program->inputs.expected);
    modes.insert(spec->options.mode);
    stages.insert(spec->options.stage);
    programs.insert(program->words);
  }
  EXPECT_EQ(modes.size(), 3u);
  EXPECT_EQ(stages.size(), 2u);
  EXPECT_EQ(programs.size(), 60u);
}

TEST(ProgramSpec, ProgramsThatMustEndHaveFuelAndNoBarriers) {
  uint32_t without = 0, barriers = 0, subgroups = 0;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    const flesh::FleshOptions any = DrawProgramSpec(seed)->options;
    without += !any.fuel;
    barriers += any.payload.barriers;
    subgroups += any.payload.subgroups;
    const ProgramSpec spec = *DrawProgramSpec(seed, true);
    EXPECT_TRUE(spec.options.fuel);
    EXPECT_FALSE(spec.options.payload.barriers || spec.options.payload.subgroups);
    const auto yes = [](const ProgramSpec&, const Program&) -> Result<bool> { return true; };
    const Result<ReducedProgramSpec> least = ReduceProgramSpec(spec, yes, Never);
    ASSERT_TRUE(least) << least.error().message;
    EXPECT_TRUE(least->spec.options.fuel);
    if (seed >= 3 && without > 0 && barriers > 0 && subgroups > 0) break;
  }
  EXPECT_GT(without, 0u);
  EXPECT_GT(barriers, 0u);
  EXPECT_GT(subgroups, 0u);
}

// The command line gives the graph as text, which is read as the same blocks.
TEST(ProgramSpec, ItsGraphSurvivesItsText) {
  for (uint64_t seed = 0; seed < 200; ++seed) {
    const ProgramSpec spec = *DrawProgramSpec(seed);
    const cfg::Graph graph = GraphOf(spec);
    const cfg::Graph read = cfg::InModuleOrder(*cfg::ReadGraphText(cfg::GraphText(graph)));
    EXPECT_EQ(cfg::GraphText(read), cfg::GraphText(graph)) << seed;
    ProgramSpec parsed;
    parsed.tree = cfg::ParseGraph(read)->tree;
    EXPECT_EQ(cfg::GraphText(GraphOf(parsed)), cfg::GraphText(graph)) << seed;
  }
}

TEST(ProgramSpec, AShorterPlanChangesNoOtherDraw) {
  ProgramSpec spec = *DrawProgramSpec(7);
  const Program drawn = *MakeProgram(spec);
  spec.plan = drawn.plan;
  EXPECT_EQ(MakeProgram(spec)->words, drawn.words);
  EXPECT_EQ(WriteInputs(MakeProgram(spec)->inputs), WriteInputs(drawn.inputs));
}

TEST(ReduceProgramSpec, ReducesToTheFeatureThatIsWanted) {
  uint64_t reduced = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const ProgramSpec spec = *DrawProgramSpec(seed);
    // A path that repeats a block of a loop.
    const auto looked_for = [](const ProgramSpec& candidate,
                               const Program& program) -> Result<bool> {
      return HasLoop(candidate) &&
             std::any_of(program.plan.paths.begin(), program.plan.paths.end(),
                         [](const Path& path) {
                           const std::set<uint32_t> met(path.blocks.begin(), path.blocks.end());
                           return met.size() < path.blocks.size();
                         });
    };
    if (!*looked_for(spec, *MakeProgram(spec))) continue;
    const Result<ReducedProgramSpec> smallest = ReduceProgramSpec(spec, looked_for, Never);
    ASSERT_TRUE(smallest) << smallest.error().message;
    ++reduced;
    EXPECT_TRUE(smallest->minimal);
    EXPECT_TRUE(*looked_for(smallest->spec, smallest->program)) << seed;
    EXPECT_LE(smallest->spec.tree.size(), 3u) << seed;
    EXPECT_EQ(smallest->spec.options.payload.operations, 0u);
    EXPECT_EQ(smallest->program.plan.paths.size(), 1u);
    EXPECT_LE(Visits(smallest->program.plan), 4u) << seed;
    // The spec makes the same program again.
    EXPECT_EQ(MakeProgram(smallest->spec)->words, smallest->program.words);
  }
  EXPECT_GE(reduced, 3u);
}

TEST(ReduceProgramSpec, StopsAndPassesErrorsOn) {
  const ProgramSpec spec = *DrawProgramSpec(3);
  uint64_t asked = 0;
  const auto yes = [&](const ProgramSpec&, const Program&) -> Result<bool> { return ++asked > 0; };
  const Result<ReducedProgramSpec> stopped =
      ReduceProgramSpec(spec, yes, [&] { return asked == 5; });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(asked, 5u);
  EXPECT_EQ(stopped->asked, 5u);
  EXPECT_FALSE(stopped->minimal);
  const auto broken = [](const ProgramSpec&, const Program&) -> Result<bool> {
    return Error{"the target is gone", ErrorKind::kFailed};
  };
  const Result<ReducedProgramSpec> failed = ReduceProgramSpec(spec, broken, Never);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "the target is gone");
  // If every candidate is interesting, one block is left.
  const Result<ReducedProgramSpec> least = ReduceProgramSpec(spec, yes, Never);
  ASSERT_TRUE(least);
  EXPECT_EQ(least->spec.tree.size(), 1u);
  EXPECT_EQ(least->program.plan.path_of.size(), 1u);
}

}  // namespace
}  // namespace refract::flesh
