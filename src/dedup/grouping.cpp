// SPDX-License-Identifier: Apache-2.0
#include "dedup/grouping.h"

#include <algorithm>
#include <utility>

namespace refract {
inline namespace dedup {
namespace {

class Grouper {
 public:
  Grouper(size_t count, const std::function<uint32_t(size_t, size_t)>& similarity)
      : groups_(count), sums_(count, std::vector<uint64_t>(count)), nearest_(count) {
    for (size_t i = 0; i < count; ++i) {
      groups_[i] = {i};
      for (size_t j = 0; j < i; ++j) sums_[i][j] = sums_[j][i] = similarity(i, j);
    }
    for (size_t i = 0; i < count; ++i) FindNearest(i);
  }

  // Joins the most similar groups while they are at least this similar.
  void JoinSimilar(uint32_t same) {
    while (true) {
      size_t best = groups_.size();
      for (size_t i = 0; i < groups_.size(); ++i) {
        if (!HasNearest(i)) continue;
        if (best == groups_.size() || IsLess(best, nearest_[best], i, nearest_[i])) best = i;
      }
      if (best == groups_.size() || !IsAtLeast(best, nearest_[best], same)) return;
      Join(best, nearest_[best]);
    }
  }

  std::vector<std::vector<size_t>> Take() {
    std::vector<std::vector<size_t>> result;
    for (std::vector<size_t>& group : groups_) {
      if (group.empty()) continue;
      std::sort(group.begin(), group.end());
      result.push_back(std::move(group));
    }
    std::sort(result.begin(), result.end());
    return result;
  }

 private:
  uint64_t Pairs(size_t a, size_t b) const { return groups_[a].size() * groups_[b].size(); }

  // Whether the groups a and b are less similar than c and d: averages as fractions.
  bool IsLess(size_t a, size_t b, size_t c, size_t d) const {
    return sums_[a][b] * Pairs(c, d) < sums_[c][d] * Pairs(a, b);
  }

  bool IsAtLeast(size_t a, size_t b, uint32_t limit) const {
    return sums_[a][b] >= limit * Pairs(a, b);
  }

  bool HasNearest(size_t i) const { return !groups_[i].empty() && nearest_[i] != i; }

  // Sets the group that is most similar to i; i itself if there is no other group.
  void FindNearest(size_t i) {
    nearest_[i] = i;
    for (size_t j = 0; j < groups_.size(); ++j) {
      if (j == i || groups_[j].empty()) continue;
      if (nearest_[i] == i || IsLess(i, nearest_[i], i, j)) nearest_[i] = j;
    }
  }

  // The joined group has the smaller index. Only neighbours of the two groups change.
  void Join(size_t a, size_t b) {
    const size_t into = std::min(a, b), from = std::max(a, b);
    groups_[into].insert(groups_[into].end(), groups_[from].begin(), groups_[from].end());
    groups_[from].clear();
    for (size_t i = 0; i < groups_.size(); ++i) {
      sums_[into][i] += sums_[from][i];
      sums_[i][into] = sums_[into][i];
    }
    FindNearest(into);
    for (size_t i = 0; i < groups_.size(); ++i) {
      if (i == into || groups_[i].empty()) continue;
      if (nearest_[i] == into || nearest_[i] == from) {
        FindNearest(i);
      } else if (nearest_[i] == i || IsLess(i, nearest_[i], i, into)) {
        nearest_[i] = into;
      }
    }
  }

  std::vector<std::vector<size_t>> groups_;  // empty: joined another one
  std::vector<std::vector<uint64_t>> sums_;  // of the similarities of all pairs
  std::vector<size_t> nearest_;
};

}  // namespace

std::vector<std::vector<size_t>> GroupsOfSimilar(
    size_t count, const std::function<uint32_t(size_t, size_t)>& similarity, uint32_t same) {
  Grouper grouper(count, similarity);
  grouper.JoinSimilar(same);
  return grouper.Take();
}

}  // namespace dedup
}  // namespace refract
