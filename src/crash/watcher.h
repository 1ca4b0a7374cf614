// SPDX-License-Identifier: Apache-2.0
// A worker has a watcher: the process it was started as, which forks before anything else, does
// nothing but wait, and traces it (ptrace). When a signal takes the worker down, the watcher sees
// it stopped with nothing undone yet, reads its stack from outside and writes the crash report
// (crash/crash_report.h). A worker with a broken heap, a ruined stack or a lock that is held
// could not do that itself. Where tracing is not allowed, the worker reports itself as well as it
// can. Tools are watched in the same way (crash/watched_command.h).
#pragma once

#include <sys/types.h>

#include <functional>

namespace refract::inline crash {

/// Forks. The child does `work`, which is told whether it is traced, and leaves with what that
/// returns, without running destructors. The caller watches it and returns its exit code, or dies
/// of the signal that it died of. Both die with `parent`, who must be the parent of this process.
/// Only for a process of one thread that does nothing else.
int RunWatched(pid_t parent, const std::function<int(bool traced)>& work);

}  // namespace refract::inline crash
