// SPDX-License-Identifier: Apache-2.0
// What a step depends on beyond the names in its message: the step that set an operand, the
// original of a copy, and constants that any step can declare again.
#include <gtest/gtest.h>

#include "engine/declarations.h"
#include "engine/original.h"
#include "ir/tools.h"
#include "message/all.h"
#include "rules/build/declare.h"

namespace refract {
namespace {

constexpr const char* kText = R"(
  OpCapability Shader
  OpMemoryModel Logical GLSL450
  OpEntryPoint Fragment %1 "main"
  OpExecutionMode %1 OriginUpperLeft
  %2 = OpTypeVoid
  %3 = OpTypeFunction %2
  %4 = OpTypeInt 32 1
  %5 = OpConstant %4 5
  %1 = OpFunction %2 None %3
  %6 = OpLabel
  %7 = OpIAdd %4 %5 %5
  OpBranch %8
  %8 = OpLabel
  OpReturn
  OpFunctionEnd
)";

Context Start() {
  Result<std::vector<uint32_t>> words = Assemble(kText, TargetEnvironment::kVulkan11);
  CHECK(words);
  Result<Original> original = MakeOriginal(std::move(*words), "text", nullptr, {});
  CHECK(original);
  return std::move(original->context);
}

Name EndOf(const Context& context, uint64_t label) {
  const Module& module = context.module;
  return module.NameOf(module.Terminator(module.BlockOf(module.Find({0, label}))));
}

TEST(Needs, AnOperandDependsOnTheStepThatSetIt) {
  Context context = Start();
  const Name branch = EndOf(context, 6);
  const message::SwapConditionalBranchOperands swap{.branch = branch};
  EXPECT_STREQ(CheckStep(context, swap).reason(), "the instruction is not an OpBranchConditional");
  EXPECT_TRUE(ApplyStep(context, 3, message::AddDeadBlock{.branch = branch}).check_result);
  const StepOutcome swapped = ApplyStep(context, 4, swap);
  ASSERT_TRUE(swapped.check_result) << swapped.check_result.reason();
  EXPECT_EQ(swapped.needs, Steps{3}) << "the original has the branch, but not its second target";
}

TEST(Needs, AMovedOperandKeepsItsStep) {
  Context context = Start();
  Module& module = context.module;
  const Inst add = module.Find({0, 7});
  const Id five = module.FindId({0, 5});
  const Id seven =
      Editor(module, 2).InsertValue(add, spv::Op::OpCopyObject, module.Type(add), {2, 1}, {five});
  Editor(module, 3).SetOperand(add, 1, seven);
  Editor(module, 4).SetOperands(add, {seven, five});
  EXPECT_EQ(module.OperandAt(add, 0).step, 3u);
  EXPECT_EQ(module.OperandAt(add, 1).step, 0u);
  Editor(module, 5).SetOperands(add, {five, five});
  EXPECT_EQ(module.OperandAt(add, 0).step + module.OperandAt(add, 1).step, 5u)
      << "one of them is new";
  const message::ReplaceIdWithSynonym second{.use = {.user = {0, 7}, .id = {0, 5}, .occurrence = 1},
                                             .synonym = {2, 1}};
  context.facts.AddSynonym(Part(five), Part(seven), {2});
  const StepOutcome replaced = ApplyStep(context, 6, second);
  ASSERT_TRUE(replaced.check_result) << replaced.check_result.reason();
  EXPECT_EQ(replaced.needs, (Steps{2, 5})) << "an occurrence depends on those before it";
}

TEST(Needs, ACopyDependsOnItsOriginal) {
  Context context = Start();
  Module& module = context.module;
  const Inst end = module.Terminator(module.BlockOf(module.Find({0, 8})));
  Editor first(module, 2);
  const Id made =
      first.InsertValue(end, spv::Op::OpCopyObject, module.TypeOf(module.FindId({0, 7})), {2, 1},
                        {module.FindId({0, 7})});
  for (const uint32_t step : {3u, 5u}) {
    Editor copier(module, step);
    const Inst from = module.Find(step == 3 ? Name{2, 1} : Name{3, 1});
    const Id copy = copier.InsertValue(end, spv::Op::OpCopyObject, module.Type(from), {step, 1},
                                       {module.IdAt(from, 0)});
    copier.MarkCopy(module.Definition(copy), from);
  }
  EXPECT_NE(made, Id::kNone);
  const StepOutcome outcome = ApplyStep(context, 7, message::SplitBlock{.before = {5, 1}});
  ASSERT_TRUE(outcome.check_result) << outcome.check_result.reason();
  EXPECT_EQ(outcome.needs, (Steps{2, 3, 5}));
}

TEST(Needs, AWaveDependsOnTheFirstOfItsValues) {
  Context context = Start();
  Module& module = context.module;
  const Inst end = module.Terminator(module.BlockOf(module.Find({0, 8})));
  const Id seven = module.FindId({0, 7});
  for (const uint32_t step : {2u, 3u, 4u}) {
    Editor(module, step)
        .InsertValue(end, spv::Op::OpCopyObject, module.TypeOf(seven), {step, 1}, {seven});
  }
  Editor editor(module, 5);
  editor.InsertValue(end, spv::Op::OpCopyObject, module.TypeOf(seven), {5, 1},
                     {module.FindId({2, 1})});
  const message::KeepValuesAlive wave{.use = {.user = {5, 1}, .id = {2, 1}},
                                      .kept = {{3, 1}, {4, 1}, {2, 1}, {9, 9}}};
  const StepOutcome outcome = ApplyStep(context, 6, wave);
  ASSERT_TRUE(outcome.check_result) << outcome.check_result.reason();
  EXPECT_EQ(outcome.needs, (Steps{2, 3, 5}));
  // What was made for the second value exists only if that value does.
  const Inst masked = module.Prev(module.Prev(module.Find({5, 1})));
  const Inst link = module.Prev(module.Prev(masked));
  ASSERT_EQ(module.IdAt(link, 1), module.FindId({4, 1}));
  const StepOutcome split =
      ApplyStep(context, 7, message::SplitBlock{.before = module.NameOf(link)});
  ASSERT_TRUE(split.check_result) << split.check_result.reason();
  EXPECT_EQ(split.needs, (Steps{4, 6}));
}

TEST(Needs, NoStepDependsOnAnotherForAConstant) {
  Context context = Start();
  Context full = context;
  Editor editor(full.module, 2);
  const Id nine = Declare(editor, ScalarConstant(IntType(32, true), 9));
  const message::AddSynonym copy{.before = EndOf(full, 8), .value = full.module.NameOf(nine)};
  Declarations declarations;
  declarations.Note(full.module, copy);
  ASSERT_EQ(declarations.List().size(), 1u);

  const size_t slots = context.module.instruction_slots();
  EXPECT_STREQ(ApplyStep(context, 4, copy).check_result.reason(), "the value does not exist");
  const message::AddSynonym nowhere{.before = {9, 9}, .value = copy.value};
  EXPECT_FALSE(declarations.ApplyStep(context, 4, nowhere).check_result);
  EXPECT_EQ(context.module.instruction_slots(), slots) << "a refused step has no effect";
  const StepOutcome outcome = Declarations(declarations.List()).ApplyStep(context, 4, copy);
  ASSERT_TRUE(outcome.check_result) << outcome.check_result.reason();
  EXPECT_TRUE(outcome.needs.empty());
  EXPECT_NE(context.module.FindId(copy.value), Id::kNone);

  // An arbitrary table: what cannot be declared is not, and the check refuses the message.
  message::Declaration wild{.name = copy.value};
  wild.constant.type.kind = message::Type::Kind::kStruct;
  Context other = Start();
  EXPECT_FALSE(Declarations({wild}).ApplyStep(other, 4, copy).check_result);
}

TEST(Needs, NoStepDependsOnItself) {
  Context context = Start();
  Context full = context;
  Editor editor(full.module, 2);
  message::Constant half{.type = VectorType(FloatType(32), 3)};
  for (int i = 0; i < 3; ++i) half.parts.push_back(ScalarConstant(FloatType(32), 0x3f000000));
  const Id declared = Declare(editor, half);
  const message::AddSynonym exact{.before = EndOf(full, 8),
                                  .value = full.module.NameOf(declared),
                                  .identity = message::AddSynonym::Identity::kSubtractZero};
  Declarations declarations;
  declarations.Note(full.module, exact);
  const StepOutcome outcome = declarations.ApplyStep(context, 4, exact);
  ASSERT_TRUE(outcome.check_result) << outcome.check_result.reason();
  EXPECT_TRUE(outcome.needs.empty()) << "the parts of the constant were declared by this step";
}

}  // namespace
}  // namespace refract
