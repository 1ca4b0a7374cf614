// SPDX-License-Identifier: Apache-2.0
// JSON as a tree in which each node has its line and column, so that errors can be
// "FILE:LINE:COLUMN: /pointer: reason" (base/diagnostic.h adds the source line). Stricter than
// JSON: each key may occur once, and depth and size are limited. Numbers keep their text, so no
// precision is lost.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract {
inline namespace input {

struct JsonMember;

struct JsonNode {
  enum class Kind { kNull, kBool, kInteger, kNegative, kReal, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  uint32_t line = 0;                ///< starting at 1
  uint32_t column = 0;              ///< of its first byte, starting at 1
  bool boolean = false;             ///< for kBool
  uint64_t integer = 0;             ///< for kInteger; for kNegative in two's complement
  std::string text;                 ///< for kString, and for kReal as written
  std::vector<JsonNode> items;      ///< for kArray
  std::vector<JsonMember> members;  ///< for kObject, in the order of the file

  /// The member called `key`, or null.
  const JsonNode* Find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonNode value;
};

/// Parses `text`, which may have any bytes. `file` is its name in errors.
Result<JsonNode> ParseJson(const std::string& file, std::string_view text);

/// The text in quotes, with escapes; bytes that are not UTF-8 become U+FFFD.
std::string JsonString(std::string_view text);

/// How lists of numbers are written: on one line, or, if longer than 64, 16 on each line.
enum class ListForm : uint8_t { kOneLine, kLines };
/// The text before item `index` of a list of `count` items: the separator and the line break, if
/// any.
std::string_view ListSeparator(size_t index, size_t count, ListForm form);
std::string WordList(const std::vector<uint32_t>& words, ListForm form);

/// Adds `key` to a JSON pointer (RFC 6901), with "/" and "~" escaped.
std::string JsonPointer(std::string_view parent, std::string_view key);

}  // namespace input
}  // namespace refract
