// SPDX-License-Identifier: Apache-2.0
// Crash reports of workers. When a signal ends a worker, its watcher (crash/watcher.h) writes a
// report to stderr. If tracing is not allowed, the worker itself writes the report before it ends.
// The harness finds the report in the output. It has file names and offsets, which are the same for
// stripped libraries and in every run; absolute addresses are not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace crash {

/// Call once, in a worker that is not traced. Installs handlers for SIGSEGV, SIGBUS, SIGFPE, SIGILL
/// and SIGABRT, with a stack of their own.
void InstallCrashReport();
/// Call once, in a worker that is traced. Removes the handlers for these signals.
void ResetSignalHandlers();

/// The text of a report. `lines` is a stack in the form of glibc (crash/remote_stack.h).
std::string CrashReportText(int signal, bool stack_overflow, const std::vector<std::string>& lines);

struct CrashReport {
  int signal = 0;  ///< 0 if there is no report
  bool stack_overflow = false;
  std::vector<std::string> backtrace;  ///< as in RunResult
};

/// Finds the last report in the output of a worker.
CrashReport FindCrashReport(std::string_view output);

}  // namespace crash
}  // namespace refract
