// SPDX-License-Identifier: Apache-2.0
// Measures how many single faults (measure/faults.h) in a reference change its outputs in the
// interpreter. A reference that hides faults finds no faults in drivers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/runnable_module.h"
#include "measure/faults.h"

namespace refract::measure {

/// What faults of one kind did. All but `unchanged` are noticed.
struct FaultTally {
  uint64_t changed = 0;  ///< other outputs
  uint64_t trapped = 0;  ///< undefined behaviour, a race, or an undefined output
  uint64_t endless = 0;  ///< not finished after twenty times the steps
  uint64_t unchanged = 0;

  uint64_t noticed() const { return changed + trapped + endless; }
};

struct Sensitivity {
  std::array<FaultTally, kFaultKinds.size()> kinds;  ///< by FaultKind
  /// For each fault that no output shows: kind, function, the instruction before and after.
  std::vector<std::string> unnoticed;

  FaultTally Total() const;
  double Percent() const;  ///< noticed faults; 0 if there were none
  /// The same for faults that leave the module well defined: those that a driver has to show.
  double DefinedPercent() const;
};

/// Draws `count` faults, or as many as there are, with a seed made from `name`. If a fragment
/// shader writes only to targets, a sample of the frame is checked first.
Result<Sensitivity> MeasureSensitivity(const RunnableModule& subject, const std::string& name,
                                       uint64_t count);

}  // namespace refract::measure
