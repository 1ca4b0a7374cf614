// SPDX-License-Identifier: Apache-2.0
// Writes a test folder for a reduced recording of a planted bug, as `refract reduce --folder` does.
// dedup_quality reads it, and takes the bug from the name of the parent folder.
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

/// Writes `folder`/KIND.BUG/NUMBER, with the first NUMBER that is free.
Status WritePlantedFolder(const std::string& folder, const PlantedFinding& finding);

}  // namespace refract::measure
