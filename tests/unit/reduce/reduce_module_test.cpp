// SPDX-License-Identifier: Apache-2.0
// Reducing a module without a recording.
#include "reduce/reduce_module.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <set>

#include "base/temporary_folder.h"
#include "corpus/test_modules.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

const std::set<spv::Op> kLoop = {spv::Op::OpLoopMerge, spv::Op::OpFunctionCall};

bool HasAll(std::set<spv::Op> opcodes, const std::vector<uint32_t>& words) {
  for (size_t at = 5; at < words.size(); at += words[at] >> 16) {
    opcodes.erase(static_cast<spv::Op>(words[at] & 0xffff));
  }
  return opcodes.empty();
}

// The first reference with a loop and a call.
const Original& TheModule() {
  static const Original* original = [] {
    const auto modules = References(REFRACT_SOURCE_DIR);
    EXPECT_TRUE(modules.has_value());
    for (const auto& module : *modules) {
      auto originals = Originals(module);
      EXPECT_TRUE(originals.has_value());
      if (HasAll(kLoop, originals->front().words)) {
        return new Original(std::move(originals->front()));
      }
    }
    return static_cast<Original*>(nullptr);
  }();
  return *original;
}

// A candidate is interesting if it has an instruction with each of the opcodes.
class OpcodesTest : public InterestingnessTest {
 public:
  explicit OpcodesTest(std::set<spv::Op> opcodes) : opcodes_(std::move(opcodes)) {}
  Result<bool> IsInteresting(const Candidate& candidate) override {
    const int number = ++asked;
    // Later candidates are answered earlier, so that a dependence on the order would show.
    if (slow) ::usleep(static_cast<useconds_t>(3000 - std::min(2900, 50 * (number % 60))));
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      seen_twice |= !seen_.insert(candidate.words).second;
    }
    return HasAll(opcodes_, candidate.words);
  }
  std::atomic<int> asked{0};
  bool slow = false, seen_twice = false;

 private:
  const std::set<spv::Op> opcodes_;
  std::mutex mutex_;
  std::set<std::vector<uint32_t>> seen_;
};

TEST(ReduceModule, TheResultIsSmallValidAndInteresting) {
  OpcodesTest test(kLoop);
  const Result<ModuleReduction> reduced = ReduceModule(TheModule(), {}, test);
  ASSERT_TRUE(reduced.has_value()) << reduced.error().message;
  EXPECT_EQ(reduced->end, Reduction::End::kDone);
  EXPECT_TRUE(reduced->minimal);
  EXPECT_EQ(reduced->instructions, CountInstructions(reduced->words));
  EXPECT_EQ(reduced->instructions_before, CountInstructions(TheModule().words));
  EXPECT_LE(reduced->instructions, 24u);
  EXPECT_TRUE(HasAll(kLoop, reduced->words));
  EXPECT_FALSE(FindInvalid(reduced->words, TheModule().environment).has_value());
}

TEST(ReduceModule, SeveralJobsGiveTheResultOfOne) {
  std::vector<uint32_t> first;
  size_t tries = 0;
  for (const uint32_t jobs : {1u, 2u, 5u}) {
    OpcodesTest test(kLoop);
    test.slow = jobs > 1;
    ReduceOptions options;
    options.jobs = jobs;
    const Result<ModuleReduction> reduced = ReduceModule(TheModule(), options, test);
    ASSERT_TRUE(reduced.has_value()) << reduced.error().message;
    EXPECT_FALSE(test.seen_twice);
    EXPECT_EQ(static_cast<size_t>(test.asked), reduced->judged);
    if (jobs == 1) {
      first = reduced->words;
      tries = reduced->tries;
      EXPECT_EQ(reduced->judged, tries);
    }
    EXPECT_EQ(reduced->words, first) << jobs;
    EXPECT_EQ(reduced->tries, tries) << jobs;
  }
}

TEST(ReduceModule, AModuleThatIsNotInterestingIsReported) {
  OpcodesTest test({spv::Op::OpGroupAll});
  const Result<ModuleReduction> reduced = ReduceModule(TheModule(), {}, test);
  ASSERT_TRUE(reduced.has_value());
  EXPECT_EQ(reduced->end, Reduction::End::kNotInteresting);
  EXPECT_EQ(test.asked, 1);
}

TEST(ReduceModule, StopsWithTheBestSoFarAndResumes) {
  const TemporaryFolder folder = std::move(*TemporaryFolder::Make());
  OpcodesTest whole(kLoop);
  const Result<ModuleReduction> expected = ReduceModule(TheModule(), {}, whole);
  ASSERT_TRUE(expected.has_value());

  OpcodesTest test(kLoop);
  ReduceOptions options;
  options.journal = folder.path() + "/journal";
  options.stop = [&] { return test.asked >= 20; };
  const Result<ModuleReduction> stopped = ReduceModule(TheModule(), options, test);
  ASSERT_TRUE(stopped.has_value());
  EXPECT_EQ(stopped->end, Reduction::End::kStopped);
  EXPECT_FALSE(stopped->minimal);
  EXPECT_LT(stopped->instructions, stopped->instructions_before);
  EXPECT_GT(stopped->instructions, expected->instructions);

  OpcodesTest rest(kLoop);
  options.stop = nullptr;
  options.resume = true;
  const Result<ModuleReduction> resumed = ReduceModule(TheModule(), options, rest);
  ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
  EXPECT_EQ(resumed->words, expected->words);
  EXPECT_EQ(resumed->tries, expected->tries);
  // The module itself is tested again, and perhaps the try during which the reduction stopped.
  EXPECT_LE(test.asked + rest.asked, whole.asked + 2);
}

TEST(ReduceModule, TheLimitOnTriesEndsIt) {
  OpcodesTest test(kLoop);
  ReduceOptions options;
  options.smallest_tries = 10;
  const Result<ModuleReduction> reduced = ReduceModule(TheModule(), options, test);
  ASSERT_TRUE(reduced.has_value());
  EXPECT_EQ(reduced->end, Reduction::End::kDone);
  EXPECT_FALSE(reduced->minimal);
  EXPECT_EQ(reduced->tries, 11u);
}

}  // namespace
}  // namespace refract
