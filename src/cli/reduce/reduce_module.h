// SPDX-License-Identifier: Apache-2.0
// `refract reduce` without a recording: makes a module smaller as long as it is interesting.
#pragma once

#include "cli/console.h"
#include "cli/reduce/reduce_arguments.h"
#include "cli/verb.h"

namespace refract {
inline namespace cli {

Result<ExitCode> ReduceModuleWith(const ReduceArguments& given, Console& console);

}  // namespace cli
}  // namespace refract
