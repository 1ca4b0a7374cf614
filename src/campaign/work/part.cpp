// SPDX-License-Identifier: Apache-2.0
#include "campaign/work/part.h"

#include <map>
#include <set>

#include "campaign/replaced_buckets.h"
#include "campaign/work/task_queue.h"

namespace refract {
inline namespace campaign {

Status BeginPart(const CampaignSetup& setup, Store& store) {
  if (Status part = store.BeginPart(); !part) return part;
  std::vector<CampaignTarget> targets;
  for (const VersionedTarget& state : setup.targets) {
    targets.push_back(
        {0, state.target.name, std::string(TargetKindName(state.target.kind)), state.version});
  }
  if (Status set = store.SetTargets(targets); !set) return set;
  for (const auto& [kind, share] : {std::pair(ProgramKind::kControlFlow, setup.shares.flesh),
                                    std::pair(ProgramKind::kGenerated, setup.shares.generate)}) {
    if (share == 0) continue;
    CampaignReference programs;
    programs.name = ReferenceName(kind);
    programs.stability = ReferenceStability::kExact;
    if (Status set = store.SetReference(programs); !set) return set;
  }
  return {};
}

Result<PartResult> CountFindings(Store& store, double begin) {
  const Result<std::vector<Bucket>> buckets = CountedBuckets(store);
  if (!buckets) return buckets.error();
  const Result<std::vector<KeptTest>> kept = store.Kept();
  if (!kept) return kept.error();
  PartResult result;
  std::map<int64_t, const Bucket*> findings;
  for (const Bucket& bucket : *buckets) {
    if (!IsFinding(bucket)) continue;
    findings[bucket.id] = &bucket;
    ++result.open_findings;
    result.new_findings += bucket.first_seen > begin;
  }
  std::set<int64_t> unreduced;
  for (const KeptTest& one : *kept) {
    const auto bucket = findings.find(one.bucket);
    if (bucket == findings.end() || !IsWaiting(one.state)) continue;
    if (!IsReducible(*bucket->second, one.target)) continue;
    ++result.unreduced_tests;
    unreduced.insert(one.bucket);
  }
  result.unreduced_buckets = unreduced.size();
  return result;
}

}  // namespace campaign
}  // namespace refract
