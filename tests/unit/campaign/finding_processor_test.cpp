// SPDX-License-Identifier: Apache-2.0
// What happens to the tests that a campaign keeps: the four parts of the FindingProcessor. The only
// target is the interpreter, which runs here and does what it must: no failure reproduces on it.
#include "campaign/findings/finding_processor.h"

#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/bucket_folder.h"
#include "campaign/retrying_runner.h"

namespace refract {
namespace {

class FindingProcessorTest : public ::testing::Test {
 protected:
  void SetUp() override {
    setup_.out = folder_->path();
    setup_.donors_hash = "none";
    setup_.shares = {50, 50};
    setup_.max_steps = 100;
    setup_.confirm = 2;
    setup_.keep = 1;
    Result<Target> interp = FindTarget("interp");
    ASSERT_TRUE(interp) << interp.error().message;
    setup_.targets.push_back({std::move(*interp), "0.1.0"});
    Result<Store> store = OpenStore(&setup_, 7);
    ASSERT_TRUE(store) << store.error().message;
    store_ = std::make_unique<Store>(std::move(*store));
    for (const char* name : {kControlFlowPrograms, kGeneratedPrograms}) {
      ASSERT_TRUE(store_->SetReference({0, name, "", ReferenceStability::kExact, false, ""}));
    }
    Result<std::unique_ptr<References>> references = References::Make(setup_, *store_);
    ASSERT_TRUE(references);
    references_ = std::move(*references);
    loader_ = std::make_unique<FindingLoader>(setup_, *references_);
    filer_ = std::make_unique<FindingFiler>(setup_, *store_);
  }

  // The first test that runs a program of that kind itself, or a variant of one.
  uint64_t FirstTest(bool varied, ProgramKind kind = ProgramKind::kControlFlow) const {
    for (uint64_t index = 0;; ++index) {
      const TestPlan plan = PlanOf(setup_, index);
      if (plan.program != kind || plan.varied != varied) continue;
      const Result<ProgramTest> test = MakeProgramTest(setup_, plan);
      if (test && test->variant.has_value() == varied) return index;
    }
  }

  // Adds a test with one failing outcome, and returns what is kept of it.
  KeptTest Add(uint64_t index, const std::string& target, FailureClass verdict,
               const std::string& signature) {
    CampaignTest test;
    test.index = index;
    test.reference = ReferenceName(setup_, PlanOf(setup_, index));
    test.steps = 9;
    test.outcomes = {{target, verdict, signature, 0}};
    const Result<Added> added = store_->AddTest(test, [&](const Outcome& outcome) {
      Filing filing;
      filing.keep = 3;
      filing.folder = "buckets/" + FolderName(outcome.signature);
      return filing;
    });
    EXPECT_TRUE(added) << added.error().message;
    EXPECT_EQ(added->kept.size(), 1u);
    return added->kept[0];
  }
  Bucket BucketOf(const KeptTest& kept) {
    const std::vector<Bucket> buckets = *store_->Buckets();
    for (const Bucket& bucket : buckets) {
      if (bucket.id == kept.bucket) return bucket;
    }
    ADD_FAILURE() << "no bucket " << kept.bucket;
    return {};
  }
  KeptTest Stored(const KeptTest& kept) {
    const std::vector<KeptTest> all = *store_->Kept();
    for (const KeptTest& one : all) {
      if (one.id == kept.id) return one;
    }
    ADD_FAILURE() << "no kept test " << kept.id;
    return {};
  }
  std::string LastEvent() { return store_->Events()->back().json; }

  const Result<TemporaryFolder> folder_ = TemporaryFolder::Make();
  CampaignSetup setup_;
  std::unique_ptr<Store> store_;
  std::unique_ptr<References> references_;
  std::unique_ptr<FindingLoader> loader_;
  std::unique_ptr<FindingFiler> filer_;
  Harness harness_;
};

constexpr ProgramKind kBothKinds[] = {ProgramKind::kControlFlow, ProgramKind::kGenerated};

TEST_F(FindingProcessorTest, LoadsAProgramThatRunsWithoutAVariant) {
  for (const ProgramKind kind : kBothKinds) {
    const KeptTest kept =
        Add(FirstTest(false, kind), "interp", FailureClass::kCrash, "crash interp");
    const Result<LoadedFinding> loaded = loader_->Load(BucketOf(kept), kept, harness_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto* program = std::get_if<LoadedProgram>(&*loaded);
    ASSERT_NE(program, nullptr);
    EXPECT_EQ(program->program->kind(), kind);
    const Result<ProgramTest> test = MakeProgramTest(setup_, PlanOf(setup_, kept.test));
    EXPECT_EQ(program->program->original().words, test->words());
    EXPECT_EQ(program->Failing("crash interp", 2).signature, "crash interp");
  }
}

TEST_F(FindingProcessorTest, LoadsAVariantIfTheProgramItselfDoesNotFail) {
  for (const ProgramKind kind : kBothKinds) {
    const KeptTest kept =
        Add(FirstTest(true, kind), "interp", FailureClass::kCrash, "crash interp");
    const Result<LoadedFinding> loaded = loader_->Load(BucketOf(kept), kept, harness_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    const auto* variant = std::get_if<LoadedVariant>(&*loaded);
    ASSERT_NE(variant, nullptr);
    const Result<ProgramTest> test = MakeProgramTest(setup_, PlanOf(setup_, kept.test));
    EXPECT_EQ(variant->candidate.words, test->words());
    EXPECT_EQ(variant->original->words, test->program->original().words);
    EXPECT_EQ(variant->interestingness->signature(), "crash interp");
    const Result<LoadedFault> fault = loader_->LoadFault(kept);
    ASSERT_TRUE(fault);
    EXPECT_EQ(fault->words, test->words());
    EXPECT_FALSE(fault->recording.empty());
  }
}

TEST_F(FindingProcessorTest, WhatCannotBeLoadedFails) {
  const KeptTest kept = Add(0, "gone", FailureClass::kCrash, "crash gone");
  FindingProcessor processor(setup_, *references_, *store_);
  ASSERT_TRUE(processor.Confirm(BucketOf(kept), kept, harness_, 1));
  EXPECT_EQ(Stored(kept).state, KeptState::kFailed);
  EXPECT_EQ(Stored(kept).detail, "the campaign has no target gone");
  EXPECT_EQ(Stored(kept).folder, "");
}

TEST(FindingConfirmer, AHangMustHangInEveryRun) {
  EXPECT_EQ(StateAfterRuns(FailureClass::kHang, 3, 3), KeptState::kConfirmed);
  EXPECT_EQ(StateAfterRuns(FailureClass::kHang, 3, 2), KeptState::kNotRepeated);
  EXPECT_EQ(StateAfterRuns(FailureClass::kCrash, 3, 1), KeptState::kConfirmed);
  EXPECT_EQ(StateAfterRuns(FailureClass::kCrash, 3, 0), KeptState::kNotRepeated);
}

TEST_F(FindingProcessorTest, WhatDoesNotFailAgainIsNotRepeated) {
  const KeptTest kept = Add(FirstTest(false), "interp", FailureClass::kCrash, "crash interp");
  FindingConfirmer confirmer(setup_, *loader_, *filer_);
  ASSERT_TRUE(confirmer.Confirm(BucketOf(kept), kept, harness_, 1));
  const KeptTest after = Stored(kept);
  EXPECT_EQ(after.state, KeptState::kNotRepeated);
  EXPECT_EQ(after.runs, 2u);
  EXPECT_EQ(after.confirmed, 0u);
  EXPECT_EQ(after.steps, 0u) << "a program has no steps";
  EXPECT_EQ(after.folder, TestFolder(BucketOf(kept).folder, kept.test));
  EXPECT_TRUE(FileExists(filer_->PathOf(after) + "/test.json"));
  EXPECT_EQ(LastEvent().rfind(R"({"event":"confirmed","at":1.0,)", 0), 0u) << LastEvent();
  EXPECT_NE(LastEvent().find(R"("state":"not_repeated","runs":2)"), std::string::npos);
}

TEST_F(FindingProcessorTest, AFaultIsConfirmedByItsCommand) {
  for (const ProgramKind kind : kBothKinds) {
    const uint64_t index = FirstTest(true, kind);
    const KeptTest kept =
        Add(index, kRefractTarget, FailureClass::kOurError, "our_error refract: x");
    FindingConfirmer confirmer(setup_, *loader_, *filer_);
    ASSERT_TRUE(confirmer.Confirm(BucketOf(kept), kept, harness_, 1));
    const KeptTest after = Stored(kept);
    EXPECT_EQ(after.state, KeptState::kConfirmed);
    EXPECT_EQ(after.detail, "our_error refract: x");
    const std::string folder = filer_->PathOf(after);
    const Result<std::string> text = ReadFile(folder + "/fault.txt");
    ASSERT_TRUE(text);
    EXPECT_EQ(text->rfind("our_error refract: x\n\nTo reproduce the fault (--self-check", 0), 0u);
    const bool generated = kind == ProgramKind::kGenerated;
    EXPECT_NE(text->find(format("  refract {}", generated ? "generate" : "flesh")),
              std::string::npos)
        << *text;
    const std::string fuzz = format(
        " -o {} && refract fuzz {} -o variant.spv --seed {}", generated ? "program.spv" : "program",
        generated ? "program.spv" : "program/program_000001.spv", PlanOf(setup_, index).seed);
    EXPECT_NE(text->find(fuzz), std::string::npos) << *text;
    EXPECT_TRUE(FileExists(folder + "/variant.spv"));
    EXPECT_TRUE(FileExists(folder + "/variant.refract"));
  }
}

TEST_F(FindingProcessorTest, AReductionThatDoesNotReproduceFails) {
  for (const bool varied : {false, true}) {
    const KeptTest kept = Add(FirstTest(varied), "interp", FailureClass::kCrash, "crash interp");
    FindingReducer reducer(setup_, *loader_, *filer_);
    const Status done = reducer.Reduce(
        BucketOf(kept), kept, harness_, [] { return false; }, 600, [] { return 2.0; });
    ASSERT_TRUE(done) << done.error().message;
    EXPECT_EQ(Stored(kept).state, KeptState::kFailed) << varied;
    EXPECT_EQ(Stored(kept).detail, "the failure did not reproduce when the reduction began");
    // Only the reduction of a variant has a journal, which must not stay.
    const Result<std::vector<std::string>> journals = ListFiles(setup_.out + "/reducing");
    EXPECT_EQ(journals.has_value(), varied);
    EXPECT_TRUE(!journals || journals->empty());
  }
}

TEST_F(FindingProcessorTest, FilesByWhoIsToBlame) {
  VersionedTarget driver;
  driver.target.name = "tool@driver";
  driver.version = "1";
  setup_.targets.push_back(driver);
  KnownIssue issue;
  issue.name = "known-1";
  issue.target = "driver";
  issue.signature = "crash driver: known";
  setup_.known.push_back(issue);

  const Filing crash =
      filer_->FilingOf({"tool@driver", FailureClass::kCrash, "crash driver: x", 0, "driver"}, "a");
  EXPECT_EQ(crash.stage, "driver");
  EXPECT_FALSE(crash.own);
  EXPECT_FALSE(crash.counted_only);
  EXPECT_EQ(crash.keep, 1u);
  EXPECT_EQ(crash.folder, BucketFolder("driver", "crash driver: x", false));
  EXPECT_EQ(crash.known, "");
  const Filing known = filer_->FilingOf(
      {"tool@driver", FailureClass::kCrash, "crash driver: known", 0, "driver"}, "a");
  EXPECT_EQ(known.known, "known-1");
  const Filing slow = filer_->FilingOf({"tool@driver", FailureClass::kSlow, "slow", 0}, "a");
  EXPECT_TRUE(slow.counted_only);
  EXPECT_FALSE(slow.own);
  EXPECT_EQ(slow.keep, 0u);
  EXPECT_EQ(slow.stage, "tool@driver");
  // Faults of Refract: its own word, undefined behaviour of a variant, or the interpreter fails.
  EXPECT_TRUE(filer_->FilingOf({kRefractTarget, FailureClass::kOurError, "our_error", 0}, "a").own);
  EXPECT_TRUE(filer_->FilingOf({"tool@driver", FailureClass::kUndefined, "u", 0}, "a").own);
  EXPECT_TRUE(filer_->FilingOf({"interp", FailureClass::kCrash, "crash interp", 0}, "a").own);
}

TEST_F(FindingProcessorTest, AnIssueOfOneReferenceDoesNotMarkTheWrongOutputsOfAll) {
  KnownIssue issue;
  issue.name = "known-a";
  issue.target = "interp";
  issue.reference = "a*";
  setup_.known.push_back(issue);
  const Outcome wrong = {"interp", FailureClass::kWrongImage, "wrong_image interp", 0};
  const Outcome crash = {"interp", FailureClass::kCrash, "crash interp", 0};
  EXPECT_EQ(filer_->FilingOf(wrong, "a.frag").known, "");
  EXPECT_EQ(filer_->FilingOf(crash, "a.frag").known, "known-a");
  EXPECT_EQ(filer_->FilingOf(crash, "b.frag").known, "");
  // All references with wrong outputs are kept until they are in buckets of their own.
  EXPECT_EQ(filer_->FilingOf(wrong, "b.frag").keep, 1u);
  EXPECT_GT(filer_->FilingOf(wrong, "b.frag", true).keep, 50u);
  EXPECT_EQ(filer_->FilingOf(crash, "b.frag", true).keep, 1u);
}

TEST_F(FindingProcessorTest, KnowsTheToolsOfATargetOfAnyName) {
  auto command = std::make_shared<CommandTarget>();
  CommandStep cross, glslang;
  cross.name = "translator";
  cross.argv = {"/opt/bin/spirv-cross"};
  glslang.name = "glslangValidator";
  glslang.argv = {"glslangValidator"};
  command->steps = {cross, glslang};
  VersionedTarget mine;
  mine.target.name = "mine";
  mine.target.kind = Target::Kind::kCommand;
  mine.target.command = command;
  mine.version = "translator: vulkan-sdk-1.3.239.0; glslangValidator: Glslang Version: 11:12.0.0";
  setup_.targets.push_back(mine);
  const auto add = [&](const char* name, const char* tool, const char* versions,
                       const char* signature) {
    KnownIssue issue;
    issue.name = name;
    issue.tool = tool;
    issue.versions = versions;
    issue.signature = signature;
    setup_.known.push_back(issue);
  };
  add("fixed", "spirv-cross", "<1.3", "");
  add("glslang", "glslangValidator", "12.0.0", "rejected *");
  add("cross", "spirv-cross", "<=1.3.239", "rejected spirv-cross: nullptr");
  const auto known = [&](const char* signature, const char* stage) {
    return filer_->FilingOf({"mine", FailureClass::kRejected, signature, 0, stage}, "a").known;
  };
  EXPECT_EQ(known("rejected translator: nullptr", "translator"), "cross");
  EXPECT_EQ(known("rejected glslangValidator: x", "glslangValidator"), "glslang");
  EXPECT_EQ(known("rejected translator: other", "translator"), "")
      << "glslangValidator did not run";
}

TEST_F(FindingProcessorTest, OnlyWrongOutputsMoveToSubBuckets) {
  KeptTest crash = Add(1, "interp", FailureClass::kCrash, "crash interp");
  const Result<std::optional<Bucket>> stays =
      filer_->MoveToSub(BucketOf(crash), "compute: a", 5, &crash);
  ASSERT_TRUE(stays && *stays);
  EXPECT_EQ((*stays)->id, crash.bucket);
  EXPECT_EQ(crash.folder, (*stays)->folder + "/test-000001");

  KeptTest wrong = Add(2, "interp", FailureClass::kWrongBuffer, "wrong_buffer interp");
  const Bucket parent = BucketOf(wrong);
  const Result<std::optional<Bucket>> moved = filer_->MoveToSub(parent, "compute: a", 5, &wrong);
  ASSERT_TRUE(moved && *moved);
  EXPECT_NE((*moved)->id, parent.id);
  EXPECT_EQ((*moved)->sub, "compute: a");
  EXPECT_EQ(wrong.folder, format("{}/{}/test-000002", parent.folder, FolderName("compute: a")));

  // One test is enough for a bucket (setup.keep).
  KeptTest other = Add(3, "interp", FailureClass::kWrongBuffer, "wrong_buffer interp");
  other.folder = TestFolder(parent.folder, other.test);
  ASSERT_TRUE(MakeFolder(filer_->PathOf(other)));
  const Result<std::optional<Bucket>> full = filer_->MoveToSub(parent, "compute: a", 6, &other);
  ASSERT_TRUE(full);
  EXPECT_FALSE(*full);
  EXPECT_FALSE(FileExists(filer_->PathOf(other)));
}

TEST_F(FindingProcessorTest, WrongOutputsOfOneCauseAreOneSubBucket) {
  const auto move = [&](uint64_t test, FailureClass verdict, const std::string& sub,
                        const std::optional<Blame>& blame) {
    KeptTest kept = Add(test, "interp", verdict, std::string(FailureClassName(verdict)));
    const Result<std::optional<Bucket>> moved =
        filer_->MoveToSub(BucketOf(kept), sub, 5, &kept, blame);
    return moved && *moved ? **moved : Bucket();
  };
  setup_.keep = 9;
  Blame tool, driver;
  tool.culprit = Culprit::kTool;
  tool.stage = "spirv-opt";
  driver.culprit = Culprit::kDriver;
  driver.stage = "lavapipe";
  const Bucket image = move(1, FailureClass::kWrongImage, "compute: a", tool);
  EXPECT_EQ(image.stage, "spirv-opt");
  EXPECT_EQ(move(2, FailureClass::kWrongBuffer, "compute: a", tool).id, image.id);
  // Another tool or driver to blame, other steps, or no clear blame.
  EXPECT_NE(move(3, FailureClass::kWrongImage, "compute: a", driver).id, image.id);
  EXPECT_NE(move(4, FailureClass::kWrongImage, "compute: b", tool).id, image.id);
  EXPECT_EQ(move(5, FailureClass::kWrongImage, "compute: a", Blame()).stage, "interp");
}

TEST_F(FindingProcessorTest, ATestOfTwoTargetsIsOnceInItsSubBucket) {
  CampaignTest test;
  test.index = 1;
  test.reference = kControlFlowPrograms;
  test.outcomes = {{"interp", FailureClass::kWrongImage, "wrong_image a", 0, "a"},
                   {"interp", FailureClass::kWrongImage, "wrong_image b", 0, "b"}};
  const Result<Added> added = store_->AddTest(test, [](const Outcome& outcome) {
    Filing filing;
    filing.stage = outcome.stage;
    filing.folder = "buckets/" + outcome.stage;
    return filing;
  });
  ASSERT_TRUE(added) << added.error().message;
  ASSERT_EQ(added->kept.size(), 2u);
  setup_.keep = 9;
  Blame blame;
  blame.culprit = Culprit::kDriver;
  blame.stage = "lavapipe";
  KeptTest one = added->kept[0], two = added->kept[1];
  const auto first = filer_->MoveToSub(BucketOf(one), "compute: a", 5, &one, blame);
  const auto second = filer_->MoveToSub(BucketOf(two), "compute: a", 5, &two, blame);
  ASSERT_TRUE(first && *first && second);
  EXPECT_FALSE(*second);
  ASSERT_EQ(store_->Kept()->size(), 1u);
  EXPECT_EQ(BucketOf(store_->Kept()->front()).count, 1u);
}

TEST_F(FindingProcessorTest, AReducedTestLeavesItsOldFolder) {
  KeptTest kept = Add(2, "interp", FailureClass::kWrongBuffer, "wrong_buffer interp");
  const Bucket bucket = BucketOf(kept);
  const std::string before = TestFolder(bucket.folder, kept.test);
  ASSERT_TRUE(MakeFolder(setup_.out + "/" + before));
  kept.folder = TestFolder("buckets/elsewhere", kept.test);
  kept.state = KeptState::kReduced;
  kept.runs = kept.confirmed = 4;
  ASSERT_TRUE(filer_->FileReduced(bucket, kept, before, "", 3));
  EXPECT_FALSE(FileExists(setup_.out + "/" + before));
  EXPECT_EQ(Stored(kept).state, KeptState::kReduced);
  EXPECT_EQ(LastEvent().rfind(R"({"event":"reduced","at":3.0,"test":2,)", 0), 0u) << LastEvent();
  EXPECT_NE(LastEvent().find(R"("state":"reduced","runs":4,"confirmed":4)"), std::string::npos);
}

TEST_F(FindingProcessorTest, AnErrorOfTheMachineIsNotOneOfTheTest) {
  const KeptTest kept = Add(1, "interp", FailureClass::kCrash, "crash interp");
  EXPECT_FALSE(filer_->FileFailed(kept, Error{"disk full", ErrorKind::kFailed}));
  EXPECT_EQ(Stored(kept).state, KeptState::kFound);
  EXPECT_TRUE(filer_->FileFailed(kept, Error{"no such module"}));
  EXPECT_EQ(Stored(kept).state, KeptState::kFailed);
  EXPECT_EQ(Stored(kept).detail, "no such module");
}

TEST_F(FindingProcessorTest, TheSubOfAVariantHasStageAndTypes) {
  const Result<ProgramTest> test = MakeProgramTest(setup_, PlanOf(setup_, 0));
  ASSERT_TRUE(test) << test.error().message;
  const std::string stage =
      test->program->original().context.inputs->compute ? "compute" : "fragment";
  EXPECT_EQ(SubOfVariant(test->program->original(), {"add_dead_break", "move_block_down"}),
            stage + ": add_dead_break, move_block_down");
  EXPECT_EQ(SubOfVariant(test->program->original(), {}), stage + ":");
  Blame blame;
  blame.pass = FailingPass{.flag = "--ccp"};
  EXPECT_EQ(SubOfVariant(test->program->original(), {"split_block"}, blame),
            stage + ": split_block (--ccp)");
}

}  // namespace
}  // namespace refract
