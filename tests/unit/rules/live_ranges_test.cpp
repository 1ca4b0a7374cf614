// SPDX-License-Identifier: Apache-2.0
// Fuzzer passes produce the forms of docs/live-ranges.md: they propose them with values from before
// a loop, and with loads of memory that is overwritten next.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "engine/apply_step.h"
#include "engine/original.h"
#include "ir/tools.h"
#include "measure/register_pressure.h"
#include "message/all.h"
#include "rules/legality/live_range.h"
#include "transform/registry.h"
#include "unit/shared/eager_proposer.h"

namespace refract {
namespace {

// %22 and %23 are defined before a loop (%24 to %27), %31 to %33 after it.
constexpr const char* kText = R"(
  OpCapability Shader
  OpMemoryModel Logical GLSL450
  OpEntryPoint Fragment %1 "main" %2
  OpExecutionMode %1 OriginUpperLeft
  OpDecorate %2 Location 0
  OpDecorate %2 Flat
  %3 = OpTypeVoid
  %4 = OpTypeFunction %3
  %5 = OpTypeBool
  %6 = OpTypeInt 32 1
  %8 = OpTypePointer Input %6
  %9 = OpTypePointer Function %6
  %2 = OpVariable %8 Input
  %10 = OpConstant %6 0
  %11 = OpConstant %6 1
  %12 = OpConstant %6 5
  %1 = OpFunction %3 None %4
  %20 = OpLabel
  %21 = OpVariable %9 Function %10
  %22 = OpLoad %6 %2
  %23 = OpIMul %6 %22 %12
  OpBranch %24
  %24 = OpLabel
  %25 = OpPhi %6 %10 %20 %26 %27
  OpLoopMerge %28 %27 None
  OpBranch %29
  %29 = OpLabel
  %30 = OpSLessThan %5 %25 %12
  OpBranchConditional %30 %27 %28
  %27 = OpLabel
  %26 = OpIAdd %6 %25 %11
  OpBranch %24
  %28 = OpLabel
  %31 = OpBitwiseXor %6 %25 %10
  OpStore %21 %31
  %32 = OpLoad %6 %21
  %33 = OpIAdd %6 %32 %23
  OpStore %21 %33
  OpReturn
  OpFunctionEnd
)";

class LiveRanges : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::vector<uint32_t>> words = Assemble(kText, TargetEnvironment::kVulkan11);
    ASSERT_TRUE(words) << words.error().message;
    Result<Original> original = MakeOriginal(std::move(*words), "text", nullptr, {});
    ASSERT_TRUE(original) << original.error().message;
    context_ = std::move(original->context);
  }

  static Name Of(uint64_t id) { return {0, id}; }
  const Module& module() const { return context_.module; }
  Inst At(uint64_t id) const { return module().Find(Of(id)); }
  Block BlockAt(uint64_t label) const { return module().BlockOf(At(label)); }
  // The store of %33.
  Inst LastStore() const { return module().Prev(module().Terminator(BlockAt(28))); }

  // Applies the first message for which `wanted` is true, of those that the pass for `T` proposes.
  template <class T>
  void Propose(const std::function<bool(const T&)>& wanted) {
    const int index = RegistryIndex(message::KindName(message::kKindOf<T>));
    for (uint64_t seed = 0; seed < 4000; ++seed) {
      EagerProposer proposer(View(context_), seed);
      Registry()[static_cast<size_t>(index)].rule->propose(proposer);
      for (const AnyMessage& message : proposer.offers) {
        if (!wanted(message.As<T>())) continue;
        const StepOutcome outcome = ApplyStep(context_, ++steps_, message);
        ASSERT_TRUE(outcome.check_result) << outcome.check_result.reason();
        return;
      }
    }
    FAIL() << "no fuzzer pass proposes that";
  }

  std::vector<uint64_t> Locals(const std::vector<Id>& ids) const {
    std::vector<uint64_t> locals;
    for (Id id : ids) locals.push_back(module().NameOf(id).local);
    return locals;
  }

  Context context_;
  uint32_t steps_ = 0;
};

TEST_F(LiveRanges, ValuesFromBeforeALoopAreFar) {
  ValuesAbove above = FindValuesAbove(module(), module().Terminator(BlockAt(28)), 100);
  EXPECT_EQ(Locals(above.values), (std::vector<uint64_t>{33, 32, 31, 30, 25, 23, 22}));
  EXPECT_EQ(above.far, 3u) << "after the loop";
  above = FindValuesAbove(module(), At(26), 100);
  EXPECT_EQ(Locals(above.values), (std::vector<uint64_t>{30, 25, 23, 22}));
  EXPECT_EQ(above.far, 2u) << "in its continue construct";
  above = FindValuesAbove(module(), module().Terminator(BlockAt(20)), 100);
  EXPECT_EQ(above.far, above.values.size()) << "nothing is in between";
}

TEST_F(LiveRanges, OpaqueZerosUseFarValues) {
  using Message = message::ReplaceConstantWithOpaqueValue;
  Propose<Message>([&](const Message& m) {
    return m.use.user == Of(31) && m.form == Message::Form::kAndZero && m.value == Of(23);
  });
}

TEST_F(LiveRanges, TheOtherSideOfASelectUsesAFarValue) {
  using Message = message::AddSynonym;
  Propose<Message>([&](const Message& m) {
    return m.value == Of(31) && m.identity == Message::Identity::kSelectFirst && m.other == Of(23);
  });
}

TEST_F(LiveRanges, WavesKeepFarValues) {
  using Message = message::KeepValuesAlive;
  Propose<Message>([&](const Message& m) {
    return m.use.user == Of(33) && m.kept == std::vector<Name>{Of(22), Of(25)};
  });
}

TEST_F(LiveRanges, WavesKeepValuesThatWereAddedForThem) {
  using Message = message::KeepValuesAlive;
  Propose<message::AddNumbers>([&](const message::AddNumbers& m) {
    return m.before == module().NameOf(module().Terminator(BlockAt(20))) && m.count == 100;
  });
  // When the values are added, only a few are live at the same time.
  EXPECT_LT(measure::MaxLiveScalars(module()), 50u);
  Propose<Message>([&](const Message& m) {
    return module().BlockOf(module().Find(m.use.user)) == BlockAt(28) && m.kept.size() >= 100;
  });
  EXPECT_GE(measure::MaxLiveScalars(module()), 100u);
}

TEST_F(LiveRanges, TheOverwrittenValueOfAStoreIsReadAndKept) {
  const Name store = module().NameOf(LastStore());
  Propose<message::Access>([&](const message::Access& m) {
    return m.before == store && m.pointer == Of(21) && !m.value;
  });
  const Name load = module().NameOf(module().Prev(LastStore()));
  Propose<message::KeepValuesAlive>([&](const message::KeepValuesAlive& m) {
    return m.use.user == store && m.use.id == Of(33) && m.kept == std::vector<Name>{load};
  });
}

TEST_F(LiveRanges, ValuesOfALoopAreUsedAfterIt) {
  Propose<message::AddSynonym>([&](const message::AddSynonym& m) {
    return m.before == Of(30) && m.value == Of(23) &&
           m.identity == message::AddSynonym::Identity::kCopyObject;
  });
  const Name copy = module().NameOf(module().Prev(At(30)));
  Propose<message::ReplaceIdWithSynonym>([&](const message::ReplaceIdWithSynonym& m) {
    return m.use.user == Of(33) && m.synonym == copy;
  });
  Propose<message::AddPhiSynonym>(
      [&](const message::AddPhiSynonym& m) { return m.block == Of(28) && m.value == copy; });
  const Name phi = module().NameOf(module().Next(At(28)));
  Propose<message::ReplaceIdWithSynonym>([&](const message::ReplaceIdWithSynonym& m) {
    return m.use.user == Of(33) && m.use.id == copy && m.synonym == phi;
  });
}

std::string TextOf(const std::string& file) {
  const Result<std::string> text = ReadFile(std::string(REFRACT_SOURCE_DIR "/") + file);
  EXPECT_TRUE(text) << text.error().message;
  return text ? *text : "";
}

TEST(LiveRangesPage, ListsExactlyTheCasesOfTheFixtures) {
  std::set<std::string> cases, named;
  for (const char* file : {"live_ranges", "live_ranges.compute"}) {
    for (const std::string& line : Split(TextOf(format("tests/transform/{}.spvasm", file)), '\n')) {
      if (line.starts_with("; CASE ")) cases.insert(Split(line, ' ')[2]);
    }
  }
  for (const std::string& line : Split(TextOf("docs/live-ranges.md"), '\n')) {
    if (!line.starts_with("| ") || line.starts_with("| form |")) continue;
    const std::vector<std::string> fields = Split(line, '|');
    ASSERT_GE(fields.size(), 4u) << line;
    std::string word;
    for (char c : fields[fields.size() - 3] + " ") {
      if (std::islower(static_cast<unsigned char>(c)) != 0 || c == '_') {
        word += c;
      } else {
        if (word.find('_') != std::string::npos && word != "live_ranges") named.insert(word);
        word.clear();
      }
    }
  }
  EXPECT_EQ(named, cases);
}

}  // namespace
}  // namespace refract
