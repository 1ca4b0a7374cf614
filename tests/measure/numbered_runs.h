// SPDX-License-Identifier: Apache-2.0
// Shared code of programs that measure numbered runs one by one: options, the state file, and the
// report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/variants.h"

namespace refract::measure {

/// The requested runs, and the files.
struct NumberedRuns {
  uint64_t count = 0;
  uint64_t first = 0;
  double seconds = 1e9;  ///< no run starts after this time
  std::string references;
  std::string state;   ///< the state file: finished runs, a line each; empty: none
  std::string report;  ///< also gets the report; empty: none

  bool Has(uint64_t index) const { return index >= first && index < first + count; }
};

/// Reads the arguments, pairs of an option and its value. Sets the options of NumberedRuns
/// (--count, --first, --seconds, --references, --state, --report) in `runs`. `other` gets all
/// others, and returns false for an unknown one. Returns false after an error, which is printed to
/// stderr.
bool ReadArguments(int argc, char** argv, std::string_view program, NumberedRuns* runs,
                   const std::function<bool(std::string_view, const std::string&)>& other);

/// Reads the lines of the state file; none if there is no such file.
std::vector<std::string> StateLines(const std::string& path);

/// Measures the unfinished runs in the order of their numbers. `measure` returns the line of a run
/// for the state file. `keep` is called after that line is written, and never without a state file.
/// Returns false if a subject cannot be made, and prints the reason to stderr.
bool MeasureRuns(const NumberedRuns& runs, VariantOriginals& subjects,
                 const std::function<bool(uint64_t)>& is_done,
                 const std::function<std::string(uint64_t, const VariantOriginal&)>& measure,
                 const std::function<void(uint64_t, const VariantOriginal&)>& keep);

/// The start of a report: its title and the version of Refract.
std::string ReportHead(std::string_view title);

/// Prints the report and writes it to the file. Returns the exit status of the program.
int WriteReport(const NumberedRuns& runs, const std::string& text, bool reached);

}  // namespace refract::measure
