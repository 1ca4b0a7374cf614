// SPDX-License-Identifier: Apache-2.0
// Which pass of a list does it: the passes that a command of spirv-opt's runs, and a search among
// them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "target/blame.h"
#include "target/command_target.h"

namespace refract::inline target {

/// The passes of a command in order, as flags; -O and -Os are taken apart as the program itself
/// says they are. Empty for programs that are not called spirv-opt or something like it.
std::vector<std::string> PassesOf(const CommandStep& step);

/// The command with these passes in place of all that it had.
CommandStep WithPassFlags(CommandStep step, const std::vector<std::string>& flags);

/// The pass at which it begins: with the passes before it `fails` says no, with it yes. For what
/// never goes away again (a crash, a hang) this is the first such pass. `fails` is asked about
/// lists that begin like `flags`; `alone` gets how many passes ran before, and the flag. Nothing
/// if all of `flags` do not fail, or none of them does.
std::optional<GuiltyPass> BisectPasses(
    const std::vector<std::string>& flags,
    const std::function<bool(const std::vector<std::string>&)>& fails,
    const std::function<bool(size_t before, const std::string& flag)>& alone);

}  // namespace refract::inline target
