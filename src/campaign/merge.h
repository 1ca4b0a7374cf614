// SPDX-License-Identifier: Apache-2.0
// Merges the campaigns of several machines into one. Each machine ran some of the tests (--shard).
// The result is what a single machine would have.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/store/store.h"

namespace refract {
inline namespace campaign {

/// Whether a relative path from a store stays inside the folder that it is relative to. Stores may
/// come from people whom the user does not know.
bool StaysInside(const std::string& path);

/// What a merge did.
struct MergeResult {
  uint64_t tests = 0;            ///< of all folders
  uint64_t duplicate_tests = 0;  ///< tests that several folders have
  uint64_t buckets = 0;          ///< in the result
  uint64_t kept = 0;             ///< test folders that were copied
};

/// Merges the campaigns in `folders` into a new campaign in `out`, which must not hold one. The
/// campaigns must have the same seed and options, except for their shards. If they do not, the
/// error names the first difference. Tests are filed in the order of their index, so that buckets,
/// first tests and counts are those of a single run. Test folders are copied. In each bucket, the
/// tests with the lowest indices are kept, as many as the campaigns keep.
Result<MergeResult> MergeCampaigns(const std::vector<std::string>& folders, const std::string& out);

}  // namespace campaign
}  // namespace refract
