// SPDX-License-Identifier: Apache-2.0
// Characters of logs, whatever the locale is, and what a search returns that finds nothing.
#pragma once

#include <cstddef>
#include <string_view>

namespace refract {
inline namespace signature {

inline constexpr size_t kNone = std::string_view::npos;

/// Whether `c` is a digit of a decimal number.
inline bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}
/// Whether `c` is a digit of a hexadecimal number.
inline bool IsHex(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}
/// Whether `c` may be part of a name in a program.
inline bool IsWord(char c) {
  return IsDigit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

}  // namespace signature
}  // namespace refract
