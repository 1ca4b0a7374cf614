// SPDX-License-Identifier: Apache-2.0
// JSON as a tree that remembers where everything stood, so that whoever interprets it can refuse
// with "FILE:LINE:COLUMN: /pointer: what" (base/diagnostic.h adds the source line). Stricter than
// JSON: a key may stand once, depth and size are bounded, and numbers keep their text, so that no
// precision is lost on the way.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::inline input {

struct JsonMember;

struct JsonNode {
  enum class Kind { kNull, kBool, kInteger, kNegative, kReal, kString, kArray, kObject };
  Kind kind = Kind::kNull;
  uint32_t line = 0;                ///< from 1
  uint32_t column = 0;              ///< of its first letter, from 1, in bytes
  bool boolean = false;             ///< of kBool
  uint64_t integer = 0;             ///< kInteger; kNegative: two's complement
  std::string text;                 ///< of kString and kReal (as written)
  std::vector<JsonNode> items;      ///< of kArray
  std::vector<JsonMember> members;  ///< of kObject, in the order of the file

  /// The member called `key`, or null.
  const JsonNode* Find(std::string_view key) const;
};

struct JsonMember {
  std::string key;
  JsonNode value;
};

/// Parses `text`; `file` is what errors call it. Any bytes are fine as input.
Result<JsonNode> ParseJson(const std::string& file, std::string_view text);

/// "..." with escapes; bytes that are not UTF-8 are replaced by U+FFFD.
std::string JsonString(std::string_view text);

/// How lists of numbers are written: all on one line, or those of more than 64 in lines of 16.
enum class ListForm : uint8_t { kOneLine, kLines };
/// What stands before item `index` of a list of `count` items, after the bracket or the item
/// before.
std::string_view ListSeparator(size_t index, size_t count, ListForm form);

/// `key` as one more part of a JSON pointer (RFC 6901): "/" and "~" escaped.
std::string JsonPointer(std::string_view parent, std::string_view key);

}  // namespace refract::inline input
