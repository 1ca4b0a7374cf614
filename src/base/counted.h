// SPDX-License-Identifier: Apache-2.0
// Formats counts for messages: "1 graph", "2 graphs".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract {
inline namespace base {

/// `count` and `noun`, with an "s" unless `count` is 1.
std::string Counted(uint64_t count, std::string_view noun);

}  // namespace base
}  // namespace refract
