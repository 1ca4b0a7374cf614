// SPDX-License-Identifier: Apache-2.0
// Leaving out a step while later steps change what it was applied to.
#include "shrink/without_step.h"

#include <gtest/gtest.h>

#include <functional>

#include "ir/tools.h"
#include "message/all.h"
#include "shrink/renumber.h"
#include "shrink/shrink_recording.h"

namespace refract {
namespace {

// Four blocks in a row.
constexpr char kRow[] = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %2 "main"
OpExecutionMode %2 LocalSize 1 1 1
%3 = OpTypeVoid
%4 = OpTypeFunction %3
%5 = OpTypeInt 32 1
%6 = OpConstant %5 9
%2 = OpFunction %3 None %4
%7 = OpLabel
OpBranch %8
%8 = OpLabel
%9 = OpISub %5 %6 %6
OpBranch %10
%10 = OpLabel
%11 = OpIMul %5 %6 %9
OpBranch %12
%12 = OpLabel
OpReturn
OpFunctionEnd
)";

class WithoutStepTest : public testing::Test {
 protected:
  WithoutStepTest()
      : original_(
            MakeOriginal(Assemble(kRow, TargetEnvironment::kVulkan11).value(), "row", nullptr, {})
                .value()),
        difference_(NameOf(spv::Op::OpISub)),
        product_(NameOf(spv::Op::OpIMul)),
        label_(module().NameOf(module().Label(BlockOf(module(), product_)))),
        end_(module().NameOf(module().Terminator(BlockOf(module(), product_)))) {}

  const Module& module() const { return original_.context.module; }
  Name NameOf(spv::Op opcode) const {
    Name name;
    ForEachInFile(module(), [&](Inst inst) {
      if (module().Opcode(inst) == opcode) name = module().NameOf(inst);
    });
    return name;
  }
  static Block BlockOf(const Module& module, const Name& name) {
    return module[module.Find(name)].block;
  }

  message::Recording RecordingOf(const std::vector<AnyMessage>& steps) const {
    message::Recording recording;
    recording.module_hash = original_.module_hash;
    recording.inputs_hash = original_.inputs_hash;
    recording.target_env = std::string(refract::NameOf(original_.environment));
    uint32_t number = 0;
    for (const AnyMessage& step : steps) recording.steps.push_back({++number, step, {}});
    return recording;
  }
  // Copies the block of the product.
  AnyMessage CopiesProduct() const {
    return message::DuplicateRegionWithSelection{label_, end_, {}};
  }
  // The name of the copy of the instruction `name` that the last of the steps makes.
  Name CopyOf(const Name& name, const std::vector<AnyMessage>& steps) const {
    const ReplayedPointer replayed = ReplayWithContexts(original_, RecordingOf(steps)).value();
    const Module& made = replayed->context().module;
    Name copy;
    ForEachInFile(made, [&](Inst inst) {
      const Inst from = made[inst].copy_of;
      const bool is_new = made.NameOf(inst).step == steps.size();
      if (is_new && from != Inst::kNone && made.NameOf(from) == name) copy = made.NameOf(inst);
    });
    return copy;
  }
  // The steps that are left if a recording with these steps is interesting.
  std::vector<message::Step> Shrink(
      const std::vector<AnyMessage>& steps,
      const std::function<bool(const ReplayedRecording&)>& is_interesting) const {
    const message::Recording recording = RecordingOf(steps);
    EXPECT_EQ(ReplayWithContexts(original_, recording).value()->recording.steps.size(),
              steps.size());
    const Result<ShrunkRecording> shrunk = ShrinkRecording(
        original_, recording, [&](const ReplayedRecording& replayed, const IdleWork&) {
          return is_interesting(replayed);
        });
    EXPECT_TRUE(shrunk);
    return shrunk->recording.steps;
  }

  const Original original_;
  const Name difference_;
  const Name product_, label_, end_;  // the product, and the label and the end of its block
};

bool HasSplit(const ReplayedRecording& replayed) {
  const auto& steps = replayed.recording.steps;
  return !steps.empty() &&
         steps.back().transformation.kind == message::kKindOf<message::SplitBlock>;
}

size_t Count(const ReplayedRecording& replayed, spv::Op opcode) {
  size_t count = 0;
  const Module& module = replayed.context().module;
  ForEachInFile(module, [&](Inst inst) { count += module.Opcode(inst) == opcode; });
  return count;
}

TEST_F(WithoutStepTest, AStepOnACopyAppliesToTheOriginal) {
  const AnyMessage copies = CopiesProduct();
  const Name copy = CopyOf(product_, {copies});
  ASSERT_TRUE(copy);
  const auto steps = Shrink({copies, message::SplitBlock{copy}}, HasSplit);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].number, 2U);
  EXPECT_EQ(steps[0].transformation, AnyMessage(message::SplitBlock{product_}));
}

// The second step copies a part of the copy, and the third one changes that.
TEST_F(WithoutStepTest, NamesThatLaterStepsMadeForACopyChangeToo) {
  const Name begin = module().NameOf(module().Label(BlockOf(module(), difference_)));
  const AnyMessage first = message::DuplicateRegionWithSelection{begin, end_, {}};
  const ReplayedPointer replayed = ReplayWithContexts(original_, RecordingOf({first})).value();
  const Module& made = replayed->context().module;
  const Name product = CopyOf(product_, {first});
  const Block block = BlockOf(made, product);
  const AnyMessage second = message::DuplicateRegionWithSelection{
      made.NameOf(made.Label(block)), made.NameOf(made.Terminator(block)), {}};
  const Name copy = CopyOf(product, {first, second});
  ASSERT_TRUE(copy);
  const auto steps =
      Shrink({first, second, message::SplitBlock{copy}}, [](const ReplayedRecording& each) {
        return HasSplit(each) && Count(each, spv::Op::OpIMul) > Count(each, spv::Op::OpISub);
      });
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[0].transformation, CopiesProduct());
  EXPECT_EQ(steps[1].transformation, AnyMessage(message::SplitBlock{{2, product.local}}));
}

// The end of the region in the new function is no copy, but the message names the old end.
TEST_F(WithoutStepTest, OtherNamesBecomeThoseOfTheMessage) {
  const AnyMessage outline = message::OutlineFunction{label_, end_};
  const ReplayedPointer replayed = ReplayWithContexts(original_, RecordingOf({outline})).value();
  const Module& made = replayed->context().module;
  const Name end = made.NameOf(made.Terminator(BlockOf(made, label_)));
  ASSERT_EQ(end.step, 1U);
  const auto steps = Shrink({outline, message::WrapRegionInSelection{label_, end, {}, {}}},
                            [](const ReplayedRecording& each) {
                              const auto& left = each.recording.steps;
                              return !left.empty() && left.back().number == 2;
                            });
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].transformation.As<message::WrapRegionInSelection>().exit, end_);
}

TEST_F(WithoutStepTest, AStepThatNoneNamesIsNotForThis) {
  const AnyMessage copies = CopiesProduct();
  const message::Recording recording = RecordingOf({copies, message::SplitBlock{product_}});
  const ReplayedPointer replayed = ReplayWithContexts(original_, recording).value();
  ASSERT_EQ(replayed->recording.steps.size(), 2U);
  EXPECT_TRUE(WithoutStep(*replayed, 0).empty());
  EXPECT_TRUE(WithoutStep(*replayed, 1).empty());
}

// If the failure needs the step, it stays, and nothing else changes.
TEST_F(WithoutStepTest, ANeededStepStays) {
  const AnyMessage copies = CopiesProduct();
  const AnyMessage split = message::SplitBlock{CopyOf(product_, {copies})};
  const auto steps = Shrink({copies, split}, [](const ReplayedRecording& each) {
    return each.recording.steps.size() == 2;
  });
  ASSERT_EQ(steps.size(), 2U);
  EXPECT_EQ(steps[1].transformation, split);
}

}  // namespace
}  // namespace refract
