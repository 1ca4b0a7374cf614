// SPDX-License-Identifier: Apache-2.0
// Which buckets count after reductions moved tests to sub-buckets.
#include "campaign/replaced_buckets.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace refract {
namespace {

Bucket Of(int64_t id, const std::string& stage, const std::string& signature,
          const std::string& sub = "") {
  Bucket bucket;
  bucket.id = id;
  bucket.stage = stage;
  bucket.signature = signature;
  bucket.sub = sub;
  if (signature != "crash") bucket.verdict = FailureClass::kWrongImage;
  return bucket;
}

KeptTest In(int64_t bucket) {
  KeptTest kept;
  kept.bucket = bucket;
  return kept;
}

std::vector<int64_t> Left(const std::vector<KeptTest>& kept) {
  std::vector<Bucket> buckets = {
      Of(1, "one", "wrong_image"),  Of(2, "one", "wrong_image", "fragment: split_block"),
      Of(3, "two", "wrong_image"),  Of(4, "one", "crash"),
      Of(5, "one", "wrong_buffer"),
  };
  const std::vector<Bucket> removed = RemoveReplacedBuckets(kept, &buckets);
  EXPECT_EQ(removed.size() + buckets.size(), 5u);
  std::vector<int64_t> ids;
  ids.reserve(buckets.size());
  for (const Bucket& bucket : buckets) ids.push_back(bucket.id);
  for (const Bucket& bucket : removed) {
    EXPECT_EQ(std::count(ids.begin(), ids.end(), bucket.id), 0) << bucket.id;
  }
  return ids;
}

TEST(ReplacedBuckets, SubBucketsReplaceTheirEmptyParents) {
  EXPECT_EQ(Left({In(2), In(3), In(4)}), (std::vector<int64_t>{2, 3, 4}));
}

TEST(ReplacedBuckets, AParentWithTestsStays) {
  EXPECT_EQ(Left({In(1), In(2), In(5)}), (std::vector<int64_t>{1, 2, 4, 5}));
}

}  // namespace
}  // namespace refract
