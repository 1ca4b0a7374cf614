// SPDX-License-Identifier: Apache-2.0
// Measures donors: for each file its size, its functions, and how many of them can be donated,
// plain and after spirv-opt -O.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract::measure {

/// One module of a donor.
struct DonorForm {
  uint64_t functions = 0;                   ///< functions with a body
  uint64_t taken = 0;                       ///< functions that can be donated
  uint64_t live_safe = 0;                   ///< donated functions that are live-safe
  std::map<std::string, uint64_t> reasons;  ///< why the others cannot be donated
};

struct DonorMeasurement {
  std::string file;  ///< path below the folder
  uint64_t lines = 0;
  DonorForm plain, optimised;
  std::string fault;  ///< why it cannot be read or is not valid; empty if it is valid
};

Result<std::vector<DonorMeasurement>> MeasureDonors(const std::string& folder);

/// The goals that a donor misses, a sentence each.
std::vector<std::string> UnmetGoals(const DonorMeasurement& donor);

}  // namespace refract::measure
