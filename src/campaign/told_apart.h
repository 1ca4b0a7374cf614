// SPDX-License-Identifier: Apache-2.0
// Which buckets count. Wrong outputs begin in one bucket for all of a signature, and reducing tells
// them apart: once nothing is left in that one, those with a sub stand for it.
#pragma once

#include <vector>

#include "campaign/store.h"

namespace refract::inline campaign {

/// Leaves out the buckets that others with a sub stand for: those whose tests were all told apart.
void LeaveOutToldApart(const std::vector<KeptTest>& kept, std::vector<Bucket>* buckets);

/// What a campaign found, as people should count it: all buckets of the store but those.
Result<std::vector<Bucket>> CountedBuckets(Store& store);

}  // namespace refract::inline campaign
