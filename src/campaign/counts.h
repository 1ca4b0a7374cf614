// SPDX-License-Identifier: Apache-2.0
// The numbers of a campaign's status that its store determines: buckets, targets, references,
// transformation types and the last events. The live status, stats.json and `refract campaign
// status` all show them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// Buckets by the section of the report in which they are listed.
struct BucketCounts {
  uint64_t found = 0;  ///< findings on targets
  uint64_t own = 0;    ///< faults of Refract
  uint64_t known = 0;
  uint64_t muted = 0;
  uint64_t counted_only = 0;
  double last_found = -1;  ///< when the newest of `found` was found; negative: there is none
};
BucketCounts CountBuckets(const std::vector<Bucket>& buckets);

/// Whether tests run on a target.
enum class TargetUse : uint8_t {
  kInUse,
  kSkipped,      ///< tests skip it now, because it hung too often
  kNotUsable,    ///< at the last test that used it
  kNoReference,  ///< every reference was checked there, and none runs
};
/// The text of a state in stats.json: "not_usable".
std::string_view TextOf(TargetUse use);
bool FromText(std::string_view text, TargetUse* use);

/// The runs on a target of the campaign.
struct TargetCounts {
  std::string name;
  uint64_t runs = 0;
  uint64_t failures = 0;      ///< outcomes that are bugs (IsBug)
  uint64_t counted_only = 0;  ///< other outcomes that are not ok: unsupported, slow and so on
  double seconds = 0;         ///< of all runs together
  TargetUse use = TargetUse::kInUse;
};

/// What the tests ran of the target of --coverage, as of the last round that ended.
struct CoverageCount {
  uint64_t rounds = 0;
  uint64_t lines = 0, all_lines = 0;  ///< that ran; with code
  uint64_t new_lines = 0;             ///< of the last round
};
/// Reads it; none in a campaign without feedback, or before its first round has ended.
Result<std::optional<CoverageCount>> ReadCoverageCount(Store& store);

/// All numbers that the store determines.
struct CampaignCounts {
  BucketCounts buckets;
  uint64_t reduced = 0;                    ///< kept tests that have a reduction
  uint64_t crash_only = 0;                 ///< references whose outputs are not compared
  uint64_t put_aside = 0;                  ///< references that run on no target
  uint64_t types = 0;                      ///< transformation types that occurred in variants
  std::vector<std::string> missing_types;  ///< the others, sorted
  std::optional<CoverageCount> coverage;   ///< in campaigns with feedback, after the first round
  std::vector<TargetCounts> targets;       ///< in the order of --targets
  std::vector<std::string> events;         ///< the last ones in words, the newest last
};

/// An event (a line of events.jsonl) in words: "12:05 new bucket: lavapipe: crash ...". Empty for
/// events that nobody needs to see.
std::string EventInWords(const CampaignEvent& event);

}  // namespace campaign
}  // namespace refract
