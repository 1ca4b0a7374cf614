// SPDX-License-Identifier: Apache-2.0
// Memory and processor time that a process uses, as the system reports them.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace refract {
inline namespace base {

/// The resident memory of the process and its descendants in bytes. A process that has ended counts
/// as 0.
uint64_t ResidentBytes(pid_t pid);

/// The processor time that all threads of a process have used, in seconds; 0 if it has ended.
double CpuSecondsOf(pid_t pid);

/// The processor time that the calling thread has used, in seconds.
double OwnCpuSeconds();

}  // namespace base
}  // namespace refract
