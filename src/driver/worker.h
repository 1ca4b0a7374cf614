// SPDX-License-Identifier: Apache-2.0
// The worker's side of a harness. A worker is this executable, started again as `refract worker`
// with a socket at a fixed descriptor. It is the only kind of process that loads a driver.
#pragma once

#include "crash/child_arguments.h"

namespace refract {
inline namespace driver {

/// Serves jobs until the other end closes the socket or sends kStop; returns the exit code. Both
/// descriptors may be the same socket. `traced`: a watcher reports crashes; otherwise this function
/// installs signal handlers. Use it only in a process that does nothing else.
int WorkerMain(int in_fd, int out_fd, bool traced);

/// Call this first in `main`. If the process was started as a worker, or to watch a program, it
/// does that and exits.
void BecomeWorkerIfAsked(int argc, char** argv);

}  // namespace driver
}  // namespace refract
