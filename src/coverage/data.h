// SPDX-License-Identifier: Apache-2.0
// Which lines and functions of a program's source ran, in each test. `refract coverage run` makes
// such data, and coverage/formats.h reads those of other tools.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace coverage {

/// A function of a source file. Two functions with one name (templates, overloads in C) are one.
struct SourceFunction {
  std::string name;   ///< demangled
  uint32_t line = 0;  ///< its first line; 0: not known
  friend auto operator<=>(const SourceFunction&, const SourceFunction&) = default;
};

/// A source file: what can run in it.
struct SourceFile {
  std::string name;             ///< relative to the source folder, with slashes
  std::vector<uint32_t> lines;  ///< lines with code, ascending, each once
  std::vector<SourceFunction> functions;
  friend bool operator==(const SourceFile&, const SourceFile&) = default;
};

/// What one test ran. The elements are in the order of CoverageData::files: first all lines of the
/// first file, then those of the second.
struct TestHits {
  std::string name;  ///< of the test; empty if the data are of all tests together
  std::vector<bool> lines;
  std::vector<bool> functions;
};

/// Coverage of a target.
struct CoverageData {
  std::string target;   ///< the target, as --target names it; empty: not known
  std::string program;  ///< identifies the build: data of different builds are not added up
  std::vector<SourceFile> files;  ///< sorted by name
  std::vector<TestHits> tests;

  size_t line_count() const;
  size_t function_count() const;
  /// What any of the tests ran.
  TestHits All() const;
};

/// Writes data as gzip-compressed JSON (docs/coverage.md). The same data give the same bytes.
Status WriteCoverage(const std::string& file, const CoverageData& data);
/// The text of WriteCoverage before compression. For each test, lines and functions are lengths of
/// runs: not run, run, not run, ...
std::string CoverageText(const CoverageData& data);
/// Reads that text. An error names `file`.
Result<CoverageData> ParseCoverage(const std::string& file, const std::string& text);

}  // namespace coverage
}  // namespace refract
