// SPDX-License-Identifier: Apache-2.0
// Formatting (fmt's syntax, compiled once) and small questions about text.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace refract::inline base {

using fmt::format;

/// The parts of `text` between `separator`s; empty parts included; one part if there is none.
std::vector<std::string> Split(std::string_view text, char separator);
/// Without white space at both ends.
std::string_view Trim(std::string_view text);
/// Parses all of `text` as a decimal or 0x-number; false if that is not what it is.
bool ParseNumber(std::string_view text, uint64_t* value);

}  // namespace refract::inline base
