// SPDX-License-Identifier: Apache-2.0
// The watcher of a worker. The process that is started as a worker forks before anything else; it
// then only waits for the child, the worker, and traces it (ptrace). When a signal is about to end
// the worker, the watcher finds it stopped, reads its stack from outside and writes the crash
// report (crash/crash_report.h). A worker with a damaged heap or stack, or with a held lock,
// could not do this itself. If tracing is not allowed, the worker reports as well as it can. Tools
// are watched in the same way (crash/watched_command.h).
#pragma once

#include <sys/types.h>

#include <functional>

namespace refract {
inline namespace crash {

/// Forks. The child calls `work` with whether it is traced, and exits with the code that `work`
/// returns, without running destructors. The caller watches the child and returns its exit code, or
/// dies of the same signal. Both die with `parent`, which must be the parent of this process. Use
/// it only in a process with one thread that does nothing else.
int RunWatched(pid_t parent, const std::function<int(bool traced)>& work);

}  // namespace crash
}  // namespace refract
