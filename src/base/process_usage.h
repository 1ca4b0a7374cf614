// SPDX-License-Identifier: Apache-2.0
// What a process uses, asked of the system from outside it.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace refract::inline base {

/// Bytes of memory that the process and its descendants really use. One that ends meanwhile
/// counts 0.
uint64_t ResidentBytes(pid_t pid);

/// Seconds of processor time that a process has used, all its threads together; 0 if it is gone.
double CpuSecondsOf(pid_t pid);

/// The same of the thread that asks.
double OwnCpuSeconds();

}  // namespace refract::inline base
