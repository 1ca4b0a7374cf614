// SPDX-License-Identifier: Apache-2.0
// What programs share that measure runs one by one, each on the subject of its number: options, the
// file of what is done, and the report.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "measure/variants.h"

namespace refract::measure {

/// The runs that are asked for, and the files.
struct NumberedRuns {
  uint64_t count = 0;
  uint64_t first = 0;
  double seconds = 1e9;  ///< no run begins after that time
  std::string references;
  std::string state;   ///< what is done, a line for each run; empty: none
  std::string report;  ///< gets the report, too; empty: none

  bool Has(uint64_t index) const { return index >= first && index < first + count; }
};

/// Reads the arguments, pairs of an option and its value. Those of NumberedRuns (--count, --first,
/// --seconds, --references, --state, --report) are set in `runs`; `other` gets all others, and
/// returns false for an unknown one. Then the result is false, too, and stderr has said why.
bool ReadArguments(int argc, char** argv, std::string_view program, NumberedRuns* runs,
                   const std::function<bool(std::string_view, const std::string&)>& other);

/// Reads the lines of the file of what is done: none if there is no such file.
std::vector<std::string> StateLines(const std::string& path);

/// Measures those of the runs that are not done, in the order of their numbers. `measure` returns
/// the line of a run for the file of what is done; `keep` is called when it is written, and not
/// without such a file. Returns false if a subject cannot be made, and says why on stderr.
bool MeasureRuns(const NumberedRuns& runs, VariantOriginals& subjects,
                 const std::function<bool(uint64_t)>& is_done,
                 const std::function<std::string(uint64_t, const VariantOriginal&)>& measure,
                 const std::function<void(uint64_t, const VariantOriginal&)>& keep);

/// The beginning of a report: its title and the version of Refract.
std::string ReportHead(std::string_view title);

/// Prints the report and writes it to the file. Returns the exit status of the program.
int WriteReport(const NumberedRuns& runs, const std::string& text, bool reached);

}  // namespace refract::measure
