// SPDX-License-Identifier: Apache-2.0
// Runs a program that may crash, hang, use all memory or print without end. It runs in its own
// process group, without a shell, with an empty standard input. When the call returns, no process
// of the group is left.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace base {

struct Command {
  std::vector<std::string> argv;  ///< argv[0] is the path of the program (FindProgram)
  std::string folder;             ///< working folder, also its TMPDIR; empty: those of this process
  std::string stdout_file;        ///< file for its standard output; empty: CommandResult::output
  double time_limit = 60;         ///< seconds after which it is killed
  /// Bytes of resident memory of the program and its descendants. A watcher outside the program
  /// checks it, because with limits on address space (RLIMIT_AS, RLIMIT_DATA) no sanitised program
  /// can start.
  uint64_t memory_limit = uint64_t{4} << 30;
  uint64_t file_limit = uint64_t{1} << 30;  ///< bytes of each file that it writes
  /// Also kill processes that have left the process group, as daemons do. This costs a fork and one
  /// more process.
  bool end_daemons = false;
  /// The program is killed once `*stop` is true; null: never.
  const std::atomic<bool>* stop = nullptr;
};

struct CommandResult {
  enum class End {
    kExit,    ///< it ended with exit_code
    kSignal,  ///< it ended by `signal`, which refract did not send
    kTime,    ///< killed at the time limit
    kMemory,  ///< killed at the memory limit
    kStop,    ///< killed because Command::stop was set
  };
  End end = End::kExit;
  int exit_code = 0;
  int signal = 0;
  double seconds = 0;
  double cpu_seconds = 0;  ///< processor time, including the children that it waited for
  /// Standard error, and standard output without a stdout_file: first and last MiB.
  std::string output;
};

/// Runs the program until it ends or reaches a limit. Then kills its process group and, with
/// end_daemons, all its descendants. The same happens if this process is killed first. Returns an
/// error if the program cannot be started. Several threads may call it at the same time.
Result<CommandResult> RunCommand(const Command& command);

/// The path of a program. A name without a slash is searched for in $PATH. Empty if there is no
/// such executable.
std::string FindProgram(const std::string& name);

}  // namespace base
}  // namespace refract
