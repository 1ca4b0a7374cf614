// SPDX-License-Identifier: Apache-2.0
// What donors give: of each file its size, the functions it has and those that can be donated,
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
  uint64_t functions = 0;                   ///< with a body
  uint64_t taken = 0;                       ///< of these, can be donated
  uint64_t live_safe = 0;                   ///< of these, may be called from anywhere
  std::map<std::string, uint64_t> reasons;  ///< of those that cannot
};

struct DonorMeasurement {
  std::string file;  ///< below the folder
  uint64_t lines = 0;
  DonorForm plain, optimised;
  std::string fault;  ///< it cannot be read, or is not valid; empty if all is well
};

Result<std::vector<DonorMeasurement>> MeasureDonors(const std::string& folder);

/// What is not as wanted of one donor, a sentence each.
std::vector<std::string> UnmetGoals(const DonorMeasurement& donor);

}  // namespace refract::measure
