// SPDX-License-Identifier: Apache-2.0
#include "crash/watched_command.h"

#include <unistd.h>

#include "base/text.h"
#include "crash/child_arguments.h"

namespace refract {
inline namespace crash {

Result<CrashReport> RerunUnderWatcher(Command command) {
  command.argv.insert(command.argv.begin(),
                      {"/proc/self/exe", kWatchArgument, format("{}", ::getpid())});
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return ran.error();
  return ran->end == CommandResult::End::kSignal ? FindCrashReport(ran->output) : CrashReport();
}

}  // namespace crash
}  // namespace refract
