// SPDX-License-Identifier: Apache-2.0
// `refract reduce --folder`: writes a test folder for a failure that was reduced on a target.
#pragma once

#include <string>

#include "cli/reduce/reduce_interestingness.h"
#include "engine/original.h"
#include "message/recording.h"
#include "reduce/reduce.h"
#include "reduce/smallest_wrong_output.h"

namespace refract {
inline namespace cli {

/// `recording` is the whole recording, `smallest` has the small programs of a wrong output, and
/// `interestingness` must have a target. Runs the reduced variant again to find out how often it
/// fails.
Status WriteReducedFolder(const std::string& folder, const Original& original,
                          const message::Recording& recording, const Reduction& reduction,
                          const SmallestWrongOutput& smallest, ChosenTest& interestingness);

}  // namespace cli
}  // namespace refract
