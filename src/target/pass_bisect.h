// SPDX-License-Identifier: Apache-2.0
// Finds the pass in the list of a spirv-opt command that causes a failure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/blame.h"
#include "target/command_target.h"

namespace refract {
inline namespace target {

/// The passes of a command in order, as flags. -O and -Os are split into the passes that the
/// program itself reports for them. Empty unless the name of the program contains spirv-opt.
std::vector<std::string> PassesOf(const CommandStep& step);

/// The command with these passes instead of its own.
CommandStep WithPassFlags(CommandStep step, const std::vector<std::string>& flags);

/// Searches for the pass at which the failure begins: `fails` is false for the passes before it and
/// true with it. If a failure stays once it occurred (a crash, a hang), this is the first such
/// pass. `fails` is called with beginnings of `flags`. `alone` gets the number of passes that ran
/// before, and the flag. Returns nothing if `flags` does not fail, or if the empty list fails too.
std::optional<FailingPass> BisectPasses(
    const std::vector<std::string>& flags,
    const std::function<bool(const std::vector<std::string>&)>& fails,
    const std::function<bool(size_t before, const std::string& flag)>& alone);

}  // namespace target
}  // namespace refract
