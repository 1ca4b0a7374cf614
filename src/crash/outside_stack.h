// SPDX-License-Identifier: Apache-2.0
// The stack of a thread that is stopped under ptrace, read from outside: where it is, and who
// called. What has no rules for undoing it (code made at run time, a ruined stack) is got over as
// well as can be: by frame pointers, else by looking for a return address.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace refract::inline crash {

struct OutsideStack {
  bool overflow = false;  ///< the fault is one of a stack that has come to its end
  /// Innermost first, as glibc's backtrace_symbols prints them: "/lib/libfoo.so.1(symbol+0x12)
  /// [0x7f01]" or "/lib/libfoo.so.1(+0x1234)[0x7f01]", the first of a file with " (BuildId: 12ab)";
  /// "[0x7f01]" is code of no file, "?" a place where no code is. The program itself is "refract"
  /// where it is ours.
  std::vector<std::string> lines;
};

/// Of thread `thread` of process `process`, which this one traces and which is stopped by a signal.
OutsideStack ReadOutsideStack(pid_t process, pid_t thread);

}  // namespace refract::inline crash
