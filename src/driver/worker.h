// SPDX-License-Identifier: Apache-2.0
// The other side of a harness: the same executable started again as `refract worker`, its socket at
// a fixed descriptor. The only process that ever loads a driver.
#pragma once

#include "crash/child_arguments.h"

namespace refract::inline driver {

/// Serves jobs until the other end is closed or says stop; returns the exit code. Both descriptors
/// may be the same socket. `traced`: somebody else sees its crashes; if not, it installs signal
/// handlers. Only for a process that does nothing else.
int WorkerMain(int in_fd, int out_fd, bool traced);

/// For a `main` to call first: if the process was started as a worker, or to watch a program, does
/// that and leaves.
void BecomeWorkerIfAsked(int argc, char** argv);

}  // namespace refract::inline driver
