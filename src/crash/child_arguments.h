// SPDX-License-Identifier: Apache-2.0
// How Refract starts its own executable as another kind of process.
#pragma once

namespace refract {
inline namespace crash {

/// The argument that makes the executable a worker (driver/worker.h). The process id of the parent
/// follows. Not for people.
constexpr char kWorkerArgument[] = "worker";
/// The argument that makes the executable run a program and report where it crashes
/// (crash/watched_command.h). The process id of the parent, the program's path and its arguments
/// follow.
constexpr char kWatchArgument[] = "watch";
/// The descriptor of a worker's socket.
constexpr int kWorkerFd = 3;

}  // namespace crash
}  // namespace refract
