// SPDX-License-Identifier: Apache-2.0
// Numbers of things in messages: "1 graph", "2 graphs".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract::inline base {

/// `count` and the noun, with an s unless there is one of it.
std::string Counted(uint64_t count, std::string_view noun);

}  // namespace refract::inline base
