// SPDX-License-Identifier: Apache-2.0
#include "measure/dedup_tuning.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "base/random.h"
#include "base/text.h"
#include "dedup/grouping.h"
#include "dedup/similarity.h"

namespace refract::measure {
namespace {

// The similarities of all tests, which do not depend on the tuning, and the tests in the order in
// which Recommend prefers them.
class TuningData {
 public:
  TuningData(const std::vector<DecidedTest>& tests, const std::set<std::string>& ignored) {
    std::vector<DedupTest> plain;
    for (const DecidedTest& each : tests) plain.push_back(each.test);
    order_ = SimplestFirst(plain, ignored);
    const TestSimilarity similarity(plain, ignored);
    for (const size_t i : order_) {
      bugs_.push_back(tests[i].bug);
      std::vector<TestSimilarity::Features>& row = features_.emplace_back();
      for (const size_t j : order_) row.push_back(similarity.All(i, j));
    }
  }

  size_t size() const { return bugs_.size(); }
  const std::string& bug(size_t i) const { return bugs_[i]; }

  // `chosen`: ascending indices in the order of preference.
  DedupScore Score(const DedupTuning& tuning, const std::vector<size_t>& chosen) const {
    DedupScore score;
    std::set<std::string> bugs, distinct;
    for (const size_t i : chosen) bugs.insert(bugs_[i]);
    const auto similarity = [&](size_t a, size_t b) {
      return TestSimilarity::Mean(tuning, features_[chosen[a]][chosen[b]]);
    };
    for (const std::vector<size_t>& group :
         GroupsOfSimilar(chosen.size(), similarity, tuning.same)) {
      ++score.reports;
      distinct.insert(bugs_[chosen[group[0]]]);
    }
    score.bugs = bugs.size();
    score.distinct = distinct.size();
    return score;
  }

 private:
  std::vector<size_t> order_;
  std::vector<std::string> bugs_;
  std::vector<std::vector<TestSimilarity::Features>> features_;
};

// All tests, and three subsets.
std::vector<std::vector<size_t>> SubsetsOf(const TuningData& data, uint64_t seed) {
  std::vector<std::vector<size_t>> subsets(1);
  std::map<std::string, std::vector<size_t>> by_bug;
  for (size_t i = 0; i < data.size(); ++i) {
    subsets[0].push_back(i);
    by_bug[data.bug(i)].push_back(i);
  }
  Random random(seed);
  for (int n = 0; n < 3; ++n) {
    std::vector<size_t>& subset = subsets.emplace_back();
    for (const auto& [bug, of_bug] : by_bug) {
      std::vector<size_t> tests = of_bug;
      for (size_t i = 0; i < tests.size(); ++i) {
        std::swap(tests[i], tests[i + random.Below(tests.size() - i)]);
      }
      tests.resize((2 * tests.size() + 2) / 3);
      subset.insert(subset.end(), tests.begin(), tests.end());
    }
    std::sort(subset.begin(), subset.end());
  }
  return subsets;
}

}  // namespace

double DedupScore::covered() const {
  return bugs == 0 ? 0 : static_cast<double>(distinct) / static_cast<double>(bugs);
}

double DedupScore::duplicate_share() const {
  return reports == 0 ? 0 : static_cast<double>(duplicates()) / static_cast<double>(reports);
}

int64_t DedupScore::Value() const {
  return static_cast<int64_t>(distinct) - static_cast<int64_t>(duplicates());
}

DedupScore& DedupScore::operator+=(const DedupScore& other) {
  bugs += other.bugs;
  reports += other.reports;
  distinct += other.distinct;
  return *this;
}

DedupScore ScoreOf(const std::vector<DecidedTest>& tests, const DedupOptions& options) {
  DedupScore score;
  std::vector<DedupTest> plain;
  std::set<std::string> bugs, distinct;
  for (const DecidedTest& each : tests) {
    plain.push_back(each.test);
    bugs.insert(each.bug);
  }
  for (const Recommendation& each : Recommend(plain, options)) {
    ++score.reports;
    distinct.insert(tests[each.test].bug);
  }
  score.bugs = bugs.size();
  score.distinct = distinct.size();
  return score;
}

std::vector<DedupTuning> Tunings() {
  // kind, place, signature, types, shapes, opcodes, lines, program
  const std::array<uint32_t, kDedupFeatures> weights[] = {
      {1, 2, 4, 2, 1, 2, 1, 1}, {1, 1, 1, 1, 1, 1, 1, 1}, {1, 1, 3, 1, 1, 1, 1, 1},
      {0, 2, 2, 2, 0, 2, 0, 0}, {1, 2, 2, 4, 2, 4, 2, 1},
  };
  std::vector<DedupTuning> tunings;
  for (const auto& each : weights) {
    for (const uint32_t same : {425, 400, 450, 375, 475, 350, 500, 325, 300})
      tunings.push_back({each, same});
  }
  return tunings;
}

DedupTuning TuneOn(const std::vector<DecidedTest>& tests, const std::set<std::string>& ignored,
                   uint64_t seed) {
  const TuningData data(tests, ignored);
  const std::vector<std::vector<size_t>> subsets = SubsetsOf(data, seed);
  std::optional<int64_t> best_value;
  DedupTuning best;
  for (const DedupTuning& tuning : Tunings()) {
    int64_t value = 0;
    for (const std::vector<size_t>& subset : subsets) value += data.Score(tuning, subset).Value();
    if (best_value && value <= *best_value) continue;
    best_value = value;
    best = tuning;
  }
  return best;
}

std::string TextOf(const DedupTuning& tuning) {
  std::string text;
  for (size_t f = 0; f < kDedupFeatures; ++f) {
    text += format("{} {}, ", DedupFeatureName(static_cast<DedupFeature>(f)), tuning.weights[f]);
  }
  return text + format("same {}", tuning.same);
}

}  // namespace refract::measure
