// SPDX-License-Identifier: Apache-2.0
// The status of a campaign as people see it: what RunCampaign reports, or what the folder of a
// campaign tells another process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/campaign.h"

namespace refract {
inline namespace campaign {

struct CampaignStatus {
  /// What the campaign does now.
  enum class State : uint8_t {
    kRunning,
    kStopping,  ///< ^C was pressed
    kEnded,
    kKilled,  ///< it did not end, but no process has the folder
    kMerged,
  };
  std::string folder;
  State state = State::kRunning;
  uint64_t jobs = 0;
  CampaignProgress progress;
  std::vector<std::string> warnings;  ///< what the process wrote to stderr, line by line
};

/// stats.json of a campaign.
inline constexpr char kStatsFile[] = "stats.json";

/// Reads the status of the campaign in `folder`, which may be running. The store has the counts;
/// stats.json, at most ten seconds old, has the rest. An error if there is no campaign.
Result<CampaignStatus> ReadStatus(const std::string& folder);

}  // namespace campaign
}  // namespace refract
