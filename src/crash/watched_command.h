// SPDX-License-Identifier: Apache-2.0
// Finds out where a tool crashed. A tool that a signal ended runs once more under a watcher
// (crash/watcher.h), which reads the stack even if the tool is stripped and no debugger is
// installed. Tools that end normally cost nothing extra.
#pragma once

#include "base/result.h"
#include "base/subprocess.h"
#include "crash/crash_report.h"

namespace refract {
inline namespace crash {

/// Runs a command that a signal ended again, and returns the report. The report has no signal if
/// the command does not crash this time, or may not be traced.
Result<CrashReport> RerunUnderWatcher(Command command);

}  // namespace crash
}  // namespace refract
