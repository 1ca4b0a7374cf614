// SPDX-License-Identifier: Apache-2.0
// A worker that a signal takes down says where, on its stderr, before it dies of that signal; the
// harness finds the report there. File names and offsets survive stripped libraries and address
// randomisation, which absolute addresses do not.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract {

/// In the worker, once: handlers on a stack of their own for SIGSEGV, SIGBUS, SIGFPE, SIGILL and
/// SIGABRT.
void InstallCrashReport();

struct CrashReport {
  int signal = 0;                      ///< 0 if there is no report
  std::vector<std::string> backtrace;  ///< as in RunResult
};

/// The last report in what a worker wrote.
CrashReport FindCrashReport(std::string_view output);

}  // namespace refract
