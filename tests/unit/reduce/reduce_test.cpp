// SPDX-License-Identifier: Apache-2.0
// Reducing recordings of references with made-up interestingness tests.
#include "reduce/reduce.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <mutex>

#include "base/file.h"
#include "base/random.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "corpus/test_modules.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "ir/tools.h"
#include "reduce/script_interestingness.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

struct Subject {
  Original original;
  FuzzResult run;
};

// A recording of a reference; made once.
const Subject& TheSubject() {
  static const Subject* subject = [] {
    const auto modules = References(REFRACT_SOURCE_DIR);
    EXPECT_TRUE(modules.has_value());
    auto originals = Originals(modules->front());
    EXPECT_TRUE(originals.has_value());
    auto* made = new Subject{std::move(originals->front()), {}};
    FuzzOptions options;
    options.seed = 5;
    options.all_passes = true;
    options.stop_by_chance = false;
    options.max_steps = 250;
    auto run = Fuzz(made->original, options);
    EXPECT_TRUE(run.has_value());
    made->run = std::move(*run);
    return made;
  }();
  return *subject;
}

// A candidate is interesting if it has all of the given instructions.
class NamesTest : public InterestingnessTest {
 public:
  explicit NamesTest(std::vector<Name> names) : names_(std::move(names)) {}
  Result<bool> IsInteresting(const Candidate& candidate) override {
    ++asked;
    // Later candidates are answered earlier, so that a dependence on the order would show.
    if (slow) ::usleep(static_cast<useconds_t>(3000 - std::min(2900, 50 * asked.load())));
    const Module& module = candidate.context->module;
    for (const Name& name : names_) {
      const Inst inst = module.Find(name);
      if (inst == Inst::kNone || module[inst].removed) return false;
    }
    return true;
  }
  std::atomic<int> asked{0};
  bool slow = false;

 private:
  std::vector<Name> names_;
};

// Names of instructions that different steps made and that are in the full variant.
std::vector<Name> DrawNames(uint64_t seed, size_t count) {
  const Module& module = TheSubject().run.context.module;
  std::map<uint32_t, Name> by_step;
  for (const message::IdBinding& made : MadeIds(module)) {
    const Inst inst = module.Find(made.name);
    if (made.name.step == Name::kDeclaredStep || inst == Inst::kNone) continue;
    if (!module[inst].removed) by_step.emplace(made.name.step, made.name);
  }
  std::vector<Name> all, drawn;
  for (const auto& [step, name] : by_step) all.push_back(name);
  EXPECT_GT(all.size(), 50u);
  Random random(seed);
  for (size_t i = 0; i < count; ++i) drawn.push_back(all[random.Below(all.size())]);
  return drawn;
}

Result<Reduction> ReduceFor(InterestingnessTest& test, const ReduceOptions& options) {
  return Reduce(TheSubject().original, TheSubject().run.recording, options, test);
}

TEST(Reduce, SeveralJobsGiveTheResultOfOne) {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const std::vector<Name> names = DrawNames(seed, 1 + seed % 3);
    std::string first;
    size_t tries = 0;
    for (const uint32_t jobs : {1u, 2u, 5u}) {
      NamesTest test(names);
      test.slow = jobs > 1;
      ReduceOptions options;
      options.jobs = jobs;
      const Result<Reduction> reduced = ReduceFor(test, options);
      ASSERT_TRUE(reduced.has_value()) << reduced.error().message;
      EXPECT_TRUE(reduced->minimal);
      EXPECT_EQ(static_cast<size_t>(test.asked), reduced->judged);
      if (jobs == 1) {
        first = WriteRecording(reduced->recording);
        tries = reduced->tries;
        EXPECT_EQ(reduced->judged, tries);  // no candidate is tested twice
      }
      EXPECT_EQ(WriteRecording(reduced->recording), first) << "seed " << seed << ", " << jobs;
      EXPECT_EQ(reduced->tries, tries) << "seed " << seed << ", " << jobs;
    }
  }
}

TEST(Reduce, NoStepOfTheResultCanBeRemoved) {
  for (uint64_t seed = 0; seed < 9; ++seed) {
    NamesTest test(DrawNames(100 + seed, 1 + seed % 4));
    ReduceOptions options;
    options.algorithm = static_cast<Algorithm>(seed % 3);
    const Result<Reduction> reduced = ReduceFor(test, options);
    ASSERT_TRUE(reduced.has_value());
    const auto ask = [&](const ReplayOptions& some) {
      const auto replayed = Replay(TheSubject().original, reduced->recording, some);
      EXPECT_TRUE(replayed.has_value());
      if (some.steps.empty()) {
        EXPECT_EQ(replayed->words, reduced->words);
      }
      return *test.IsInteresting({replayed->words, replayed->context.inputs,
                                  std::make_shared<const Context>(replayed->context)});
    };
    EXPECT_TRUE(ask({}));
    for (const message::Step& gone : reduced->recording.steps) {
      ReplayOptions without;
      for (const message::Step& step : reduced->recording.steps) {
        if (step.number != gone.number) without.steps.push_back(step.number);
      }
      if (!without.steps.empty()) {
        EXPECT_FALSE(ask(without)) << "seed " << seed;
      }
    }
    // The hash in the recording is right, and the recording is small.
    EXPECT_EQ(reduced->recording.result_hash, HashOfWords(reduced->words));
    EXPECT_LE(reduced->recording.ids.size(), 40 * reduced->steps);
    EXPECT_GT(reduced->instructions, 0u);
    const auto diff = DisassemblyDiff(TheSubject().original.words, reduced->words);
    ASSERT_TRUE(diff.has_value());
    EXPECT_EQ(reduced->instructions, diff->count());
  }
}

TEST(Reduce, PlainTakesMoreTries) {
  size_t ours = 0, plain = 0, steps = 0, plain_steps = 0;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    NamesTest test(DrawNames(200 + seed, 1 + seed % 3));
    ReduceOptions options;
    const Result<Reduction> reduced = ReduceFor(test, options);
    options.plain = true;
    const Result<Reduction> plainly = ReduceFor(test, options);
    ASSERT_TRUE(reduced.has_value() && plainly.has_value());
    EXPECT_TRUE(plainly->minimal);
    ours += reduced->tries;
    plain += plainly->tries;
    steps += reduced->steps;
    plain_steps += plainly->steps;
  }
  EXPECT_LT(ours, plain * 3 / 4) << ours << " and " << plain;
  EXPECT_LE(steps, plain_steps);
}

TEST(Reduce, AnUninterestingVariantIsNotReduced) {
  class Never : public InterestingnessTest {
    Result<bool> IsInteresting(const Candidate&) override { return false; }
  } never;
  const Result<Reduction> reduced = ReduceFor(never, {});
  ASSERT_TRUE(reduced.has_value());
  EXPECT_EQ(reduced->end, Reduction::End::kNotInteresting);
  EXPECT_EQ(reduced->tries, 1u);
}

TEST(Reduce, TheSearchForTheSmallestModuleKeepsItsLimit) {
  class Always : public InterestingnessTest {
    Result<bool> IsInteresting(const Candidate&) override { return true; }
  } always;
  ReduceOptions options;
  options.smallest = [] { return true; };
  size_t smallest = 0;
  for (const size_t most : {3, 500}) {
    options.smallest_tries = most;
    const Result<Reduction> reduced = ReduceFor(always, options);
    ASSERT_TRUE(reduced.has_value());
    EXPECT_FALSE(reduced->smallest.empty());
    EXPECT_LE(reduced->smallest_tries, most);
    if (smallest != 0) {
      EXPECT_LT(reduced->smallest.size(), smallest);
    }
    smallest = reduced->smallest.size();
  }
}

// Recognises the original by the flag of the candidate, and checks the flag against the words.
TEST(Reduce, TheOriginalIsTestedFirstAndOnce) {
  class Noting : public InterestingnessTest {
   public:
    Result<bool> IsInteresting(const Candidate& candidate) override {
      originals += candidate.is_original ? 1 : 0;
      if (asked++ == 0) {
        EXPECT_TRUE(candidate.is_original);
      }
      EXPECT_EQ(candidate.is_original, candidate.words == TheSubject().original.words);
      return true;
    }
    int asked = 0, originals = 0;
  } noting;
  ReduceOptions options;
  const Result<Reduction> reduced = ReduceFor(noting, options);
  ASSERT_TRUE(reduced.has_value());
  EXPECT_TRUE(reduced->original_interesting);
  EXPECT_EQ(noting.originals, 1);
  noting = {};
  noting.asked = 1;
  options.ask_original = false;
  ASSERT_TRUE(ReduceFor(noting, options).has_value());
  EXPECT_EQ(noting.originals, 0);
}

TEST(Reduce, AnErrorOfTheInterestingnessTestEndsTheReduction) {
  class Failing : public InterestingnessTest {
    Result<bool> IsInteresting(const Candidate&) override {
      if (++asked_ > 3) return Error{"the script is gone", ErrorKind::kUsage};
      return true;
    }
    int asked_ = 0;
  } failing;
  const Result<Reduction> reduced = ReduceFor(failing, {});
  ASSERT_FALSE(reduced.has_value());
  EXPECT_EQ(reduced.error().message, "the script is gone");
}

// Sometimes refuses what the inner interestingness test accepts.
class FlakyTest : public InterestingnessTest {
 public:
  FlakyTest(InterestingnessTest& test, uint32_t percent) : test_(test), percent_(percent) {}
  Result<bool> IsInteresting(const Candidate& candidate) override {
    const Result<bool> answer = test_.IsInteresting(candidate);
    return *answer && random_.Percent(percent_);
  }

 private:
  InterestingnessTest& test_;
  uint32_t percent_;
  Random random_{7};
};

TEST(Reduce, AFlakyBugIsReducedByRepetition) {
  for (uint64_t seed = 0; seed < 5; ++seed) {
    const std::vector<Name> names = DrawNames(300 + seed, 2);
    NamesTest test(names), again(names);
    FlakyTest flaky(test, 50);
    RepeatedTest repeated(flaky, 1, 20);
    const Result<Reduction> reduced = ReduceFor(repeated, {});
    const Result<Reduction> steady = ReduceFor(again, {});
    ASSERT_TRUE(reduced.has_value() && steady.has_value());
    EXPECT_EQ(WriteRecording(reduced->recording), WriteRecording(steady->recording));
  }
}

TEST(Reduce, RepetitionAsksOnlyAsOftenAsNeeded) {
  class Counting : public InterestingnessTest {
   public:
    explicit Counting(std::vector<bool> answers) : answers_(std::move(answers)) {}
    Result<bool> IsInteresting(const Candidate&) override { return bool{answers_.at(asked++)}; }
    size_t asked = 0;

   private:
    std::vector<bool> answers_;
  };
  const auto ask = [](std::vector<bool> answers, uint32_t wanted, size_t expected) {
    Counting counting(answers);
    const bool answer =
        *RepeatedTest(counting, wanted, static_cast<uint32_t>(answers.size())).IsInteresting({});
    EXPECT_EQ(counting.asked, expected);
    return answer;
  };
  EXPECT_TRUE(ask({true, true, false}, 2, 2));
  EXPECT_TRUE(ask({true, false, true}, 2, 3));
  EXPECT_FALSE(ask({false, false, true}, 2, 2));
}

class ReduceJournal : public testing::Test {
 protected:
  std::string Path() const { return folder_->path() + "/out.reducing"; }
  std::string Read() const { return *ReadFile(Path()); }
  Result<TemporaryFolder> folder_ = TemporaryFolder::Make();
};

TEST_F(ReduceJournal, AKilledReductionResumesToTheSameResult) {
  const std::vector<Name> names = DrawNames(11, 3);
  for (const bool plain : {false, true}) {
    ReduceOptions options;
    options.plain = plain;
    NamesTest whole(names);
    const Result<Reduction> expected = ReduceFor(whole, options);
    ASSERT_TRUE(expected.has_value());
    options.journal = Path();
    options.journal_key = "names";
    for (const size_t after : {0, 1, 7, 20}) {
      NamesTest first(names), second(names);
      options.resume = false;
      options.stop = [&] { return static_cast<size_t>(first.asked) > after; };
      const Result<Reduction> ended = ReduceFor(first, options);
      ASSERT_TRUE(ended.has_value());
      EXPECT_EQ(ended->end, Reduction::End::kStopped);
      EXPECT_FALSE(ended->minimal);
      // The process is killed while it writes.
      std::ofstream(Path(), std::ios::app) << "+ 0123";
      options.resume = true;
      options.stop = nullptr;
      const Result<Reduction> resumed = ReduceFor(second, options);
      ASSERT_TRUE(resumed.has_value()) << resumed.error().message;
      EXPECT_EQ(WriteRecording(resumed->recording), WriteRecording(expected->recording));
      EXPECT_EQ(resumed->tries, expected->tries);
      // The try in progress is lost, and the variant is tested again.
      EXPECT_LE(first.asked + second.asked, static_cast<int>(expected->tries) + 2);
    }
  }
}

TEST_F(ReduceJournal, TheJournalOfAnotherReductionIsRefused) {
  NamesTest test(DrawNames(12, 1));
  ReduceOptions options;
  options.journal = Path();
  options.journal_key = "one";
  ASSERT_TRUE(ReduceFor(test, options).has_value());
  const std::string before = Read();
  options.journal_key = "another";
  options.resume = true;
  const Result<Reduction> refused = ReduceFor(test, options);
  ASSERT_FALSE(refused.has_value());
  EXPECT_NE(refused.error().message.find("another reduction"), std::string::npos);
  EXPECT_EQ(Read(), before);
  // Without --resume, the journal is written anew.
  options.resume = false;
  EXPECT_TRUE(ReduceFor(test, options).has_value());
}

TEST(Reduce, InvalidCandidatesAreNotTestedIfSoRequested) {
  class Counting : public InterestingnessTest {
   public:
    Result<bool> IsInteresting(const Candidate&) override { return ++asked > 0; }
    int asked = 0;
  } counting;
  const Subject& subject = TheSubject();
  ValidatingTest test(counting, subject.original);
  Candidate candidate{subject.run.words, subject.run.context.inputs,
                      std::make_shared<const Context>(subject.run.context)};
  EXPECT_TRUE(*test.IsInteresting(candidate));
  EXPECT_EQ(counting.asked, 1);
  candidate.words.pop_back();  // OpFunctionEnd
  EXPECT_FALSE(*test.IsInteresting(candidate));
  EXPECT_EQ(counting.asked, 1);
}

TEST(ScriptTest, TriesGetTenTimesTheFirstAndTenSecondsAtLeast) {
  EXPECT_EQ(DefaultTimeLimit(0.1), 10);
  EXPECT_EQ(DefaultTimeLimit(1), 10);
  EXPECT_EQ(DefaultTimeLimit(6), 60);
}

TEST(ScriptTest, ATimeOutIsNotInterestingAndEndsTheProcessGroup) {
  Result<TemporaryFolder> folder = TemporaryFolder::Make();
  const std::string script = folder->path() + "/script.sh";
  const std::string alive = folder->path() + "/alive";
  ASSERT_TRUE(WriteFile(script, "#!/bin/sh\n(sleep 3; touch " + alive + ") &\nsleep 60\n"));
  ASSERT_EQ(::chmod(script.c_str(), 0755), 0);
  Result<ScriptTest> test = ScriptTest::Make({script}, 1, nullptr);
  ASSERT_TRUE(test.has_value());
  const Result<bool> answer = test->IsInteresting({});
  ASSERT_TRUE(answer.has_value());
  EXPECT_FALSE(*answer);
  EXPECT_NE(test->FirstOutput().find("killed at the time limit, after 1 s"), std::string::npos);
  ::usleep(2500000);
  EXPECT_FALSE(FileExists(alive));
}

}  // namespace
}  // namespace refract
