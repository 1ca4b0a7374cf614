// SPDX-License-Identifier: Apache-2.0
// The command line of `refract campaign`, and the campaign that it describes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "campaign/setup.h"
#include "cli/console.h"

namespace refract {
inline namespace cli {

/// The options as given. The help in verb_campaign.cpp explains them.
struct CampaignArguments {
  std::vector<std::string> references;
  std::optional<uint64_t> sample;  ///< number of references
  bool zero_inputs = false;
  std::vector<std::string> donors;
  std::vector<std::string> targets;
  std::vector<std::string> target_files;
  std::string out;
  uint64_t jobs = 0;
  std::string time;
  std::optional<uint64_t> tests;
  std::optional<uint64_t> seed;
  std::optional<uint64_t> stop_after;
  bool check_only = false;
  bool reduce_only = false;
  bool new_only = false;
  bool plain_only = false;
  std::vector<std::string> passes;
  std::optional<uint64_t> all_passes;  ///< percent of the variants
  bool float_identities = false;
  bool no_recommendations = false;
  uint64_t keep = 3;
  /// Percent of the tests. Without references, these options alone determine the tests.
  uint64_t flesh = 0;
  std::optional<uint64_t> generate;
  bool fuel = false;
  uint64_t max_steps = 2000;
  uint64_t time_limit = 10;
  std::string thresholds;
  std::string shard = "1/1";
  std::string coverage, coverage_target;  ///< folder of a build, and the target for it
  std::optional<uint64_t> round;
  bool no_feedback = false;
  std::string known;
  bool plain = false;
  /// The command line of an earlier start that gave these arguments (stored_arguments.h); empty:
  /// that of this process.
  std::vector<std::string> line;
};

/// Reads all named files and probes the targets. Cheap checks come first, so that a wrong command
/// line is reported at once. Writes nothing.
Result<CampaignSetup> PrepareCampaign(const CampaignArguments& given, Console& console);

}  // namespace cli
}  // namespace refract
