// SPDX-License-Identifier: Apache-2.0
// Finds the lines that run only in the tests of B, and the tests that run them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coverage/data.h"

namespace refract {
inline namespace coverage {

/// Lines of one file that only B runs, and that the same tests of B run. They follow one another
/// in the file, with no other line with code between them.
struct CoverageGap {
  std::string file;
  uint32_t first = 0, last = 0;  ///< lines
  size_t lines = 0;              ///< with code
  std::vector<size_t> tests;     ///< indices into CoverageData::tests of B, ascending
};

/// The gaps, those with the fewest tests first, then with the most lines, then in the order of the
/// files. A line that A does not have counts as not run in A.
std::vector<CoverageGap> FindGaps(const CoverageData& a, const CoverageData& b);

/// Tests that together run the lines of all gaps: takes the test that closes the most gaps that
/// are still open, the first of equal ones, and so on. `tests` indices of B, and for each the gaps
/// that it was taken for (indices).
struct GapTest {
  size_t test = 0;
  std::vector<size_t> gaps;
};
std::vector<GapTest> TestsForGaps(const std::vector<CoverageGap>& gaps, size_t test_count);

}  // namespace coverage
}  // namespace refract
