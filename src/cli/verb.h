// SPDX-License-Identifier: Apache-2.0
// A verb of the command line. Each verb has its own file, cli/verbs/verb_NAME.cpp, which defines
// the constant `kNameVerb`. cli/verbs.h declares the constant, and the table of cli/verbs.cpp lists
// it. cli/command_line.cpp and cli/help.cpp do everything that is the same for all verbs: parsing,
// --help with an example, --help-all with the exit codes, errors.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "base/result.h"
#include "cli/console.h"
#include "cli/options.h"

namespace refract {
inline namespace cli {

/// The exit codes of the process; docs/cli.md documents them.
enum ExitCode : int {
  kDone = 0,
  kFault = 1,           ///< failed CHECK, a difference found by --self-check
  kUsage = 2,           ///< wrong usage
  kBadInput = 3,        ///< unreadable, invalid, of another version
  kFinding = 4,         ///< crash, hang, lost device, difference, undefined behaviour
  kNotInteresting = 5,  ///< or not reproduced, or --strict with skipped steps
  kBudgetEnded = 6,     ///< the best result so far was written
  kTargetMissing = 7,   ///< the target is not on this machine, or nothing could run on it
  kInterrupted = 130,   ///< second ^C
};

/// One row of the exit codes in --help-all.
struct ExitRow {
  ExitCode code;
  const char* meaning;
};

/// Runs the verb with the parsed options. Data goes to Console::Print, progress messages go to
/// Console::Say. An Error becomes a line on stderr and an exit code.
using Action = std::function<Result<ExitCode>(Console& console)>;

struct Verb {
  const char* name;
  const char* summary;  ///< one line, for `refract --help`
  const char* example;  ///< a command that works, for --help
  /// In addition to 0, 1, 2 and 3. Every verb has these, but one with `no_files` has no 3.
  std::vector<ExitRow> exit_codes;
  /// The options that --help shows, in this order, about ten: "--output". --help-all shows all.
  std::vector<const char*> main_options = {};
  /// The verb neither reads nor writes a file, so exit code 3 cannot occur.
  bool no_files = false;
  /// Declares the options and returns the action to do after parsing. DeclareVerb below makes such
  /// a function. Null for a verb that does nothing without one of its `parts`.
  Action (*declare)(Options& options) = nullptr;
  /// Only refract itself starts this verb: --help does not list it, and a failed CHECK ends it with
  /// SIGABRT, so that the parent sees the failure.
  bool internal = false;
  /// The verbs below this one, as in `refract cfg check`. They have no parts. One must be given,
  /// unless there is `declare`.
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

}  // namespace cli
}  // namespace refract
