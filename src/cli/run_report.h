// SPDX-License-Identifier: Apache-2.0
// What `refract run` found on one target: compared, written to files, said in text and JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/blame.h"
#include "target/difference.h"
#include "driver/run.h"
#include "image/compare.h"

namespace refract::inline cli {

struct Ran {
  std::string role, file;
  RunResult result;
  std::string spirv;  ///< where what tools made was written; empty: nowhere
  std::string log;    ///< likewise, of a failure
  /// Where each output was written: targets, then buffers, then images; empty: nowhere.
  std::vector<std::string> outputs;
};

/// Two 8-bit targets at one location.
struct PicturePair {
  uint32_t location = 0;
  Comparison found;
  std::string diff;  ///< where the picture of differences was written
};

struct TargetReport {
  std::string target;
  std::string unavailable;  ///< why it could not run this; empty: it ran
  std::vector<Ran> runs;
  std::vector<PicturePair> pictures;
  std::vector<Difference> differences;  ///< of everything but those
  std::optional<Blame> blame;           ///< of a finding on a command target
};

/// If there are two runs and both went well, fills in pictures and differences.
void CompareRuns(CompareRule rule, const std::vector<BufferLayout>& layouts, TargetReport* report);

/// Whether any run failed, any validation message came, or anything differs.
bool IsFinding(const TargetReport& report, CompareRule rule);

/// Writes the picture of the only run, which must have one if it went well.
Status WritePicture(const std::string& file, TargetReport* report);
/// Writes everything into `folder`: TARGET.ROLE.png and so on, and beside what is no picture
/// TARGET.ROLE.outputs.json, which says what is in the files.
Status WriteFolder(const std::string& folder, std::vector<TargetReport>* reports);

std::string Summary(const TargetReport& report, CompareRule rule);
nlohmann::ordered_json ToJson(const std::vector<TargetReport>& reports, CompareRule rule);

}  // namespace refract::inline cli
