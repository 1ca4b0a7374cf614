// SPDX-License-Identifier: Apache-2.0
// Writes variants in the form of ClusterFuzz's black-box fuzzers: a given number of files. Each is
// a module that needs no inputs, with a second file that has the options of the program under test.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"

namespace refract {
inline namespace campaign {

struct ClusterFuzzOptions {
  std::vector<CampaignSource> sources;  ///< modules to make variants of; empty: the built-in module
  DonorPool donors;
  std::string output;  ///< the folder; created if it does not exist
  uint64_t files = 0;
  uint64_t seed = 0;
  uint32_t max_steps = 2000;
  /// Lines of options, one of which is drawn for each file. "{env}" stands for the environment of
  /// the module.
  std::vector<std::string> flags = {"--target-env={env}"};
};

struct ClusterFuzzResult {
  uint64_t variants = 0;
  /// Files with the unchanged built-in module, because none of the modules tried gave a variant.
  uint64_t unchanged = 0;
};

/// Writes fuzz-0.spv, flags-0 and so on: always `files` of each, or an error. The content of file i
/// depends only on `options` (without `output` and `files`) and on i.
Result<ClusterFuzzResult> WriteClusterFuzzFiles(const ClusterFuzzOptions& options);

}  // namespace campaign
}  // namespace refract
