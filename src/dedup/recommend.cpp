// SPDX-License-Identifier: Apache-2.0
#include "dedup/recommend.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <tuple>

#include "base/check.h"
#include "base/text.h"
#include "dedup/grouping.h"

namespace refract {
inline namespace dedup {
namespace {

/// A test as the algorithms use it.
struct ComparedTest {
  size_t index = 0;
  std::vector<std::string> types;     // without the ignored types
  std::vector<std::string> features;  // types and opcodes, sorted
};

/// 1 - common / all, as an exact fraction: no decision depends on floating point.
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

bool ShareOne(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  return Common(a, b) > 0 || (a.empty() && b.empty());
}

// Whether at least half of the types of both together are in both.
bool ShareHalf(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  const size_t common = Common(a, b);
  return 2 * common >= a.size() + b.size() - common;
}

// The fewest similar tests that make a group; docs/dedup.md compares other numbers.
constexpr size_t kGroup = 4;

Distance Between(const ComparedTest& a, const ComparedTest& b) {
  const size_t common = Common(a.features, b.features);
  const size_t all = a.features.size() + b.features.size() - common;
  return all == 0 ? Distance{} : Distance{all - common, all};
}

class TestSelector {
 public:
  TestSelector(const std::vector<DedupTest>& tests, const DedupOptions& options)
      : tests_(tests), options_(options) {}

  std::vector<Recommendation> Choose() {
    if (options_.order == DedupOrder::kCauses) return ChooseCauses();
    for (const auto& [key, bucket] : Buckets()) {
      if (key.by_signature) {
        SelectFirst(bucket);
      } else {
        options_.order == DedupOrder::kPaper ? SelectDisjoint(bucket) : SelectGroups(bucket);
      }
    }
    options_.order == DedupOrder::kPaper ? SortBySize() : SortByDistance();
    return TakeResult();
  }

 private:
  using Bucket = std::vector<ComparedTest>;  // in the order of Before

  struct Key {
    bool by_signature;
    std::string signature;
    friend bool operator<(const Key& a, const Key& b) {
      return std::tie(a.by_signature, a.signature) < std::tie(b.by_signature, b.signature);
    }
  };

  // A total order that puts the simplest test of a bug first.
  bool Before(const ComparedTest& a, const ComparedTest& b) const {
    const DedupTest &x = tests_[a.index], &y = tests_[b.index];
    const size_t types_a = a.types.size(), types_b = b.types.size();
    return std::tie(types_a, x.steps, a.types, x.path) <
           std::tie(types_b, y.steps, b.types, y.path);
  }

  ComparedTest Compared(size_t index) const {
    const DedupTest& test = tests_[index];
    ComparedTest compared{index, RelevantTypes(test, options_.ignored), {}};
    compared.features = compared.types;
    compared.features.insert(compared.features.end(), test.opcodes.begin(), test.opcodes.end());
    std::sort(compared.features.begin(), compared.features.end());
    return compared;
  }

  std::map<Key, Bucket> Buckets() const {
    std::map<Key, Bucket> buckets;
    for (size_t i = 0; i < tests_.size(); ++i) {
      Key key{false, {}};
      if (options_.signatures) key = {HasSpecificSignature(tests_[i]), tests_[i].signature};
      buckets[key].push_back(Compared(i));
    }
    for (auto& [key, bucket] : buckets) {
      std::sort(bucket.begin(), bucket.end(),
                [&](const ComparedTest& a, const ComparedTest& b) { return Before(a, b); });
    }
    return buckets;
  }

  // A group of similar tests is a bug. Signatures are features like the others: a bug may have
  // several, and two bugs may share one.
  std::vector<Recommendation> ChooseCauses() {
    const std::vector<size_t> all = SimplestFirst(tests_, options_.ignored);
    const TestSimilarity similarity(tests_, options_.ignored);
    const auto between = [&](size_t a, size_t b) {
      const TestSimilarity::Features features = similarity.All(all[a], all[b]);
      return TestSimilarity::Mean(options_.tuning, features);
    };
    for (const std::vector<size_t>& group :
         GroupsOfSimilar(all.size(), between, options_.tuning.same)) {
      Selected& selected = selected_.emplace_back(Selected{Compared(all[group[0]]), {}});
      for (size_t i = 1; i < group.size(); ++i) selected.stands_for.push_back(all[group[i]]);
    }
    SortByDistance();
    return TakeResult();
  }

  struct Selected {
    ComparedTest test;
    std::vector<size_t> stands_for;
  };

  // Keeps the first test of a bucket, which stands for all others.
  void SelectFirst(const Bucket& bucket) {
    selected_.push_back({bucket[0], {}});
    for (size_t i = 1; i < bucket.size(); ++i)
      selected_.back().stands_for.push_back(bucket[i].index);
  }

  // The algorithm of figure 6 of the paper. `bucket` is sorted by number of types, so the paper's
  // loop over that number is a single pass.
  void SelectDisjoint(const Bucket& bucket) {
    std::vector<bool> gone(bucket.size());
    for (size_t i = 0; i < bucket.size(); ++i) {
      if (gone[i]) continue;
      selected_.push_back({bucket[i], {}});
      for (size_t j = i + 1; j < bucket.size(); ++j) {
        if (gone[j] || !ShareOne(bucket[i].types, bucket[j].types)) continue;
        gone[j] = true;
        selected_.back().stands_for.push_back(bucket[j].index);
      }
    }
  }

  // Types that occur together often are no coincidence: a group of similar tests is kept even if
  // its types occur elsewhere. A test outside the groups joins the first group in which a test has
  // one of its types. If no such test exists, it is kept.
  void SelectGroups(const Bucket& bucket) {
    const size_t first = selected_.size();
    std::vector<bool> gone(bucket.size());
    std::vector<std::vector<std::string>> seen;  // types in each group, with ignored ones
    const auto keep = [&](const std::vector<size_t>& group) {
      selected_.push_back({bucket[group[0]], {}});
      std::set<std::string> types;
      for (const size_t i : group) {
        const DedupTest& test = tests_[bucket[i].index];
        gone[i] = true;
        types.insert(test.types.begin(), test.types.end());
        if (i != group[0]) selected_.back().stands_for.push_back(bucket[i].index);
      }
      seen.emplace_back(types.begin(), types.end());
    };
    for (const std::vector<size_t>& group : GroupsOf(bucket)) keep(group);
    for (size_t i = 0; i < bucket.size(); ++i) {
      if (gone[i]) continue;
      size_t with = 0;
      while (with < seen.size() && !ShareOne(bucket[i].types, seen[with])) ++with;
      if (with == seen.size()) {
        keep({i});
      } else {
        selected_[first + with].stands_for.push_back(bucket[i].index);
      }
    }
  }

  // The groups of similar tests as indices in the bucket, the simplest test of a group first. The
  // first group is around the types to which most tests are similar. The next group is around those
  // to which most of the remaining tests are similar.
  std::vector<std::vector<size_t>> GroupsOf(const Bucket& bucket) const {
    std::vector<std::vector<size_t>> equal = WithEqualTypes(bucket);
    const auto types = [&](size_t i) -> const auto& {
      return bucket[equal[i][0]].types;
    };
    std::vector<std::vector<size_t>> like(equal.size());
    for (size_t i = 0; i < equal.size(); ++i) {
      for (size_t j = 0; j < equal.size(); ++j) {
        if (ShareHalf(types(i), types(j))) like[i].push_back(j);
      }
    }
    std::vector<std::vector<size_t>> groups;
    while (true) {
      size_t most = 0, middle = 0;
      for (size_t i = 0; i < equal.size(); ++i) {
        if (equal[i].empty()) continue;
        size_t tests = 0;
        for (const size_t j : like[i]) tests += equal[j].size();
        if (tests <= most) continue;
        most = tests;
        middle = i;
      }
      if (most < kGroup) return groups;
      std::vector<size_t>& group = groups.emplace_back();
      for (const size_t j : like[middle]) {
        group.insert(group.end(), equal[j].begin(), equal[j].end());
        equal[j].clear();
      }
      std::sort(group.begin(), group.end());
    }
  }

  // The indices of tests with equal types, fewest types first.
  static std::vector<std::vector<size_t>> WithEqualTypes(const Bucket& bucket) {
    std::map<std::pair<size_t, std::vector<std::string>>, std::vector<size_t>> equal;
    for (size_t i = 0; i < bucket.size(); ++i) {
      equal[{bucket[i].types.size(), bucket[i].types}].push_back(i);
    }
    std::vector<std::vector<size_t>> result;
    for (auto& [types, tests] : equal) result.push_back(std::move(tests));
    return result;
  }

  void SortBySize() {
    std::sort(selected_.begin(), selected_.end(),
              [&](const Selected& a, const Selected& b) { return Before(a.test, b.test); });
  }

  // Puts the simplest test first, then always the one that differs most from all before it. A
  // different signature counts more than any types.
  void SortByDistance() {
    SortBySize();
    const auto distance = [&](const Selected& a, const Selected& b) {
      Distance between = Between(a.test, b.test);
      if (tests_[a.test.index].signature != tests_[b.test.index].signature) {
        between.differing += between.all;
      }
      return between;
    };
    std::vector<Distance> nearest(selected_.size(), {3, 1});
    for (size_t done = 0; done + 1 < selected_.size(); ++done) {
      size_t furthest = done + 1;
      for (size_t i = done + 1; i < selected_.size(); ++i) {
        nearest[i] = std::min(nearest[i], distance(selected_[done], selected_[i]));
        if (nearest[furthest] < nearest[i]) furthest = i;
      }
      // The others keep their order, so that of equal tests the simplest stays first.
      std::rotate(selected_.begin() + static_cast<std::ptrdiff_t>(done + 1),
                  selected_.begin() + static_cast<std::ptrdiff_t>(furthest),
                  selected_.begin() + static_cast<std::ptrdiff_t>(furthest + 1));
      std::rotate(nearest.begin() + static_cast<std::ptrdiff_t>(done + 1),
                  nearest.begin() + static_cast<std::ptrdiff_t>(furthest),
                  nearest.begin() + static_cast<std::ptrdiff_t>(furthest + 1));
    }
  }

  std::vector<Recommendation> TakeResult() {
    std::vector<Recommendation> result;
    for (Selected& kept : selected_) {
      std::sort(kept.stands_for.begin(), kept.stands_for.end(),
                [&](size_t a, size_t b) { return tests_[a].path < tests_[b].path; });
      result.push_back({kept.test.index, std::move(kept.test.types), std::move(kept.stands_for)});
    }
    return result;
  }

  const std::vector<DedupTest>& tests_;
  const DedupOptions& options_;
  std::vector<Selected> selected_;
};

}  // namespace

const DedupTuning kTunedOnRealBugs = {
    .weights = {1, 2, 4, 2, 1, 2, 1, 1},
    .same = 450,
};

std::vector<std::string> RelevantTypes(const DedupTest& test,
                                       const std::set<std::string>& ignored) {
  std::vector<std::string> types;
  for (const std::string& type : test.types) {
    if (!ignored.contains(type)) types.push_back(type);
  }
  return types.empty() ? test.types : types;
}

std::vector<size_t> SimplestFirst(const std::vector<DedupTest>& tests,
                                  const std::set<std::string>& ignored) {
  std::vector<std::vector<std::string>> types;
  std::vector<size_t> order;
  for (const DedupTest& test : tests) {
    order.push_back(order.size());
    types.push_back(RelevantTypes(test, ignored));
  }
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    const size_t types_a = types[a].size(), types_b = types[b].size();
    return std::tie(types_a, tests[a].steps, types[a], tests[a].path) <
           std::tie(types_b, tests[b].steps, types[b], tests[b].path);
  });
  return order;
}

bool HasSpecificSignature(const DedupTest& test) {
  // "CLASS WHERE: KEY" (signature/signature.h).
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
  std::vector<Recommendation> result = TestSelector(tests, options).Choose();
  size_t covered = result.size();
  for (const Recommendation& each : result) covered += each.stands_for.size();
  CHECK(covered == tests.size());
  return result;
}

}  // namespace dedup
}  // namespace refract
