// SPDX-License-Identifier: Apache-2.0
#include "campaign/replaced_buckets.h"

#include <algorithm>
#include <set>

namespace refract {
inline namespace campaign {

std::vector<Bucket> RemoveReplacedBuckets(const std::vector<KeptTest>& kept,
                                          std::vector<Bucket>* buckets) {
  // The sub-buckets may have other stages and signatures: those that are to blame.
  const bool any_sub = std::any_of(buckets->begin(), buckets->end(),
                                   [](const Bucket& bucket) { return !bucket.sub.empty(); });
  std::set<int64_t> with_tests;
  for (const KeptTest& one : kept) with_tests.insert(one.bucket);
  std::vector<Bucket> removed;
  std::erase_if(*buckets, [&](const Bucket& bucket) {
    const bool replaced = any_sub && bucket.sub.empty() && IsWrongOutput(bucket.verdict) &&
                          !with_tests.contains(bucket.id);
    if (replaced) removed.push_back(bucket);
    return replaced;
  });
  return removed;
}

Result<std::vector<Bucket>> CountedBuckets(Store& store) {
  Result<std::vector<Bucket>> buckets = store.Buckets();
  if (!buckets) return buckets;
  const Result<std::vector<KeptTest>> kept = store.Kept();
  if (!kept) return kept.error();
  RemoveReplacedBuckets(*kept, &*buckets);
  return buckets;
}

}  // namespace campaign
}  // namespace refract
