// SPDX-License-Identifier: Apache-2.0
// Formatting (the syntax of fmt, which is compiled once) and small functions on text.
#pragma once

#include <fmt/core.h>

#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace base {

using fmt::format;

/// The parts of `text` between separators, including empty parts. Without a separator, the whole
/// text.
std::vector<std::string> Split(std::string_view text, char separator);
/// `text` without white space at both ends.
std::string_view Trim(std::string_view text);
/// Parses all of `text` as a decimal number or a hexadecimal one with 0x. Returns false if it is
/// neither.
bool ParseNumber(std::string_view text, uint64_t* value);

}  // namespace base
}  // namespace refract
