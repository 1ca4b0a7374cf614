// SPDX-License-Identifier: Apache-2.0
// The command line: finds the verb, parses its options, runs it, turns errors into exit codes.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/verb.h"

namespace refract {
inline namespace cli {

/// Does everything that `main` does. `verbs` are in the order of --help. Never throws.
int RunCommandLine(int argc, char** argv, std::span<const Verb* const> verbs);

/// The exit code of the process after an error of this kind.
ExitCode ExitCodeOf(ErrorKind kind);

}  // namespace cli
}  // namespace refract
