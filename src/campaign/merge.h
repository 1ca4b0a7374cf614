// SPDX-License-Identifier: Apache-2.0
// Campaigns of several machines as one: each had some of the tests (--shard), together they have
// what one machine would have had.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/store.h"

namespace refract::inline campaign {

/// Whether a path that a store holds stays below the folder that it is relative to. A store may
/// come from anybody.
bool StaysBelow(const std::string& path);

struct MergeResult {
  uint64_t tests = 0;    ///< of all folders
  uint64_t twice = 0;    ///< that several of them had
  uint64_t buckets = 0;  ///< that are there now
  uint64_t kept = 0;     ///< tests with a folder that were taken over
};

/// Makes `out` of `folders`, which were campaigns with the same seed and options (but for their
/// shards); what was begun otherwise is refused by name. `out` must not hold a campaign. The tests
/// are filed in the order of their index, so that buckets, their first tests and counts are those
/// of one run. Test folders are copied; of each bucket those of the lowest tests are kept, as many
/// as the campaigns kept.
Result<MergeResult> MergeCampaigns(const std::vector<std::string>& folders, const std::string& out);

}  // namespace refract::inline campaign
