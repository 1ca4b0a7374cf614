// SPDX-License-Identifier: Apache-2.0
// Reads the common parts of the entries of shader.json: objects with known keys, integers in a
// range, lists of scalars. Each function takes a node and its JSON pointer. Errors give the file,
// the line and the pointer.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/inputs.h"
#include "input/json_text.h"

namespace refract {
inline namespace input {

class JsonFields {
 public:
  /// `file` is the name of the text in errors; it must outlive this object.
  explicit JsonFields(const std::string& file) : file_(file) {}

  Error Refuse(const JsonNode& node, std::string_view pointer, std::string_view what) const;
  /// Checks that `node` is an object with no keys except `keys`.
  Status Object(const JsonNode& node, const std::string& pointer,
                std::initializer_list<std::string_view> keys) const;
  Status Number(const JsonNode& node, const std::string& pointer, uint32_t low, uint32_t high,
                uint32_t* number) const;
  /// Reads the number `key` of an object. It is an error if the object does not have it.
  Status Member(const JsonNode& parent, const std::string& pointer, std::string_view key,
                uint32_t low, uint32_t high, uint32_t* number) const;
  /// Reads the list `key` of an object, which must have exactly `count` numbers.
  Status Numbers(const JsonNode& parent, const std::string& pointer, std::string_view key,
                 uint32_t low, uint32_t high, size_t count, uint32_t* numbers) const;
  /// Reads a scalar of the type and width of `type`.
  Status Scalar(const JsonNode& node, const std::string& pointer, const InputValue& type,
                uint64_t* word) const;
  /// Reads a number from `low` to `high` as a float.
  Status Float(const JsonNode& node, const std::string& pointer, float low, float high,
               float* number) const;
  /// Reads a list of such scalars into value->words.
  Status Address(const JsonNode& node, const std::string& pointer, AddressInput* address) const;
  Status Scalars(const JsonNode& node, const std::string& pointer, InputValue* value) const;
  /// Reads the list `key` of integers from 0 to 2^32 - 1.
  Status Words(const JsonNode& parent, const std::string& pointer, std::string_view key,
               std::vector<uint32_t>* words) const;
  /// Reads "args" and "count" into `value`, whose type is known: the scalars, and the length of an
  /// array (`is_array`, or a matrix). With "count", one element fills the whole array.
  Status Elements(const JsonNode& node, const std::string& pointer, bool is_array,
                  InputValue* value) const;

 private:
  const std::string& file_;
};

/// Reads the member "compare", if there is one.
Status ReadCompare(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                   BoundImage::Compare* compare);

/// Reads the properties of an image, without its place. `value->image` has the kind that "func"
/// gives.
Status ReadImage(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 InputValue* value);

/// Reads the section "$tessellation".
Status ReadTessellation(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                        TessellationInput* tessellation);

/// Reads the section "$vertices".
Status ReadVertices(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    VerticesInput* vertices);

}  // namespace input
}  // namespace refract
