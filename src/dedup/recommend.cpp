// SPDX-License-Identifier: Apache-2.0
#include "dedup/recommend.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "base/check.h"
#include "base/text.h"

namespace refract {
namespace {

/// A test as the algorithms see it.
struct Candidate {
  size_t index = 0;
  std::vector<std::string> types;     // those that count
  std::vector<std::string> features;  // these and opcodes, sorted
};

/// 1 - common / all, exactly: no floating point decides anything.
struct Distance {
  uint64_t differing = 0, all = 1;
  friend bool operator<(const Distance& a, const Distance& b) {
    return a.differing * b.all < b.differing * a.all;
  }
};

size_t Common(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  size_t count = 0;
  for (size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const int order = a[i].compare(b[j]);
    count += order == 0;
    i += order <= 0;
    j += order >= 0;
  }
  return count;
}

Distance Between(const Candidate& a, const Candidate& b) {
  const size_t common = Common(a.features, b.features);
  const size_t all = a.features.size() + b.features.size() - common;
  return all == 0 ? Distance{} : Distance{all - common, all};
}

class Chooser {
 public:
  Chooser(const std::vector<DedupTest>& tests, const DedupOptions& options)
      : tests_(tests), options_(options) {}

  std::vector<Recommendation> Choose() {
    for (const auto& [key, bucket] : Buckets()) {
      key.by_signature ? KeepOne(bucket) : KeepUnlike(bucket);
    }
    options_.order == DedupOrder::kPaper ? SortBySize() : SortByDistance();
    return TakeResult();
  }

 private:
  using Bucket = std::vector<Candidate>;  // smaller ones first

  struct Key {
    bool by_signature;
    std::string signature;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.by_signature, a.signature) < std::tie(b.by_signature, b.signature);
    }
  };

  // A total order in which the plainest test of a bug is first.
  bool Before(const Candidate& a, const Candidate& b) const {
    const DedupTest &x = tests_[a.index], &y = tests_[b.index];
    const size_t types_a = a.types.size(), types_b = b.types.size();
    return std::tie(types_a, x.steps, a.types, x.path) <
           std::tie(types_b, y.steps, b.types, y.path);
  }

  std::map<Key, Bucket> Buckets() const {
    std::map<Key, Bucket> buckets;
    for (size_t i = 0; i < tests_.size(); ++i) {
      Candidate candidate{i, CountedTypes(tests_[i], options_.ignored), {}};
      candidate.features = candidate.types;
      const std::vector<std::string>& opcodes = tests_[i].opcodes;
      candidate.features.insert(candidate.features.end(), opcodes.begin(), opcodes.end());
      std::sort(candidate.features.begin(), candidate.features.end());
      Key key{false, {}};
      if (options_.signatures) key = {SaysCause(tests_[i]), tests_[i].signature};
      buckets[key].push_back(std::move(candidate));
    }
    for (auto& [key, bucket] : buckets) {
      std::sort(bucket.begin(), bucket.end(),
                [&](const Candidate& a, const Candidate& b) { return Before(a, b); });
    }
    return buckets;
  }

  struct Kept {
    Candidate test;
    std::vector<size_t> stands_for;
  };

  void KeepOne(const Bucket& bucket) {
    kept_.push_back({bucket[0], {}});
    for (size_t i = 1; i < bucket.size(); ++i) kept_.back().stands_for.push_back(bucket[i].index);
  }

  // One bug is often reached by steps of other types. Then the difference of the one test is made
  // of what is in that of the other.
  bool Alike(const Candidate& a, const Candidate& b) const {
    if (Common(a.types, b.types) > 0 || (a.types.empty() && b.types.empty())) return true;
    if (options_.order == DedupOrder::kPaper || !options_.opcodes) return false;
    const std::vector<std::string>&x = tests_[a.index].opcodes, &y = tests_[b.index].opcodes;
    const size_t fewer = std::min(x.size(), y.size());
    return fewer > 0 && Common(x, y) == fewer;
  }

  // Figure 6 of the paper. `bucket` is sorted by number of types, so its loop over that number is
  // one walk.
  void KeepUnlike(const Bucket& bucket) {
    std::vector<bool> gone(bucket.size());
    for (size_t i = 0; i < bucket.size(); ++i) {
      if (gone[i]) continue;
      kept_.push_back({bucket[i], {}});
      for (size_t j = i + 1; j < bucket.size(); ++j) {
        if (gone[j] || !Alike(bucket[i], bucket[j])) continue;
        gone[j] = true;
        kept_.back().stands_for.push_back(bucket[j].index);
      }
    }
  }

  void SortBySize() {
    std::sort(kept_.begin(), kept_.end(),
              [&](const Kept& a, const Kept& b) { return Before(a.test, b.test); });
  }

  // The plainest one first, then whichever is furthest from all before it; another signature counts
  // for more than any types.
  void SortByDistance() {
    SortBySize();
    const auto distance = [&](const Kept& a, const Kept& b) {
      Distance between = Between(a.test, b.test);
      if (tests_[a.test.index].signature != tests_[b.test.index].signature) {
        between.differing += between.all;
      }
      return between;
    };
    std::vector<Distance> nearest(kept_.size(), {3, 1});
    for (size_t done = 0; done + 1 < kept_.size(); ++done) {
      size_t furthest = done + 1;
      for (size_t i = done + 1; i < kept_.size(); ++i) {
        nearest[i] = std::min(nearest[i], distance(kept_[done], kept_[i]));
        if (nearest[furthest] < nearest[i]) furthest = i;
      }
      // The others keep their order, so that equals stay plainest first.
      std::rotate(kept_.begin() + static_cast<std::ptrdiff_t>(done + 1),
                  kept_.begin() + static_cast<std::ptrdiff_t>(furthest),
                  kept_.begin() + static_cast<std::ptrdiff_t>(furthest + 1));
      std::rotate(nearest.begin() + static_cast<std::ptrdiff_t>(done + 1),
                  nearest.begin() + static_cast<std::ptrdiff_t>(furthest),
                  nearest.begin() + static_cast<std::ptrdiff_t>(furthest + 1));
    }
  }

  std::vector<Recommendation> TakeResult() {
    std::vector<Recommendation> result;
    for (Kept& kept : kept_) {
      std::sort(kept.stands_for.begin(), kept.stands_for.end(),
                [&](size_t a, size_t b) { return tests_[a].path < tests_[b].path; });
      result.push_back({kept.test.index, std::move(kept.test.types), std::move(kept.stands_for)});
    }
    return result;
  }

  const std::vector<DedupTest>& tests_;
  const DedupOptions& options_;
  std::vector<Kept> kept_;
};

}  // namespace

std::vector<std::string> CountedTypes(const DedupTest& test, const std::set<std::string>& ignored) {
  std::vector<std::string> types;
  for (const std::string& type : test.types) {
    if (!ignored.contains(type)) types.push_back(type);
  }
  return types.empty() ? test.types : types;
}

bool SaysCause(const DedupTest& test) {
  // "CLASS WHERE: KEY" (harness/signature.h).
  const size_t colon = test.signature.find(": ");
  if (colon == std::string::npos) return false;
  const std::string_view key = Trim(std::string_view(test.signature).substr(colon + 2));
  if (key.empty()) return false;
  const bool one_word = key.find(' ') == std::string_view::npos;
  return !(one_word && key.starts_with("SIG")) && !key.starts_with("exit ") &&
         !key.starts_with("signal ");
}

std::vector<Recommendation> Recommend(const std::vector<DedupTest>& tests,
                                      const DedupOptions& options) {
  std::vector<Recommendation> result = Chooser(tests, options).Choose();
  size_t covered = result.size();
  for (const Recommendation& each : result) covered += each.stands_for.size();
  CHECK(covered == tests.size());
  return result;
}

}  // namespace refract
