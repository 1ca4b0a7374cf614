// SPDX-License-Identifier: Apache-2.0
// Compares two sets of coverage data: what ran in one and not in the other (differential coverage,
// Donaldson et al., "Putting Randomized Compiler Testing into Production", ECOOP 2020).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "coverage/data.h"

namespace refract {
inline namespace coverage {

/// Whether a line or function ran: a set of these bits.
enum Ran : uint8_t { kRanNowhere = 0, kRanInA = 1, kRanInB = 2, kRanInBoth = 3 };

struct ComparedFile {
  std::string name;
  std::vector<uint32_t> lines;  ///< lines with code in A or B, ascending
  std::vector<Ran> line_ran;
  std::vector<SourceFunction> functions;  ///< of A or B, sorted
  std::vector<Ran> function_ran;
};

struct CoverageCounts {
  size_t all = 0, a = 0, b = 0, only_a = 0, only_b = 0;
  CoverageCounts& operator+=(const CoverageCounts& other);
};

struct FileCounts {
  std::string name;
  CoverageCounts lines, functions;
};

struct CoverageComparison {
  std::vector<ComparedFile> files;  ///< sorted by name
  FileCounts CountsOf(const ComparedFile& file) const;
  FileCounts total() const;
  /// Sums by the folder of the file, sorted by name; "." for files without a folder.
  std::vector<FileCounts> ByFolder() const;
};

CoverageComparison CompareCoverage(const CoverageData& a, const CoverageData& b);

/// A table for people: totals, folders, and the files in which only one of the two ran something,
/// most lines of B first.
std::string ComparisonText(const CoverageComparison& comparison);
/// The same for programs, with all lines and functions that only A or only B ran (docs/json.md).
std::string ComparisonJson(const CoverageComparison& comparison);

}  // namespace coverage
}  // namespace refract
