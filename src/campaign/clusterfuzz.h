// SPDX-License-Identifier: Apache-2.0
// Variants as ClusterFuzz's black-box fuzzers write them: so many files, each a module that needs
// nothing beside it, and beside it the options of the program that is to take it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"

namespace refract::inline campaign {

struct ClusterFuzzOptions {
  std::vector<CampaignSource> sources;  ///< what variants are made of; empty: of a module of ours
  DonorShelf donors;
  std::string output;  ///< the folder; it is made
  uint64_t files = 0;
  uint64_t seed = 0;
  uint32_t max_steps = 2000;
  /// Lines, one of which is drawn for each file; "{env}" stands for its environment.
  std::vector<std::string> flags = {"--target-env={env}"};
};

struct ClusterFuzzResult {
  uint64_t variants = 0;
  /// Files that hold a module of ours as it is, since none of the sources tried gave a variant.
  uint64_t plain = 0;
};

/// Writes fuzz-0.spv, flags-0 and so on: always `files` of each, or an error. File i depends on
/// sources, donors, seed and i alone.
Result<ClusterFuzzResult> WriteClusterFuzzFiles(const ClusterFuzzOptions& options);

}  // namespace refract::inline campaign
