// SPDX-License-Identifier: Apache-2.0
#include "harness/watched_command.h"

#include <unistd.h>

#include "base/text.h"
#include "harness/worker.h"

namespace refract {

Result<CrashReport> WatchCrash(Command command) {
  command.argv.insert(command.argv.begin(),
                      {"/proc/self/exe", kWatchArgument, format("{}", ::getpid())});
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return ran.error();
  return ran->end == CommandResult::End::kSignal ? FindCrashReport(ran->output) : CrashReport();
}

}  // namespace refract
