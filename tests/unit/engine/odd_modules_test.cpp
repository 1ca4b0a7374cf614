// SPDX-License-Identifier: Apache-2.0
// Every valid module can be read, written back byte for byte, changed into another valid module,
// and replayed. Tested on unusual but valid modules (tests/modules) and on the references.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "base/text.h"
#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "input/inputs.h"
#include "ir/binary.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

std::vector<TestModule> Modules(Result<std::vector<TestModule>> (*load)(const std::string&)) {
  Result<std::vector<TestModule>> modules = load(REFRACT_SOURCE_DIR);
  if (modules) return std::move(*modules);
  ADD_FAILURE() << modules.error().message;
  return {};
}

void ExpectUnchanged(const TestModule& module) {
  SCOPED_TRACE(module.name);
  const Result<Module> read = ReadModule(module.words, module.name);
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(WriteModule(*read), module.words);
  EXPECT_EQ(read->word_count(), module.words.size());
  const Result<std::vector<Original>> originals = Originals(module);
  ASSERT_TRUE(originals) << originals.error().message;
  for (const Original& original : *originals) {
    FuzzOptions options;
    options.max_steps = 0;
    const Result<FuzzResult> result = Fuzz(original, options);
    ASSERT_TRUE(result) << result.error().message;
    EXPECT_EQ(result->words, module.words);
    EXPECT_TRUE(result->recording.steps.empty());
  }
}

// Fuzzes, with all passes for every other seed, and replays what was written to disk. Returns the
// number of steps.
size_t FuzzAndReplay(const Original& original, uint64_t seed, uint32_t max_steps) {
  SCOPED_TRACE(format("{} (entry '{}'), seed {}", original.file, original.context.entry, seed));
  FuzzOptions options;
  options.seed = seed;
  options.max_steps = max_steps;
  options.all_passes = seed % 2 == 0;
  const Result<FuzzResult> result = Fuzz(original, options);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return 0;
  const Result<message::Recording> recording =
      ReadRecording(WriteRecording(result->recording), "recording");
  EXPECT_TRUE(recording) << recording.error().message;
  if (!recording) return 0;
  const Result<ReplayResult> replayed = Replay(original, *recording, {});
  EXPECT_TRUE(replayed) << replayed.error().message;
  if (!replayed) return 0;
  EXPECT_TRUE(replayed->skipped.empty())
      << "step " << replayed->skipped[0].number << ": " << replayed->skipped[0].reason;
  EXPECT_EQ(replayed->words, result->words);
  return result->recording.steps.size();
}

size_t FuzzAndReplay(const TestModule& module, uint64_t seeds, uint32_t max_steps) {
  const Result<std::vector<Original>> originals = Originals(module);
  EXPECT_TRUE(originals) << originals.error().message;
  if (!originals) return 0;
  size_t steps = 0;
  for (const Original& original : *originals) {
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      steps += FuzzAndReplay(original, seed, max_steps);
    }
  }
  return steps;
}

// For more seeds than the tests have time for: ODD_SEEDS=200 build/dev/tests/unit_engine
// --gtest_filter=Odd*
uint64_t Seeds(uint64_t otherwise) {
  const char* seeds = std::getenv("ODD_SEEDS");
  uint64_t number = 0;
  return seeds != nullptr && ParseNumber(seeds, &number) ? number : otherwise;
}

TEST(OddModules, ThereIsAModuleOfEveryVersion) {
  std::set<uint32_t> versions;
  const std::vector<TestModule> modules = Modules(OddModules);
  for (const TestModule& module : modules) versions.insert(module.words[1]);
  EXPECT_EQ(versions.size(), 7u);
  EXPECT_GE(modules.size(), 40u);
}

TEST(OddModules, AreWrittenBackUnchanged) {
  for (const TestModule& module : Modules(OddModules)) ExpectUnchanged(module);
}

// This does not test whether the modules can run with these inputs.
TEST(OddModules, LoadWithInputs) {
  Inputs inputs;
  InputValue& value = inputs.values.emplace_back();
  value.name = "nobody";
  value.words = {0};
  inputs.width = 16384;
  const auto given = std::make_shared<const Inputs>(inputs);
  for (const TestModule& module : Modules(OddModules)) {
    const Result<std::vector<Original>> originals = Originals(module);
    ASSERT_TRUE(originals) << originals.error().message;
    for (const Original& original : *originals) {
      OriginalOptions options;
      options.entry = original.context.entry;
      options.validation = original.validation;
      const Result<Original> with = MakeOriginal(module.words, module.name, given, options);
      EXPECT_TRUE(with) << with.error().message;
      if (with) FuzzAndReplay(*with, 3, 60);
    }
  }
}

TEST(OddModules, ReferencesAreWrittenBackUnchanged) {
  for (const TestModule& module : Modules(References)) ExpectUnchanged(module);
}

// Fuzzes with self-check in a small frame, for every other seed with execution facts. True if the
// interpreter could check the result.
bool IsJudged(Original original, uint64_t seed) {
  SCOPED_TRACE(format("{} (entry '{}'), seed {}", original.file, original.context.entry, seed));
  FuzzOptions options;
  options.seed = seed;
  options.max_steps = 150;
  options.all_passes = seed % 4 < 2;
  options.stop_by_chance = false;
  options.self_check = true;
  options.execution_facts = seed % 2 == 0;
  const Result<FuzzResult> result = Fuzz(original, options);
  EXPECT_TRUE(result) << result.error().message;
  return result && result->notes.empty();
}

TEST(OddModules, CanBeSelfChecked) {
  const Result<Inputs> small = ParseInputs("small", R"({"$framebuffer": {"width": 16,
                                                                        "height": 16}})");
  ASSERT_TRUE(small) << small.error().message;
  size_t judged = 0;
  for (TestModule& module : Modules(OddModules)) {
    module.inputs = std::make_shared<const Inputs>(*small);
    Result<std::vector<Original>> originals = Originals(module);
    if (!originals) {  // some blocks cannot be used with inputs
      module.inputs = nullptr;
      originals = Originals(module);
    }
    ASSERT_TRUE(originals) << module.name << ": " << originals.error().message;
    for (const Original& original : *originals) {
      for (uint64_t seed = 1; seed <= Seeds(4); ++seed) judged += IsJudged(original, seed) ? 1 : 0;
    }
  }
  EXPECT_GT(judged, 80u);
}

TEST(OddModules, AreFuzzedAndReplayed) {
  size_t steps = 0;
  for (const TestModule& module : Modules(OddModules)) {
    steps += FuzzAndReplay(module, Seeds(4), 150);
  }
  EXPECT_GT(steps, 1000u);
}

TEST(OddModules, ReferencesAreFuzzedAndReplayed) {
  for (const TestModule& module : Modules(References)) {
    EXPECT_GT(FuzzAndReplay(module, Seeds(2), 300), 0u) << module.name;
  }
}

TEST(ReferenceFiles, LeaveOutTheFolderOfDriversForEverySpelling) {
  const std::string folder = REFRACT_SOURCE_DIR "/references";
  const Result<std::vector<std::string>> plain = ReferenceFiles(folder);
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_FALSE(plain->empty());
  for (const char* end : {"", "/", "/.", "/../references", "//"}) {
    const Result<std::vector<std::string>> files = ReferenceFiles(folder + end);
    ASSERT_TRUE(files) << files.error().message;
    EXPECT_EQ(files->size(), plain->size()) << end;
    for (const std::string& file : *files) {
      EXPECT_EQ(file.find("/drivers/"), std::string::npos) << file;
    }
  }
}

}  // namespace
}  // namespace refract
