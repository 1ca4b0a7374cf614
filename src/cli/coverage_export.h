// SPDX-License-Identifier: Apache-2.0
// `refract coverage gaps --export`: makes small tests for the gaps.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"
#include "cli/verb.h"
#include "coverage/gaps.h"

namespace refract {
inline namespace cli {

struct CoverageExportArguments {
  std::string output;  ///< folder; empty: no tests are made
  std::string build;
  std::vector<std::string> target_files;
  std::optional<uint64_t> jobs, time, tests;
  uint64_t time_limit = 10;
};

void DeclareCoverageExport(CoverageExportArguments& given, Options& options);

/// Goes through the gaps in their order. For each gap that no test in the output folder closes, it
/// makes a test from one of the gap's tests, which `b` has. Prints a line for each.
Result<ExitCode> ExportGapTests(const CoverageExportArguments& given,
                                const std::vector<CoverageGap>& gaps, const CoverageData& b,
                                Console& console);

/// FILE:FIRST-LAST, or FILE:LINE.
std::string PlaceOf(const CoverageGap& gap);

}  // namespace cli
}  // namespace refract
