// SPDX-License-Identifier: Apache-2.0
// Pairs of an original and the variant that a recording makes of it, for smaller originals.
#include "reduce/smallest_pair.h"

#include <gtest/gtest.h>

#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "ir/tools.h"
#include "shrink/shrink_module.h"

namespace refract {
namespace {

// A reference and a recording of it.
struct Recorded {
  Original original;
  FuzzResult fuzzed;
};
Recorded Record(uint64_t seed) {
  const auto modules = References(REFRACT_SOURCE_DIR);
  EXPECT_TRUE(modules.has_value());
  Original original = std::move(Originals(modules->front())->front());
  FuzzOptions options;
  options.seed = seed;
  options.max_steps = 6;
  options.stop_by_chance = false;
  Result<FuzzResult> fuzzed = Fuzz(original, options);
  EXPECT_TRUE(fuzzed.has_value());
  return {std::move(original), std::move(*fuzzed)};
}

TEST(SmallestPair, TheWholeOriginalGivesTheVariant) {
  const Recorded recorded = Record(3);
  const auto pair = MakePair(recorded.original, recorded.fuzzed.recording,
                             {recorded.original.words, recorded.original.context.inputs, nullptr});
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->original.words, recorded.original.words);
  EXPECT_EQ(CountInstructions(pair->variant.words), CountInstructions(recorded.fuzzed.words));
}

// A smaller original is interesting as long as all steps apply to it.
class AppliesTest : public InterestingnessTest {
 public:
  explicit AppliesTest(const Recorded& recorded) : recorded_(recorded) {}
  Result<bool> IsInteresting(const Candidate& candidate) override {
    return MakePair(recorded_.original, recorded_.fuzzed.recording, candidate).has_value();
  }

 private:
  const Recorded& recorded_;
};

TEST(SmallestPair, StepsApplyToASmallerOriginalByNames) {
  const Recorded recorded = Record(3);
  AppliesTest test(recorded);
  ReduceOptions options;
  options.smallest_tries = 150;
  options.keep_ids = true;
  options.wrong_output = [] { return true; };
  const Result<ModuleReduction> reduced = ReduceModule(recorded.original, options, test);
  ASSERT_TRUE(reduced.has_value()) << reduced.error().message;
  EXPECT_LT(2 * reduced->instructions, reduced->instructions_before);
  const auto pair = MakePair(recorded.original, recorded.fuzzed.recording,
                             {reduced->words, reduced->inputs, nullptr, false, reduced->module});
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->original.words, reduced->words);
  EXPECT_GT(CountInstructions(pair->variant.words), reduced->instructions);
  EXPECT_FALSE(FindInvalid(pair->variant.words, recorded.original.environment).has_value());
}

TEST(SmallestPair, AReductionThatKnowsWhatIsLeftTakesFewerTries) {
  const Recorded recorded = Record(3);
  AppliesTest test(recorded);
  ReduceOptions options;
  options.keep_ids = true;
  options.wrong_output = [] { return true; };
  const Result<ModuleReduction> reduced = ReduceModule(recorded.original, options, test);
  ASSERT_TRUE(reduced.has_value()) << reduced.error().message;
  ASSERT_TRUE(reduced->minimal);
  const Result<Original> source =
      MakeOriginal(reduced->words, "smaller", reduced->inputs, OptionsOf(recorded.original));
  ASSERT_TRUE(source.has_value()) << source.error().message;
  const Result<ModuleReduction> again = ReduceModule(*source, options, test);
  options.left = reduced->left;
  const Result<ModuleReduction> knowing = ReduceModule(*source, options, test);
  ASSERT_TRUE(again.has_value() && knowing.has_value());
  EXPECT_EQ(again->words, reduced->words);
  EXPECT_EQ(knowing->words, reduced->words);
  EXPECT_LT(knowing->tries, again->tries);
}

TEST(SmallestPair, ThereIsNoneIfAStepDoesNotApply) {
  const Recorded recorded = Record(3);
  const auto words = Assemble(
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %main \"main\"\n"
      "OpExecutionMode %main OriginUpperLeft\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n"
      "%main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n",
      recorded.original.environment);
  ASSERT_TRUE(words.has_value());
  EXPECT_FALSE(MakePair(recorded.original, recorded.fuzzed.recording,
                        {*words, recorded.original.context.inputs, nullptr})
                   .has_value());
}

}  // namespace
}  // namespace refract
