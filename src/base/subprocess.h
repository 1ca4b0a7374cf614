// SPDX-License-Identifier: Apache-2.0
// Runs a program that may crash, hang, eat all memory or talk for ever: in a process group of its
// own, without a shell, with nothing on its standard input, and none of it left when it is over.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract::inline base {

struct Command {
  std::vector<std::string> argv;  ///< argv[0] is the path of the program (FindProgram)
  std::string folder;             ///< it starts there, and its TMPDIR is there; empty: as ours
  std::string stdout_file;        ///< its standard output; empty: goes into CommandResult::output
  double time_limit = 60;         ///< seconds until it is killed
  /// Bytes of memory that it and its descendants may really use. Watched from outside, since limits
  /// on address space (RLIMIT_AS, RLIMIT_DATA) end every sanitised program before it begins.
  uint64_t memory_limit = uint64_t{4} << 30;
  uint64_t file_limit = uint64_t{1} << 30;  ///< bytes of any one file that it writes
  /// Also end processes that left its process group, as daemons do. Costs a fork and one more
  /// process.
  bool end_daemons = false;
  /// Once this is true it is killed; null: never.
  const std::atomic<bool>* stop = nullptr;
};

struct CommandResult {
  enum class End {
    kExit,    ///< by itself, with exit_code
    kSignal,  ///< of `signal`, which was not ours
    kTime,    ///< killed at the time limit
    kMemory,  ///< killed at the memory limit
    kStop,    ///< killed as Command::stop says
  };
  End end = End::kExit;
  int exit_code = 0;
  int signal = 0;
  double seconds = 0;
  double cpu_seconds = 0;  ///< of processor time, with what it started and waited for
  std::string output;  ///< standard error and, without a stdout_file, output: first and last MiB
};

/// Runs it to its end, or to a limit. When it is over, its process group is killed, with
/// end_daemons whatever it started; should this process be killed first, so is it. An error if it
/// cannot be started. Threads may call it at once.
Result<CommandResult> RunCommand(const Command& command);

/// The path of a program: a name without a slash is looked for in $PATH. Empty if there is none
/// that can be run.
std::string FindProgram(const std::string& name);

}  // namespace refract::inline base
