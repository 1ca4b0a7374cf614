// SPDX-License-Identifier: Apache-2.0
// How many of some single faults (measure/faults.h) in a reference change what it outputs, by the
// interpreter: a reference that hides faults finds none in drivers.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/runnable_module.h"
#include "measure/faults.h"

namespace refract::measure {

/// What became of faults of one kind. All but `unchanged` are noticed.
struct FaultTally {
  uint64_t changed = 0;  ///< other outputs
  uint64_t trapped = 0;  ///< undefined behaviour, a race, or an undefined output
  uint64_t endless = 0;  ///< twenty times the steps were not enough
  uint64_t unchanged = 0;

  uint64_t noticed() const { return changed + trapped + endless; }
};

struct Sensitivity {
  std::array<FaultTally, kFaultKinds.size()> kinds;  ///< by FaultKind
  /// Of each fault that nothing shows: kind, function, the instruction as it was and as it is.
  std::vector<std::string> unnoticed;

  FaultTally Total() const;
  double Percent() const;  ///< noticed of all; 0 if there were none
  /// The same of those that leave the module well defined: those that a driver has to show.
  double DefinedPercent() const;
};

/// Draws `count` faults, or as many as there are, from a seed made of `name`. Where a fragment
/// shader has nothing but targets, a fault is looked for in a sample of the frame first.
Result<Sensitivity> MeasureSensitivity(const RunnableModule& subject, const std::string& name,
                                       uint64_t count);

}  // namespace refract::measure
