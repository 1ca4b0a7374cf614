// SPDX-License-Identifier: Apache-2.0
// The results of `refract run` on one target: compared, written to files, printed as text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/run.h"
#include "image/compare.h"
#include "target/blame.h"
#include "target/difference.h"

namespace refract {
inline namespace cli {

struct ReportedRun {
  std::string role, file;
  RunResult result;
  std::string spirv;  ///< the file with the output of tools; empty: not written
  std::string log;    ///< the file with the log of a failure; empty: not written
  /// The file of each output: colour targets, then buffers, then images. Empty: not written.
  std::vector<std::string> outputs;
};

/// The 8-bit images of original and variant at one location.
struct ImagePair {
  uint32_t location = 0;
  Comparison found;
  std::string diff;  ///< the file with the image of the differences
};

struct TargetReport {
  std::string target;
  /// Why the target could not run a module; empty: it ran all. If `runs` has the original, the
  /// target could not run the variant.
  std::string unavailable;
  std::vector<ReportedRun> runs;
  std::vector<ImagePair> pictures;
  std::vector<Difference> differences;  ///< of all outputs except `pictures`
  std::optional<Blame> blame;           ///< for a finding on a command target
};

/// If there are two runs and both are ok, fills in `pictures` and `differences`.
void CompareRuns(const ComparisonRule& rule, const std::vector<BufferLayout>& layouts,
                 TargetReport* report);

/// Whether a run failed, there is a validation message, or an output differs.
bool IsFinding(const TargetReport& report, const ComparisonRule& rule);

/// Writes the image of the only run. A run that is ok must have one.
Status WriteImage(const std::string& file, TargetReport* report);
/// Writes everything to `folder`: TARGET.ROLE.png and so on. If outputs are not images,
/// TARGET.ROLE.outputs.json describes their files.
Status WriteFolder(const std::string& folder, std::vector<TargetReport>* reports);

std::string Summary(const TargetReport& report, const ComparisonRule& rule);
nlohmann::ordered_json ToJson(const std::vector<TargetReport>& reports, const ComparisonRule& rule);

}  // namespace cli
}  // namespace refract
