// SPDX-License-Identifier: Apache-2.0
// What a verb of the command line is. Each lives in its own file, cli/verb_NAME.cpp, as one
// constant `kNameVerb`, declared in cli/verbs.h and entered in the table of cli/verbs.cpp;
// everything else (parsing, --help with an example, --help-all with exit codes, errors) is the same
// for all and is done in cli/command_line.cpp and cli/help.cpp.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"

namespace refract::inline cli {

/// What the process exits with; docs/cli.md is the promise.
enum ExitCode : int {
  kDone = 0,
  kOurFault = 1,        ///< failed CHECK, a difference found by --self-check
  kUsage = 2,           ///< asked for in a way that makes no sense
  kBadInput = 3,        ///< unreadable, invalid, of another version
  kFinding = 4,         ///< crash, hang, lost device, difference, undefined behaviour
  kNotInteresting = 5,  ///< or not reproduced, or --strict with skipped steps
  kBudgetEnded = 6,     ///< the best result so far was written
  kTargetMissing = 7,   ///< not on this machine, or it cannot run this module
  kInterrupted = 130,   ///< second ^C
};

/// One row of the exit codes in --help-all.
struct ExitRow {
  ExitCode code;
  const char* meaning;
};

/// Runs the verb with what was parsed. Data goes to Console::Print, talk to Console::Say. An Error
/// becomes a line on stderr and its exit code.
using Action = std::function<Result<ExitCode>(Console& console)>;

struct Verb {
  const char* name;
  const char* summary;  ///< one line, for `refract --help`
  const char* example;  ///< a command that works, for --help
  /// Beyond 0, 1, 2 and 3, which every verb has, but for those without files.
  std::vector<ExitRow> exit_codes;
  /// The options that --help shows, in this order, about ten: "--output". --help-all shows all.
  std::vector<const char*> main_options = {};
  /// It neither reads nor writes a file, so exit code 3 cannot occur.
  bool no_files = false;
  /// Declares what it takes; returns what to do once that is parsed. DeclareVerb below makes one.
  /// Null for a verb that has `parts`.
  Action (*declare)(Options& options) = nullptr;
  /// Started by refract itself only: not in --help, and a failed CHECK keeps its SIGABRT so that
  /// the parent sees it.
  bool internal = false;
  /// Verbs below this one, one of which must be given: `refract cfg check`. They have no parts.
  std::vector<const Verb*> parts = {};
};

/// Verb::declare for a verb whose options are the fields of `Given`.
template <class Given, void (*Declare)(Given&, Options&),
          Result<ExitCode> (*Run)(const Given&, Console&)>
Action DeclareVerb(Options& options) {
  const auto given = std::make_shared<Given>();
  Declare(*given, options);
  return [given](Console& console) { return Run(*given, console); };
}

}  // namespace refract::inline cli
