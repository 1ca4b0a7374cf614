// SPDX-License-Identifier: Apache-2.0
// Messages about limits of a device that a job exceeds.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace refract {
inline namespace driver {

/// The message if `wanted` is above `limit`; else empty. `what`: what is counted.
std::string Over(std::string_view what, uint64_t wanted, uint64_t limit);

/// The first message that is not empty; else empty.
std::string FirstProblem(std::initializer_list<std::string> problems);

/// The limits of the workgroups of a stage. The size is checked in each dimension and as a product.
std::string OverWorkgroupSize(const std::optional<uint32_t> (&local_size)[3],
                              const uint32_t (&most)[3], uint32_t most_invocations);

/// The limits of the number of workgroups in each dimension.
std::string OverWorkgroupCount(const uint32_t (&groups)[3], const uint32_t (&most)[3]);

}  // namespace driver
}  // namespace refract
