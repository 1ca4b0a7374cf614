// SPDX-License-Identifier: Apache-2.0
#include "base/clock.h"

#include <ctime>

namespace refract {
inline namespace base {

double MonotonicSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

}  // namespace base
}  // namespace refract
