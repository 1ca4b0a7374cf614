// SPDX-License-Identifier: Apache-2.0
// The order in which tries are executed.
#include <gtest/gtest.h>

#include <semaphore>

#include "reduce/tries.h"

namespace refract {
namespace {

// Candidates that begin with 1 are interesting. Answers only when allowed to, and records the
// candidates.
class Patient : public InterestingnessTest {
 public:
  Result<bool> IsInteresting(const Candidate& candidate) override {
    may_.acquire();
    asked.push_back(candidate.words);
    recorded_before.push_back(recorded);
    return candidate.words.front() == 1;
  }
  void MayAnswer(int times) { may_.release(times); }
  Status Record() {
    ++recorded;
    return {};
  }
  std::vector<std::vector<uint32_t>> asked;
  std::vector<int> recorded_before;
  int recorded = 0;

 private:
  std::counting_semaphore<> may_{0};
};

TryPointer Make(std::vector<uint32_t> words) {
  auto made = std::make_shared<Try>();
  made->candidate.words = std::move(words);
  return made;
}

void FinishAll(TryRunner* tries, size_t count) {
  for (size_t finished = 0; finished < count;) finished += tries->Finished(1).size();
}

TEST(TryRunner, TheTryAfterAnAnswerStartsByItself) {
  for (const uint32_t answer : {0u, 1u}) {
    Patient test;
    TryRunner tries(test, 1, [&](const std::string&, bool) { return test.Record(); });
    const TryPointer one = Make({answer, 7}), no = Make({2}), yes = Make({3});
    tries.Start(one);
    tries.StartAfter(one, false, yes);
    tries.StartAfter(one, false, no);  // the last call counts
    tries.StartAfter(one, true, yes);
    test.MayAnswer(1);
    FinishAll(&tries, 1);
    const Try::State begun = Try::State::kUnderWay, left = Try::State::kReady;
    EXPECT_EQ(no->state, answer == 0 ? begun : left);
    EXPECT_EQ(yes->state, answer == 1 ? begun : left);
    EXPECT_FALSE(tries.HasFreeJob());
    test.MayAnswer(2);
    FinishAll(&tries, 1);
    EXPECT_TRUE(tries.HasFreeJob());
    tries.Start(answer == 1 ? no : yes);
    FinishAll(&tries, 1);
    EXPECT_EQ(tries.judged(), 3u);
    EXPECT_EQ(test.asked,
              (std::vector<std::vector<uint32_t>>{{answer, 7}, {answer + 2}, {3 - answer}}));
    EXPECT_EQ(test.recorded_before, (std::vector<int>{0, 1, 2}))
        << "an answer is recorded before the next try";
  }
}

}  // namespace
}  // namespace refract
