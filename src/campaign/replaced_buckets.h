// SPDX-License-Identifier: Apache-2.0
// Which buckets count. All wrong outputs with one signature begin in one bucket, and reductions
// move them to sub-buckets. When no kept test is left in the parent bucket, its sub-buckets replace
// it.
#pragma once

#include <vector>

#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// Removes the buckets that their sub-buckets replace, and returns them.
std::vector<Bucket> RemoveReplacedBuckets(const std::vector<KeptTest>& kept,
                                          std::vector<Bucket>* buckets);

/// The buckets to count and to show: all buckets of the store, without those that
/// RemoveReplacedBuckets removes.
Result<std::vector<Bucket>> CountedBuckets(Store& store);

}  // namespace campaign
}  // namespace refract
