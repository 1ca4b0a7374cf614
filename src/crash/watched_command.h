// SPDX-License-Identifier: Apache-2.0
// Where a tool crashes. A tool that died is run once more by a watcher (crash/watcher.h), which
// sees what tools, stripped and without a debugger, do not say: nothing is spent on those that end
// well.
#pragma once

#include "base/result.h"
#include "base/subprocess.h"
#include "crash/crash_report.h"

namespace refract::inline crash {

/// What is seen when the command, which died of a signal, is run again: without a signal where it
/// does not die this time, or may not be traced.
Result<CrashReport> WatchCrash(Command command);

}  // namespace refract::inline crash
