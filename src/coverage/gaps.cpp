// SPDX-License-Identifier: Apache-2.0
#include "coverage/gaps.h"

#include <algorithm>
#include <map>
#include <set>

namespace refract {
inline namespace coverage {
namespace {

using LinesByFile = std::map<std::string, std::set<uint32_t>>;

LinesByFile LinesThatRan(const CoverageData& data) {
  LinesByFile ran;
  const TestHits all = data.All();
  size_t element = 0;
  for (const SourceFile& file : data.files) {
    for (const uint32_t line : file.lines) {
      if (all.lines[element++]) ran[file.name].insert(line);
    }
  }
  return ran;
}

std::vector<size_t> TestsThatRan(const CoverageData& data, size_t element) {
  std::vector<size_t> tests;
  for (size_t i = 0; i < data.tests.size(); ++i) {
    if (data.tests[i].lines[element]) tests.push_back(i);
  }
  return tests;
}

}  // namespace

std::vector<CoverageGap> FindGaps(const CoverageData& a, const CoverageData& b) {
  const LinesByFile ran_in_a = LinesThatRan(a);
  std::vector<CoverageGap> gaps;
  size_t element = 0;
  for (const SourceFile& file : b.files) {
    const auto in_a = ran_in_a.find(file.name);
    bool follows = false;  // the line before is in the last gap
    for (const uint32_t line : file.lines) {
      const size_t at = element++;
      const bool ran = in_a != ran_in_a.end() && in_a->second.count(line) != 0;
      std::vector<size_t> tests = ran ? std::vector<size_t>() : TestsThatRan(b, at);
      if (tests.empty()) {
        follows = false;
        continue;
      }
      if (!follows || gaps.back().tests != tests) {
        gaps.push_back({file.name, line, line, 0, std::move(tests)});
      }
      gaps.back().last = line;
      ++gaps.back().lines;
      follows = true;
    }
  }
  std::stable_sort(gaps.begin(), gaps.end(), [](const CoverageGap& x, const CoverageGap& y) {
    if (x.tests.size() != y.tests.size()) return x.tests.size() < y.tests.size();
    return x.lines > y.lines;
  });
  return gaps;
}

std::vector<GapTest> TestsForGaps(const std::vector<CoverageGap>& gaps, size_t test_count) {
  std::vector<std::vector<size_t>> of_test(test_count);
  for (size_t gap = 0; gap < gaps.size(); ++gap) {
    for (const size_t test : gaps[gap].tests) of_test[test].push_back(gap);
  }
  std::vector<bool> closed(gaps.size());
  std::vector<GapTest> taken;
  const auto open = [&](size_t test) {
    return std::count_if(of_test[test].begin(), of_test[test].end(),
                         [&](size_t gap) { return !closed[gap]; });
  };
  for (size_t left = gaps.size(); left > 0;) {
    size_t best = 0;
    auto most = open(0);
    for (size_t test = 1; test < test_count; ++test) {
      const auto count = open(test);
      if (count <= most) continue;
      best = test;
      most = count;
    }
    GapTest& made = taken.emplace_back();
    made.test = best;
    for (const size_t gap : of_test[best]) {
      if (closed[gap]) continue;
      closed[gap] = true;
      made.gaps.push_back(gap);
      --left;
    }
  }
  return taken;
}

}  // namespace coverage
}  // namespace refract
