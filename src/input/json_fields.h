// SPDX-License-Identifier: Apache-2.0
// The parts of shader.json that every entry is made of: objects of known keys, integers in a range,
// lists of scalars. Each function takes a node and the JSON pointer that leads to it; errors name
// file, line and pointer.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

#include "base/result.h"
#include "input/inputs.h"
#include "input/json_text.h"

namespace refract::inline input {

class JsonFields {
 public:
  /// `file` is what errors call the text; it has to outlive this.
  explicit JsonFields(const std::string& file) : file_(file) {}

  Error Refuse(const JsonNode& node, std::string_view pointer, std::string_view what) const;
  /// An object that has none but `keys`.
  Status Object(const JsonNode& node, const std::string& pointer,
                std::initializer_list<std::string_view> keys) const;
  Status Number(const JsonNode& node, const std::string& pointer, uint32_t low, uint32_t high,
                uint32_t* number) const;
  /// The number `key` of an object, which must be there.
  Status Member(const JsonNode& parent, const std::string& pointer, std::string_view key,
                uint32_t low, uint32_t high, uint32_t* number) const;
  /// The list `key` of an object, of exactly `count` numbers.
  Status Numbers(const JsonNode& parent, const std::string& pointer, std::string_view key,
                 uint32_t low, uint32_t high, size_t count, uint32_t* numbers) const;
  /// A scalar of `type`'s scalar and width.
  Status Scalar(const JsonNode& node, const std::string& pointer, const InputValue& type,
                uint64_t* word) const;
  /// A list of such scalars into value->words.
  Status Scalars(const JsonNode& node, const std::string& pointer, InputValue* value) const;

 private:
  const std::string& file_;
};

/// Reads what an entry says of its image (value->image is what its func says), but for its place.
Status ReadImage(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 InputValue* value);

}  // namespace refract::inline input
