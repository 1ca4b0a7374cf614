// SPDX-License-Identifier: Apache-2.0
// References that fail without any change: what is a failure of the target, and what the cost of a
// reference is.
#include "campaign/findings/failing_original.h"

#include <gtest/gtest.h>

#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/findings/finding_processor.h"
#include "campaign/original_tests.h"
#include "campaign/reference_cost.h"
#include "campaign/references.h"
#include "ir/tools.h"

namespace refract {
namespace {

// A fragment shader; `body` is in its main function.
std::vector<uint32_t> Shader(const std::string& body) {
  const std::string text = format(R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main" %colour
OpExecutionMode %main OriginUpperLeft
OpDecorate %colour Location 0
%void = OpTypeVoid
%run = OpTypeFunction %void
%bool = OpTypeBool
%true = OpConstantTrue %bool
%float = OpTypeFloat 32
%one = OpConstant %float 1
%float4 = OpTypeVector %float 4
%white = OpConstantComposite %float4 %one %one %one %one
%target = OpTypePointer Output %float4
%colour = OpVariable %target Output
%main = OpFunction %void None %run
%begin = OpLabel
{}OpReturn
OpFunctionEnd
)",
                                  body);
  const Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kVulkan10);
  EXPECT_TRUE(words) << words.error().message;
  return words ? *words : std::vector<uint32_t>();
}

constexpr char kWhite[] = "OpStore %colour %white\n";
constexpr char kUndefined[] = "%nothing = OpUndef %float4\nOpStore %colour %nothing\n";
constexpr char kLoop[] =
    "OpBranch %head\n%head = OpLabel\nOpLoopMerge %done %next None\n"
    "OpBranchConditional %true %next %done\n%next = OpLabel\nOpBranch %head\n%done = OpLabel\n"
    "OpStore %colour %white\n";

Job JobWith(std::vector<uint32_t> words, uint32_t width) {
  Job job;
  job.spirv = std::move(words);
  job.bindings.width = width;
  job.bindings.height = 4;
  return job;
}

TEST(ReferenceCost, GrowsWithPixelsInstructionsAndLoops) {
  const uint64_t small = CostOf(JobWith(Shader(kWhite), 4));
  EXPECT_EQ(CostOf(JobWith(Shader(kWhite), 8)), 2 * small);
  Job samples = JobWith(Shader(kWhite), 4);
  samples.bindings.samples = 8;
  EXPECT_EQ(CostOf(samples), small);
  samples.bindings.per_sample = true;
  EXPECT_EQ(CostOf(samples), 8 * small);
  const std::string twice = std::string(kWhite) + kWhite;
  EXPECT_EQ(CostOf(JobWith(Shader(twice), 4)), small + 4 * 4);
  // The loop has 5 instructions after OpLoopMerge begins to count, with it; 3 are outside.
  const uint64_t with_loop = CostOf(JobWith(Shader(kLoop), 4)) / 16;
  EXPECT_EQ(with_loop, small / 16 + 3 + 8 * 4);
}

TEST(ReferenceCost, OrdersTheCheapestFirst) {
  std::vector<CampaignSource> sources(4);
  const uint64_t costs[] = {7, 3, 9, 3};
  for (size_t i = 0; i < 4; ++i) sources[i].cost = costs[i];
  EXPECT_EQ(OrderByCost(sources), (std::vector<size_t>{1, 3, 0, 2}));
}

TEST(FailingOriginal, WhatIsNoFailureOfTheTargetHasNoOutcome) {
  Target driver;
  driver.name = "driver";
  RunResult ran;
  ran.target = "driver";
  EXPECT_FALSE(OutcomeOfOriginal(driver, ran, nullptr)) << "ok";
  for (const RunOutcome verdict :
       {RunOutcome::kRejected, RunOutcome::kUnsupported, RunOutcome::kNotUsable, RunOutcome::kSlow,
        RunOutcome::kOutOfMemory, RunOutcome::kUnexpected}) {
    ran.verdict = verdict;
    EXPECT_FALSE(OutcomeOfOriginal(driver, ran, nullptr)) << RunOutcomeName(verdict);
  }
  ran.verdict = RunOutcome::kCrash;
  const std::optional<Outcome> crash = OutcomeOfOriginal(driver, ran, nullptr);
  ASSERT_TRUE(crash);
  EXPECT_EQ(crash->verdict, FailureClass::kCrash);
  EXPECT_EQ(crash->stage, "driver");
  Target interp;
  interp.name = "interp";
  interp.kind = Target::Kind::kInterpreter;
  EXPECT_FALSE(OutcomeOfOriginal(interp, ran, nullptr)) << "a failure of Refract";
}

Result<CampaignSource> SourceOf(const std::string& name, const std::string& body) {
  Inputs inputs;
  inputs.has_framebuffer = true;
  inputs.width = inputs.height = 4;
  Result<Original> original =
      MakeOriginal(Shader(body), name, std::make_shared<const Inputs>(inputs), {});
  if (!original) return original.error();
  CampaignSource source;
  source.name = source.file = name;
  source.hash = original->module_hash;
  source.original = std::make_unique<const Original>(std::move(*original));
  return source;
}

TEST(FailingOriginal, OnlyTheInterpreterDecidesWhatIsWrong) {
  const Result<CampaignSource> source = SourceOf("white.spvasm", kWhite);
  ASSERT_TRUE(source) << source.error().message;
  const Result<Interpretation> made = Interpretation::Of(*source->original, {});
  ASSERT_TRUE(made) << made.error().message;
  Target driver;
  driver.name = "driver";
  RunResult ran;
  ran.target = "driver";
  ran.outputs = made->check().report.outputs;
  EXPECT_FALSE(OutcomeOfOriginal(driver, ran, &*made));
  ran.verdict = RunOutcome::kUnexpected;
  EXPECT_FALSE(OutcomeOfOriginal(driver, ran, &*made)) << "the user expects something else";
  ran.verdict = RunOutcome::kOk;
  ran.outputs.targets[0].texels[5] = '\1';
  EXPECT_FALSE(OutcomeOfOriginal(driver, ran, nullptr)) << "not compared";
  const std::optional<Outcome> wrong = OutcomeOfOriginal(driver, ran, &*made);
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->verdict, FailureClass::kWrongImage);
  EXPECT_EQ(wrong->signature, "wrong_image driver");
  EXPECT_EQ(wrong->stage, "") << "the target as a whole";
}

class OriginalsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setup_.out = folder_->path();
    setup_.donors_hash = "none";
    setup_.confirm = 2;
    Result<Target> interp = FindTarget("interp");
    ASSERT_TRUE(interp) << interp.error().message;
    setup_.targets.push_back({std::move(*interp), "0.1.0"});
  }
  void Add(const std::string& name, const std::string& body) {
    Result<CampaignSource> source = SourceOf(name, body);
    ASSERT_TRUE(source) << source.error().message;
    setup_.sources.push_back(std::move(*source));
  }
  void Open() {
    Result<Store> store = OpenStore(&setup_, 7);
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::make_unique<Store>(std::move(*store));
    ASSERT_TRUE(store_->SetTargets({{0, "interp", "interpreter", "0.1.0"}}));
    Result<std::unique_ptr<References>> references = References::Make(setup_, *store_);
    ASSERT_TRUE(references);
    references_ = std::move(*references);
  }

  const Result<TemporaryFolder> folder_ = TemporaryFolder::Make();
  CampaignSetup setup_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<References> references_;
  Harness harness_;
};

TEST_F(OriginalsTest, AnUndefinedReferenceIsPutAside) {
  Add("undefined.spvasm", kUndefined);
  Add("white.spvasm", kWhite);
  Open();
  for (const size_t reference : {0, 0, 1}) {
    ASSERT_TRUE(references_->Check(reference, harness_));
  }
  EXPECT_TRUE(references_->IsAside(0));
  EXPECT_FALSE(references_->IsAside(1));
  EXPECT_EQ(references_->checked(), 2u);
  EXPECT_EQ(store_->Baselines()->size(), 1u) << "it runs nowhere";
  ASSERT_EQ(store_->Events()->size(), 1u);
  EXPECT_EQ(store_->Events()->front().json.rfind(
                R"({"event":"put_aside","reference":"undefined.spvasm","state":"undefined",)", 0),
            0u);
}

TEST_F(OriginalsTest, TheRulesHaveTheThresholdsOfTheCampaign) {
  // The quotient may be rounded to either of two levels.
  Add("half.spvasm",
      "%two = OpFAdd %float %one %one\n%half = OpFDiv %float %one %two\n"
      "%grey = OpCompositeConstruct %float4 %half %half %half %half\n"
      "OpStore %colour %grey\n");
  setup_.thresholds.slack = 9;
  Open();
  ASSERT_TRUE(references_->Check(0, harness_));
  const ComparisonRule plain = references_->PlainRuleOf(0), rule = references_->RuleOf(0);
  EXPECT_EQ(plain.kind, CompareRule::kStable);
  EXPECT_EQ(plain.thresholds, setup_.thresholds);
  EXPECT_EQ(rule.kind, CompareRule::kBounded);
  EXPECT_EQ(rule.rest, CompareRule::kStable);
  EXPECT_EQ(rule.thresholds, setup_.thresholds);
}

TEST_F(OriginalsTest, NoReferenceRemains) {
  Add("undefined.spvasm", kUndefined);
  Open();
  const Status checked = references_->Check(0, harness_);
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().message.rfind("no reference can be used; the first of 1: undefined", 0),
            0u)
      << checked.error().message;
  // The same when the campaign continues.
  references_ = std::move(*References::Make(setup_, *store_));
  EXPECT_FALSE(references_->Check(0, harness_));
}

TEST_F(OriginalsTest, SkippedReferencesAreStoredOnce) {
  Add("white.spvasm", kWhite);
  setup_.skipped = {{"typo.frag", "typo.frag:3: error"}};
  Open();
  ASSERT_TRUE(references_->StoreSkipped());
  ASSERT_TRUE(references_->StoreSkipped());
  EXPECT_EQ(store_->Events()->size(), 1u);
  const std::vector<CampaignReference> stored = *store_->References();
  ASSERT_EQ(stored.size(), 1u);
  EXPECT_EQ(stored[0].stability, ReferenceStability::kUnusable);
  EXPECT_EQ(stored[0].detail, "typo.frag:3: error");
}

TEST_F(OriginalsTest, AFailureIsKeptLikeATest) {
  Add("white.spvasm", kWhite);
  Open();
  ASSERT_TRUE(store_->SetReference({0, "white.spvasm", "", ReferenceStability::kExact, false, ""}));
  const auto file = [](const Outcome& outcome) {
    Filing filing;
    filing.stage = outcome.stage;
    filing.folder = "buckets/tool/crash";
    return filing;
  };
  const Outcome crash{"interp", FailureClass::kCrash, "crash tool", 0, "tool"};
  Outcome elsewhere = crash;
  elsewhere.target = "other";
  Result<Added> added = store_->AddTest(TestOfOriginal(setup_, 0, crash), file);
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_EQ(added->kept.size(), 1u);
  const KeptTest kept = added->kept[0];
  // The same bug on another target, and the same outcome again, count once.
  for (const Outcome& outcome : {elsewhere, crash}) {
    added = store_->AddTest(TestOfOriginal(setup_, 0, outcome), file);
    ASSERT_TRUE(added) << added.error().message;
    EXPECT_TRUE(added->kept.empty());
    EXPECT_TRUE(added->new_buckets.empty());
  }
  const std::vector<Bucket> buckets = *store_->Buckets();
  ASSERT_EQ(buckets.size(), 1u);
  EXPECT_EQ(buckets[0].count, 1u);
  EXPECT_EQ(store_->Test(OriginalTestOf(0))->outcomes.size(), 2u);
  EXPECT_EQ(store_->ReadTotals()->tests, 0u) << "it is no test of the schedule";
  EXPECT_TRUE(store_->Verdicts()->empty());

  FindingLoader loader(setup_, *references_);
  const Result<LoadedFinding> loaded = loader.Load(buckets[0], kept, harness_);
  ASSERT_TRUE(loaded) << loaded.error().message;
  ASSERT_NE(std::get_if<LoadedOriginal>(&*loaded), nullptr);
  FindingProcessor processor(setup_, *references_, *store_);
  ASSERT_TRUE(processor.Confirm(buckets[0], kept, harness_, 1));
  const KeptTest after = store_->Kept()->front();
  EXPECT_EQ(after.state, KeptState::kNotRepeated) << "the interpreter does not crash";
  EXPECT_EQ(after.folder.rfind("buckets/tool/crash/original-white.spvasm-", 0), 0u) << after.folder;
  const Result<TestRecord> record = ReadTestRecord(setup_.out + "/" + after.folder);
  ASSERT_TRUE(record) << record.error().message;
  EXPECT_TRUE(record->unchanged);
  EXPECT_FALSE(record->HasVariant());
}

}  // namespace
}  // namespace refract
