// SPDX-License-Identifier: Apache-2.0
// The whole command line: finds the verb, parses, runs it, turns errors into exit codes.
#pragma once

#include <span>

#include "base/result.h"
#include "cli/verb.h"

namespace refract::inline cli {

/// Everything `main` does, with the verbs in the order of --help. Never throws.
int RunCommandLine(int argc, char** argv, std::span<const Verb* const> verbs);

/// What an error of this kind makes the process exit with.
ExitCode ExitCodeOf(ErrorKind kind);

}  // namespace refract::inline cli
