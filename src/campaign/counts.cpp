// SPDX-License-Identifier: Apache-2.0
#include "campaign/counts.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "campaign/report/report_page.h"

namespace refract {
inline namespace campaign {
namespace {

constexpr std::pair<TargetUse, std::string_view> kUses[] = {
    {TargetUse::kInUse, "in_use"},
    {TargetUse::kSkipped, "skipped"},
    {TargetUse::kNotUsable, "not_usable"},
    {TargetUse::kNoReference, "no_reference"},
};

}  // namespace

std::string_view TextOf(TargetUse use) {
  return kUses[static_cast<size_t>(use)].second;
}

bool FromText(std::string_view text, TargetUse* use) {
  const auto* found = std::find_if(std::begin(kUses), std::end(kUses),
                                   [&](const auto& row) { return row.second == text; });
  if (found == std::end(kUses)) return false;
  *use = found->first;
  return true;
}

BucketCounts CountBuckets(const std::vector<Bucket>& buckets) {
  BucketCounts counts;
  for (const Bucket& bucket : buckets) {
    switch (GroupOf(bucket)) {
      case ReportGroup::kFinding:
        ++counts.found;
        counts.last_found = std::max(counts.last_found, bucket.first_seen);
        break;
      case ReportGroup::kOwn:
        ++counts.own;
        break;
      case ReportGroup::kKnown:
        ++counts.known;
        break;
      case ReportGroup::kMuted:
        ++counts.muted;
        break;
      case ReportGroup::kCounted:
        ++counts.counted_only;
        break;
    }
  }
  return counts;
}

}  // namespace campaign
}  // namespace refract
