// SPDX-License-Identifier: Apache-2.0
// Reads coverage data of Refract and of other tools.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"
#include "coverage/data.h"

namespace refract {
inline namespace coverage {

/// Collects lines and functions in any order, for data of all tests together.
class CoverageCollector {
 public:
  void AddLine(const std::string& file, uint32_t line, bool ran);
  void AddFunction(const std::string& file, SourceFunction function, bool ran);
  /// The data with one test without a name. If all names of files are absolute, they become
  /// relative to the folder that all of these files are in, or to `root` if it is not empty; files
  /// outside of `root` are then left out.
  CoverageData Take(const std::string& root);

 private:
  struct File {
    std::map<uint32_t, bool> lines;
    std::map<SourceFunction, bool> functions;
  };
  std::map<std::string, File> files_;
};

/// Reads one file, or all files of a folder that end in .gcov.json or .gcov.json.gz, together:
///   - what `refract coverage run` writes;
///   - a tracefile of lcov (geninfo(1), "FILES"): SF, DA, FN, FNDA;
///   - the JSON of `llvm-cov export`, version 2 (segments of files, functions);
///   - the JSON of `gcov --json-format` (gcov(1)).
/// Each may be compressed by gzip. `root`: see CoverageCollector::Take; not used for the first
/// form. An error names the file, and the line if it has lines.
Result<CoverageData> ReadCoverage(const std::string& path, const std::string& root = {});
/// The same for the bytes of a file that is decompressed.
Result<CoverageData> ParseAnyCoverage(const std::string& file, const std::string& text,
                                      const std::string& root = {});

}  // namespace coverage
}  // namespace refract
