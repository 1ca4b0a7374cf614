// SPDX-License-Identifier: Apache-2.0
// A test folder for a reduced recording of a planted bug, as `refract reduce --folder` would have
// written it: for dedup_quality, which takes the bug from the name of the folder above it.
#pragma once

#include <string>

#include "engine/original.h"
#include "message/recording.h"
#include "planted/bugs.h"
#include "reduce/reduce.h"

namespace refract::measure {

struct PlantedFinding {
  planted::Bug bug;
  std::string signature;
  const Original& original;
  const message::Recording& variant;
  const Reduction& reduction;
};

/// Writes `folder`/KIND.BUG/NUMBER, the first number that is not there yet.
Status WritePlantedFolder(const std::string& folder, const PlantedFinding& finding);

}  // namespace refract::measure
