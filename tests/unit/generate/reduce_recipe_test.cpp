// SPDX-License-Identifier: Apache-2.0
// Reductions of generated programs: they stay programs with known output, and become small.
#include "generate/reduce_recipe.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "generate/check_program.h"
#include "generate/reduce_tree.h"

namespace refract::generate {
namespace {

bool Never() {
  return false;
}

uint32_t Count(const Block& block, StatementKind kind) {
  uint32_t count = 0;
  for (const Statement& statement : block) {
    count += statement.kind == kind ? 1 : 0;
    for (const Block& inner : statement.blocks) count += Count(inner, kind);
  }
  return count;
}

bool HasOp(const GeneratedProgram& program, spv::Op op) {
  for (size_t i = 5; i < program.words.size(); i += program.words[i] >> 16) {
    if ((program.words[i] & 0xffff) == static_cast<uint32_t>(op)) return true;
  }
  return false;
}

ProgramRecipe Draw(uint64_t seed) {
  GenerateOptions options;
  options.least = 40;
  options.statements = 80;
  return *DrawRecipe(options, seed);
}

TEST(ReduceRecipe, KeepsOnlyWhatIsNeeded) {
  const struct {
    StatementKind kind;
    uint32_t statements;  // in the smallest program
  } rows[] = {{StatementKind::kAssign, 1},   {StatementKind::kSwitch, 1},
              {StatementKind::kLoop, 1},     {StatementKind::kBreak, 2},
              {StatementKind::kContinue, 2}, {StatementKind::kGroup, 1},
              {StatementKind::kCall, 1}};
  for (const auto& row : rows) {
    uint64_t seed = 0;
    const auto has = [&](const Tree& tree) { return Count(tree.main().body, row.kind) > 0; };
    while (!has(Draw(seed).tree)) ++seed;
    const RecipeTest test = [&](const ProgramRecipe& recipe,
                                const GeneratedProgram&) -> Result<bool> {
      EXPECT_TRUE(IsWellFormed(recipe.tree));
      return has(recipe.tree);
    };
    const Result<ReducedRecipe> reduced = ReduceRecipe(Draw(seed), test, Never);
    ASSERT_TRUE(reduced) << reduced.error().message;
    EXPECT_TRUE(reduced->minimal);
    EXPECT_EQ(CountStatements(reduced->recipe.tree), row.statements) << NameOf(row.kind);
    EXPECT_EQ(reduced->recipe.options.workgroup, 1u);
    EXPECT_LE(reduced->recipe.tree.main().variables.size(), 2u);
    EXPECT_LT(reduced->program.words.size(), 800u);
    if (row.kind == StatementKind::kCall) continue;  // the function decides the type
    for (const uint32_t id : reduced->recipe.tree.main().variables) {
      const Variable& variable = reduced->recipe.tree.variables[id];
      EXPECT_EQ(variable.shape, Shape::kPlain) << NameOf(row.kind);
      EXPECT_EQ(variable.type, (Type{Scalar::kUint, 1})) << NameOf(row.kind);
    }
  }
}

// A number is assigned in the third of five cases, where the fourth may fall through.
TEST(ReduceRecipe, RemovesCasesAndLabels) {
  constexpr Type kUint = {Scalar::kUint, 1}, kVector = {Scalar::kFloat, 3};
  ProgramRecipe recipe;
  Tree& tree = recipe.tree;
  tree.constants = {0x12345677, 1};
  tree.expressions = {{Operator::kInvocation, kUint},
                      {Operator::kConstant, kUint, 0},
                      {Operator::kConstant, kUint, 1}};
  tree.variables.resize(2);
  tree.variables[0].initial = 2;
  // A structure with a member that is read.
  tree.variables[1].shape = Shape::kStruct;
  tree.variables[1].members = {kVector, kUint};
  tree.expressions.push_back({Operator::kConvert, {Scalar::kFloat, 1}, 0});
  tree.expressions.push_back({Operator::kSplat, kVector, 3});
  tree.variables[1].type = kVector;
  tree.variables[1].initial = 4;
  tree.expressions.push_back({Operator::kVariable, kUint, 1, kNone, 1});
  Statement inner;
  inner.kind = StatementKind::kSwitch;
  inner.divergent = true;
  inner.value = 5;
  inner.start = 12;
  inner.number = 4;
  inner.arguments = {2, 1, 3, 1, 0};
  inner.falls_through = {true, true, false, true, false};
  for (uint32_t i = 0; i < 5; ++i) {
    Statement assignment;
    assignment.divergent = true;
    assignment.target.variable = 0;
    assignment.value = i == 2 ? 1 : 2;
    inner.blocks.push_back({assignment});
  }
  tree.functions.emplace_back();
  tree.functions[0].variables = {0, 1};
  tree.functions[0].body = {inner};
  const RecipeTest test = [](const ProgramRecipe& candidate,
                             const GeneratedProgram& program) -> Result<bool> {
    GeneratedProgram again;
    EXPECT_EQ(test::FaultOf(candidate, &again), "");
    // The variable is read at the place of the selector.
    return HasOp(program, spv::Op::OpSwitch) && HasOp(program, spv::Op::OpUMod) &&
           UsedVariables(candidate.tree)[1] &&
           std::count(program.words.begin(), program.words.end(), 0x12345677u) > 0;
  };
  const Result<ReducedRecipe> reduced = ReduceRecipe(recipe, test, Never);
  ASSERT_TRUE(reduced) << reduced.error().message;
  const Tree& smallest = reduced->recipe.tree;
  ASSERT_EQ(smallest.main().body.size(), 1u);
  const Statement& left = smallest.main().body[0];
  ASSERT_EQ(left.kind, StatementKind::kSwitch);
  EXPECT_EQ(left.blocks.size(), 2u);
  EXPECT_EQ(left.start, 0u);
  EXPECT_EQ(left.arguments, (std::vector<uint32_t>{1, 0}));
  EXPECT_EQ(left.falls_through, (std::vector<bool>{false, false}));
  EXPECT_EQ(CountStatements(smallest), 2u);
  EXPECT_EQ(smallest.variables[1].shape, Shape::kPlain);
  EXPECT_EQ(smallest.variables[1].type, kUint);
}

// What the optimiser needs for a bug is usually an instruction in a place.
TEST(ReduceRecipe, SmallestProgramIsWithoutFault) {
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const ProgramRecipe recipe = Draw(seed);
    const RecipeTest test = [](const ProgramRecipe&,
                               const GeneratedProgram& program) -> Result<bool> {
      return HasOp(program, spv::Op::OpSelect) && HasOp(program, spv::Op::OpSelectionMerge);
    };
    if (!*test(recipe, MakeModule(recipe))) continue;
    Result<ReducedRecipe> reduced = ReduceRecipe(recipe, test, Never);
    ASSERT_TRUE(reduced) << reduced.error().message;
    EXPECT_LE(CountStatements(reduced->recipe.tree), 3u);
    // A reduction may remove what made a statement divergent or uniform, so claims end.
    GeneratedProgram program;
    for (Function& function : reduced->recipe.tree.functions) {
      for (Statement& statement : function.body) statement.divergent = true;
    }
    EXPECT_EQ(test::FaultOf(reduced->recipe, &program), "");
  }
}

TEST(ReduceRecipe, StopsAndFailsAsAsked) {
  const ProgramRecipe recipe = Draw(1);
  uint32_t asked = 0;
  const RecipeTest all = [&](const ProgramRecipe&, const GeneratedProgram&) -> Result<bool> {
    ++asked;
    return true;
  };
  const Result<ReducedRecipe> stopped = ReduceRecipe(recipe, all, [&] { return asked == 3; });
  ASSERT_TRUE(stopped);
  EXPECT_FALSE(stopped->minimal);
  EXPECT_EQ(stopped->asked, 3u);
  const RecipeTest fails = [](const ProgramRecipe&, const GeneratedProgram&) -> Result<bool> {
    return Error{"no device"};
  };
  const Result<ReducedRecipe> failed = ReduceRecipe(recipe, fails, Never);
  ASSERT_FALSE(failed);
  EXPECT_EQ(failed.error().message, "no device");
}

TEST(ReduceRecipe, KnowsWhatIsWellFormed) {
  Tree tree;
  tree.functions.emplace_back();
  Statement jump;
  jump.kind = StatementKind::kContinue;
  tree.functions[0].body = {jump};
  EXPECT_FALSE(IsWellFormed(tree));
  Statement loop;
  loop.kind = StatementKind::kLoop;
  loop.number = 1;
  loop.blocks = {{jump}};
  tree.functions[0].body = {loop};
  EXPECT_TRUE(IsWellFormed(tree));
  loop.blocks[0][0].kind = StatementKind::kBreakSwitch;
  tree.functions[0].body = {loop};
  EXPECT_FALSE(IsWellFormed(tree));
  // No jumps at the end of a round.
  loop.blocks = {{}, {jump}};
  tree.functions[0].body = {loop};
  EXPECT_FALSE(IsWellFormed(tree));
  // The counter of another loop.
  tree.expressions.push_back({Operator::kCounter, {Scalar::kUint, 1}, 7});
  loop.blocks = {{}};
  loop.value = 0;
  tree.functions[0].body = {loop};
  EXPECT_FALSE(IsWellFormed(tree));
}

}  // namespace
}  // namespace refract::generate
