// SPDX-License-Identifier: Apache-2.0
// Time for deadlines and durations.
#pragma once

namespace refract {
inline namespace base {

/// Seconds of a clock that never goes back. Its zero is arbitrary.
double MonotonicSeconds();

}  // namespace base
}  // namespace refract
