// SPDX-License-Identifier: Apache-2.0
// Names of the numbers by which failures are reported.
#pragma once

#include <cstdint>
#include <string>

namespace refract {
inline namespace signature {

/// "SIGSEGV", or "signal 99" for an unknown number.
std::string SignalName(int signal);
/// "VK_ERROR_DEVICE_LOST", or "VkResult -123" for an unknown code.
std::string VulkanResultName(int32_t code);

}  // namespace signature
}  // namespace refract
