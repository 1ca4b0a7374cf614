// SPDX-License-Identifier: Apache-2.0
// The files and messages of `refract reduce --smallest` for a wrong output.
#pragma once

#include "base/result.h"
#include "cli/console.h"
#include "cli/reduce/reduce_arguments.h"
#include "reduce/smallest_wrong_output.h"

namespace refract {
inline namespace cli {

/// Says how small the pair and the module are. With --smallest, also writes the files, and warns
/// of those that there are not.
Status WriteSmallest(const ReduceArguments& given, const SmallestWrongOutput& smallest,
                     Console& console);

}  // namespace cli
}  // namespace refract
