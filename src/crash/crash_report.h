// SPDX-License-Identifier: Apache-2.0
// Where a signal took a worker down is said on its stderr, by its watcher (crash/watcher.h) or,
// where that cannot trace, by itself before it dies; the harness finds the report there. File names
// and offsets survive stripped libraries and address randomisation, which absolute addresses do
// not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract::inline crash {

/// In a worker that is not traced, once: handlers on a stack of their own for SIGSEGV, SIGBUS,
/// SIGFPE, SIGILL and SIGABRT.
void InstallCrashReport();
/// In a worker that is traced, once: no handlers for those.
void ForgetHandlers();

/// A report of a stack in lines of glibc's form (crash/outside_stack.h).
std::string CrashReportText(int signal, bool stack_overflow, const std::vector<std::string>& lines);

struct CrashReport {
  int signal = 0;  ///< 0 if there is no report
  bool stack_overflow = false;
  std::vector<std::string> backtrace;  ///< as in RunResult
};

/// The last report in what a worker wrote.
CrashReport FindCrashReport(std::string_view output);

}  // namespace refract::inline crash
