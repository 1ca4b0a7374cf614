// SPDX-License-Identifier: Apache-2.0
// Parts of a campaign that need no target: its schedule, known issues, names, events.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "campaign/bucket_folder.h"
#include "campaign/housekeeping.h"
#include "campaign/known_issues.h"
#include "campaign/original_tests.h"
#include "campaign/references.h"
#include "campaign/schedule.h"
#include "campaign/version_range.h"

namespace refract {
namespace {

TEST(CampaignSchedule, FollowsFromSeedAndIndexAlone) {
  // Fixed for ever: what is known of a test is known by its number.
  const std::tuple<uint64_t, size_t, uint64_t> known[] = {
      {0, 56, 182863418}, {59, 53, 4291831021}, {1000, 23, 2475383101}};
  for (const auto& [index, reference, seed] : known) {
    EXPECT_EQ(PlanTest(1, index, 60).reference, reference) << index;
    EXPECT_EQ(PlanTest(1, index, 60).seed, seed) << index;
  }
  const TestPlan plan = PlanTest(1, 1000, 60);
  EXPECT_NE(plan.seed, PlanTest(2, 1000, 60).seed);
  EXPECT_NE(plan.seed, PlanTest(1, 1001, 60).seed);
  EXPECT_LT(plan.seed, uint64_t{1} << 32);
}

TEST(CampaignSchedule, EveryRoundMeetsEveryReference) {
  std::set<std::vector<size_t>> orders;
  for (uint64_t round = 0; round < 5; ++round) {
    std::vector<size_t> order;
    std::set<size_t> met;
    for (uint64_t i = 0; i < 7; ++i) {
      order.push_back(PlanTest(3, 7 * round + i, 7).reference);
      met.insert(order.back());
    }
    EXPECT_EQ(met.size(), 7u);
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 1u) << "in other orders";
}

TEST(CampaignSchedule, TheFirstRoundMayHaveAnOrderOfItsOwn) {
  const std::vector<size_t> order = {2, 0, 3, 1};
  for (uint64_t i = 0; i < 12; ++i) {
    const TestPlan with = PlanTest(3, i, 4, {}, order), without = PlanTest(3, i, 4);
    EXPECT_EQ(with.reference, i < 4 ? order[i] : without.reference) << i;
    EXPECT_EQ(with.seed, without.seed);
  }
}

TEST(CampaignSchedule, OriginalsHaveTestsOfTheirOwn) {
  CampaignSetup setup;
  setup.sources.resize(3);
  setup.sources[2].name = "c.frag";
  const TestPlan plan = PlanOf(setup, OriginalTestOf(2));
  EXPECT_TRUE(plan.original);
  EXPECT_FALSE(plan.varied);
  EXPECT_EQ(ReferenceName(setup, plan), "c.frag");
  EXPECT_FALSE(PlanOf(setup, 2).original);
}

TEST(CampaignSchedule, SomeTestsRunPrograms) {
  std::map<ProgramKind, uint64_t> programs, varied;
  for (uint64_t i = 0; i < 1000; ++i) {
    const TestPlan with = PlanTest(3, i, 7, {20, 25}), without = PlanTest(3, i, 7);
    EXPECT_FALSE(without.program);
    EXPECT_TRUE(without.varied);
    EXPECT_EQ(with.seed, without.seed);
    if (!with.program) {
      EXPECT_EQ(with.reference, without.reference) << "other tests are what they are without";
      EXPECT_TRUE(with.varied);
      continue;
    }
    ++programs[*with.program];
    varied[*with.program] += with.varied;
    // A share of generated programs takes none from control-flow programs.
    const bool fleshed = PlanTest(3, i, 7, {20, 0}).program == ProgramKind::kControlFlow;
    EXPECT_EQ(*with.program == ProgramKind::kControlFlow, fleshed);
  }
  EXPECT_GT(programs[ProgramKind::kControlFlow], 150u);
  EXPECT_LT(programs[ProgramKind::kControlFlow], 250u);
  EXPECT_GT(programs[ProgramKind::kGenerated], 200u);
  EXPECT_LT(programs[ProgramKind::kGenerated], 300u);
  for (const auto& [kind, count] : programs) {
    EXPECT_GT(3 * varied[kind], count);
    EXPECT_LT(3 * varied[kind], 2 * count);
  }
}

TEST(CampaignSchedule, WithoutReferencesAllTestsRunPrograms) {
  uint64_t generated = 0;
  for (uint64_t i = 0; i < 200; ++i) {
    EXPECT_EQ(PlanTest(3, i, 0, {1, 0}).program, ProgramKind::kControlFlow);
    EXPECT_EQ(PlanTest(3, i, 0, {0, 100}).program, ProgramKind::kGenerated);
    generated += PlanTest(3, i, 0, {50, 50}).program == ProgramKind::kGenerated;
  }
  EXPECT_GT(generated, 70u);
  EXPECT_LT(generated, 130u);
}

TEST(CampaignSchedule, ShardsShareTheTests) {
  for (uint64_t i = 0; i < 20; ++i) {
    int with = 0;
    for (const char* text : {"1/3", "2/3", "3/3"}) with += ParseShard(text)->Has(i);
    EXPECT_EQ(with, 1) << i;
  }
  for (const char* text : {"", "0/3", "4/3", "1", "1/0", "a/b", "1/2/3"}) {
    EXPECT_FALSE(ParseShard(text)) << text;
  }
}

TEST(CampaignSchedule, Durations) {
  EXPECT_EQ(ParseDuration("90"), 90);
  EXPECT_EQ(ParseDuration("90s"), 90);
  EXPECT_EQ(ParseDuration("8m"), 480);
  EXPECT_EQ(ParseDuration("1.5h"), 5400);
  for (const char* text : {"", "m", "1.25h", "1d", "-1", "1 m", ".5m"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
}

TEST(CampaignNames, FoldersSayWhatAndDiffer) {
  const std::string a = FolderName("crash spirv-opt: SIGSEGV a::b(int)");
  EXPECT_EQ(a.rfind("crash-spirv-opt-SIGSEGV-a-b-int-", 0), 0u) << a;
  EXPECT_NE(a, FolderName("crash spirv-opt: SIGSEGV a::b[int]"));
  for (const std::string& text : {std::string(), std::string("../.."), std::string(300, 'x'),
                                  std::string("/"), std::string("\n\xff")}) {
    const std::string name = FolderName(text);
    EXPECT_EQ(name.find('/'), std::string::npos);
    EXPECT_LE(name.size(), 70u);
    EXPECT_NE(name[0], '.');
  }
  EXPECT_EQ(BucketFolder("lavapipe", "x", false).rfind("buckets/lavapipe/", 0), 0u);
  EXPECT_EQ(BucketFolder("refract", "x", true).rfind("own_errors/", 0), 0u);
}

TEST(CampaignOutputs, HashOfAllThatIsLeft) {
  EXPECT_EQ(OutputsHash({}), "");
  Outputs outputs;
  outputs.targets.push_back({0, spv::ImageFormat::Rgba8, 1, 1, "abcd"});
  BoundBuffer buffer;
  buffer.storage = true;
  buffer.bytes = "1234";
  outputs.buffers.push_back(buffer);
  std::set<std::string> hashes = {OutputsHash(outputs)};
  outputs.buffers[0].bytes = "1235";
  hashes.insert(OutputsHash(outputs));
  outputs.buffers[0].binding = 1;
  hashes.insert(OutputsHash(outputs));
  outputs.targets[0].texels = "abce";
  hashes.insert(OutputsHash(outputs));
  EXPECT_EQ(hashes.size(), 4u);
}

TEST(KnownIssues, Globs) {
  EXPECT_TRUE(MatchesGlob("*lavapipe", "spirv-opt-O@lavapipe"));
  EXPECT_TRUE(MatchesGlob("a*b*c", "aXbXbc"));
  EXPECT_TRUE(MatchesGlob("*", ""));
  EXPECT_TRUE(MatchesGlob("a[b]", "a[b]"));
  EXPECT_FALSE(MatchesGlob("", "a"));
  EXPECT_FALSE(MatchesGlob("a*b", "abc"));
  EXPECT_FALSE(MatchesGlob("a?c", "abc"));
}

KnownIssueFacts Facts() {
  KnownIssueFacts facts;
  facts.target = "lavapipe";
  facts.version = "llvmpipe, Mesa 22.3.6, Vulkan 1.3";
  facts.verdict = "wrong_image";
  facts.signature = "wrong_image lavapipe";
  facts.reference = "heap_script.frag";
  return facts;
}

TEST(KnownIssues, AllConditionsMustHold) {
  const Result<std::vector<KnownIssue>> issues = ParseKnownIssues("k.json", R"({"issues": [
    {"name": "a", "why": "w", "target": "swiftshader", "verdict": "wrong_image"},
    {"name": "b", "why": "w", "target": "*lavapipe", "version": "*Mesa 22.*",
     "types": ["move_instruction_down"], "opcodes": ["+OpISub"]},
    {"name": "c", "why": "w", "signature": "wrong_*", "reference": "heap_*"}]})");
  ASSERT_TRUE(issues) << issues.error().message;
  KnownIssueFacts facts = Facts();
  ASSERT_NE(FindKnownIssue(*issues, facts), nullptr);
  EXPECT_EQ(FindKnownIssue(*issues, facts)->name, "c") << "not reduced yet";
  facts.reduced = true;
  facts.types = {"move_instruction_down", "split_block"};
  facts.opcodes = {"+OpISub", "-OpISub"};
  EXPECT_EQ(FindKnownIssue(*issues, facts)->name, "b");
  facts.version = "llvmpipe, Mesa 24.0";
  facts.reference = "other.frag";
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr);
}

TEST(KnownIssues, OfReducedProgramsTheGraphCounts) {
  const Result<std::vector<KnownIssue>> issues = ParseKnownIssues("k.json", R"({"issues": [
    {"name": "a", "why": "w", "graph": "0>1 1L[m2c1]>* 2>ret"}]})");
  ASSERT_TRUE(issues) << issues.error().message;
  KnownIssueFacts facts = Facts();
  facts.graph = "0>1 1L[m2c1]>1,2 2>ret";
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr) << "not reduced yet";
  facts.reduced = true;
  EXPECT_NE(FindKnownIssue(*issues, facts), nullptr);
  facts.graph = "0>1 1L[m3c2]>2 2>3,1 3>ret";
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr);
  facts.graph.clear();  // a variant
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr);
}

TEST(KnownIssues, OfReducedTestsTheBlameCounts) {
  const Result<std::vector<KnownIssue>> issues = ParseKnownIssues("k.json", R"({"issues": [
    {"name": "a", "why": "w", "blame": "tool opt*: --unroll (alone, too)*"}]})");
  ASSERT_TRUE(issues) << issues.error().message;
  KnownIssueFacts facts = Facts();
  facts.blame = "tool opt, pass 3 of 7: --unroll (alone, too): the interpreter disagrees";
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr) << "not reduced yet";
  facts.reduced = true;
  EXPECT_NE(FindKnownIssue(*issues, facts), nullptr);
  facts.blame = "tool opt, pass 3 of 7: --unroll: the interpreter disagrees";
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr);
  facts.blame.clear();
  EXPECT_EQ(FindKnownIssue(*issues, facts), nullptr);
}

TEST(KnownIssues, AToolIsKnownByItsProgramAndVersion) {
  const Result<std::vector<KnownIssue>> issues = ParseKnownIssues("k.json", R"({"issues": [
    {"name": "a", "why": "w", "tool": "spirv-opt", "versions": ">=2022.4 <2023.2",
     "signature": "crash spirv-opt: *"},
    {"name": "b", "why": "w", "tool": "spirv-cross", "verdict": "wrong_*"}]})");
  ASSERT_TRUE(issues) << issues.error().message;
  const auto find = [&](const KnownIssueFacts& facts) {
    const KnownIssue* issue = FindKnownIssue(*issues, facts);
    return issue == nullptr ? std::string() : issue->name;
  };
  KnownIssueFacts facts;
  facts.target = "mine";
  facts.signature = "crash optimiser: assertion 'x'";
  facts.tools = {{"spirv-opt", "2023.1"}};
  EXPECT_EQ(find(facts), "");
  facts.tool_signature = "crash spirv-opt: assertion 'x'";
  EXPECT_EQ(find(facts), "a");
  facts.tools = {{"spirv-opt", "2023.2"}};
  EXPECT_EQ(find(facts), "") << "it is fixed there";
  facts.tools = {{"spirv-opt", ""}};
  EXPECT_EQ(find(facts), "") << "the version is not known";
  facts.tools = {{"spirv-cross", ""}, {"glslangValidator", "12.0.0"}};
  EXPECT_EQ(find(facts), "");
  facts.verdict = "wrong_image";
  EXPECT_EQ(find(facts), "b") << "without a condition on the version";
}

TEST(KnownIssues, VersionsInRanges) {
  EXPECT_EQ(VersionNumberIn("SPIRV-Tools v2023.1 unknown hash, 2023-02-15T14:03:51"), "2023.1");
  EXPECT_EQ(VersionNumberIn("Glslang Version: 11:12.0.0"), "12.0.0");
  EXPECT_EQ(VersionNumberIn("version 4."), "");
  EXPECT_EQ(VersionNumberIn("(Debian package)"), "");
  EXPECT_TRUE(IsInVersionRange("2023.1", "<2023.10"));
  EXPECT_TRUE(IsInVersionRange("2023.1", "2023.1.0"));
  EXPECT_TRUE(IsInVersionRange("2023.1", ">=2022.4  <=2023.1"));
  EXPECT_FALSE(IsInVersionRange("2023.1", ">2023.1"));
  EXPECT_FALSE(IsInVersionRange("2023.1", "<2023.2 =2022.4"));
  EXPECT_FALSE(IsInVersionRange("", "<2023.2"));
  for (const char* range : {"", "  ", "<", "new", "<2023.", "2023.1-2023.4", "==2"}) {
    EXPECT_FALSE(IsVersionRange(range)) << range;
  }
}

TEST(KnownIssues, WhatIsWrongIsNamedWithItsLine) {
  const std::pair<const char*, const char*> cases[] = {
      {"[]", "k.json:1:"},
      {"{\"issues\": 1}", "/issues"},
      {"{\"issues\": [{\"name\": \"a\", \"target\": \"x\"}]}", "why"},
      {"{\"issues\": [{\"name\": \"a\", \"why\": \"w\"}]}", "match every failure"},
      {"{\"issues\": [{\"name\": \"a\", \"why\": \"w\", \"verdict\": \"boom\"}]}",
       "unknown verdict"},
      {R"({"issues": [{"name": "a", "why": "w", "target": "x", "versions": "<2"}]})", "'tool'"},
      {R"({"issues": [{"name": "a", "why": "w", "tool": "x", "versions": "new"}]})",
       "no range of versions"},
      {"{\"issues\": [{\"name\": \"a\", \"why\": \"w\", \"types\": [\"nix\"]}]}",
       "unknown transformation"},
      {"{\"issues\": [{\"name\": \"a\", \"why\": \"w\", \"opcodes\": [\"OpX\"]}]}", "+ or -"},
      {"{\"issues\": [{\"name\": \"a\", \"why\": \"w\", \"color\": \"red\"}]}", "color"},
      {"{\"issues\": [{\"name\": \"a\", \"why\": \"w\", \"target\": \"x\"},\n"
       "{\"name\": \"a\", \"why\": \"w\", \"target\": \"y\"}]}",
       "k.json:2:"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<std::vector<KnownIssue>> issues = ParseKnownIssues("k.json", text);
    ASSERT_FALSE(issues) << text;
    EXPECT_NE(issues.error().message.find(expected), std::string::npos) << issues.error().message;
  }
}

TEST(KnownIssues, OursCanBeRead) {
  const Result<std::vector<KnownIssue>> ours = ParseKnownIssues("known_issues.json", kKnownIssues);
  EXPECT_TRUE(ours) << ours.error().message;
}

TEST(CampaignOptionsText, SaysWhatDiffers) {
  CampaignSetup setup;
  setup.donors_hash = "none";
  const std::string before = OptionsText(setup);
  EXPECT_EQ(OptionsDifference(before, before), "");
  setup.keep = 5;
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)), "keep: 3 before, 5 now");
  setup.keep = 3;
  setup.sample = 2;
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)), "sample: (none) before, 2 now");
  EXPECT_EQ(OptionsDifference(OptionsText(setup), before), "sample: 2 before, (none) now");
  setup.sample.reset();
  setup.zero_inputs = true;
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)), "zero_inputs: (none) before, true now");
  setup.zero_inputs = false;
  setup.passes = {"split_block"};
  setup.recommendations = false;
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)),
            "passes, number 1: \"(none)\" before, \"split_block\" now");
  setup.passes.clear();
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)),
            "recommendations: true before, false now");
  setup.recommendations = true;
  // Campaigns of earlier versions, which have no thresholds, continue with the defaults.
  EXPECT_EQ(before.find("thresholds"), std::string::npos);
  setup.thresholds.slack = 2;
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)),
            "thresholds: (none) before, "
            "\"slack=2,narrow=16,levels=8,square=4,similarity=0.5,shift=4\" now");
  setup.thresholds = {};
  VersionedTarget state;
  state.target.name = "lavapipe";
  setup.targets.push_back(state);
  EXPECT_EQ(OptionsDifference(before, OptionsText(setup)),
            "targets, number 1: \"(none)\" before, \"lavapipe\" now");
}

TEST(CampaignEvents, AreWholeLinesWhateverAKillLeft) {
  const TemporaryFolder folder = std::move(*TemporaryFolder::Make());
  CampaignSetup setup;
  setup.out = folder.path();
  setup.donors_hash = "none";
  Result<Store> store = OpenStore(&setup, 7);
  ASSERT_TRUE(store) << store.error().message;
  const std::string file = setup.out + "/events.jsonl";
  {
    Housekeeping housekeeping(setup, *store);
    ASSERT_TRUE(housekeeping.Begin(0));
    ASSERT_TRUE(housekeeping.End(1, {}));
  }
  const std::string before = *ReadFile(file);
  EXPECT_EQ(std::count(before.begin(), before.end(), '\n'), 2);
  // The last line was cut, and an event was never written.
  ASSERT_TRUE(WriteFile(file, before.substr(0, before.size() - 5)));
  ASSERT_TRUE(store->AddEvent(2, "{\"event\":\"x\"}"));
  {
    Housekeeping housekeeping(setup, *store);
    ASSERT_TRUE(housekeeping.Begin(3));
    ASSERT_TRUE(housekeeping.End(4, {}));
  }
  const std::string after = *ReadFile(file);
  EXPECT_EQ(after.substr(0, before.size()), before);
  EXPECT_EQ(after.substr(before.size(), 14), "{\"event\":\"x\"}\n");
  EXPECT_EQ(std::count(after.begin(), after.end(), '\n'), 5);
  const Result<std::string> xml = JUnitXml(*store, setup.out);
  ASSERT_TRUE(xml);
  EXPECT_EQ(xml->rfind("<?xml", 0), 0u);
}

}  // namespace
}  // namespace refract
