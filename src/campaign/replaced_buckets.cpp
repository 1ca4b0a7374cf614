// SPDX-License-Identifier: Apache-2.0
#include "campaign/replaced_buckets.h"

#include <set>
#include <utility>

namespace refract {
inline namespace campaign {

void RemoveReplacedBuckets(const std::vector<KeptTest>& kept, std::vector<Bucket>* buckets) {
  std::set<std::pair<std::string, std::string>> with_subs;  // stage and signature
  for (const Bucket& bucket : *buckets) {
    if (!bucket.sub.empty()) with_subs.emplace(bucket.stage, bucket.signature);
  }
  std::set<int64_t> with_tests;
  for (const KeptTest& one : kept) with_tests.insert(one.bucket);
  std::erase_if(*buckets, [&](const Bucket& bucket) {
    return bucket.sub.empty() && with_subs.contains({bucket.stage, bucket.signature}) &&
           !with_tests.contains(bucket.id);
  });
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
