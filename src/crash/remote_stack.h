// SPDX-License-Identifier: Apache-2.0
// Reads the stack of a thread that is stopped under ptrace, from another process. Code without
// unwind rules (code made at run time, a damaged stack) is skipped by frame pointers or, if there
// are none, by a search for a return address.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace refract {
inline namespace crash {

struct RemoteStack {
  bool overflow = false;  ///< the fault is a stack overflow
  /// Innermost first, in the form of glibc's backtrace_symbols: "/lib/libfoo.so.1(symbol+0x12)
  /// [0x7f01]" or "/lib/libfoo.so.1(+0x1234)[0x7f01]". The first frame of a file has " (BuildId:
  /// 12ab)". "[0x7f01]" is code that belongs to no file, "?" is an address without code. Refract
  /// itself is called "refract".
  std::vector<std::string> lines;
};

/// Reads the stack of `thread` in `process`, which the calling process traces and a signal stopped.
RemoteStack ReadRemoteStack(pid_t process, pid_t thread);

}  // namespace crash
}  // namespace refract
