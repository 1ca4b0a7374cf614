// SPDX-License-Identifier: Apache-2.0
// Expresses types and constants of a donor in messages: by value, without layout, storage class and
// specialisation.
#pragma once

#include <optional>

#include "ir/module.h"
#include "message/values.h"

namespace refract {
inline namespace donate {

class DonatedTypes {
 public:
  /// Arrays longer than `max_array_length` are shortened to that length.
  DonatedTypes(const Module& module, uint32_t max_array_length)
      : module_(module), max_array_length_(max_array_length) {}

  /// Returns the type by value. Returns nullopt if it contains an image, a pointer inside another
  /// type, or anything else that a message cannot express. Pointers become pointers to local
  /// variables.
  std::optional<message::Type> TypeOf(Id type) const { return TypeAt(type, 0); }
  /// Returns the constant by value. Specialisation constants become their defaults, operations on
  /// them some value, and undefined values null.
  std::optional<message::Constant> ConstantOf(Id constant) const;
  /// Returns the number of parts of a composite type in its donated form; 0 for other types.
  uint32_t PartsOf(Id type) const;

  /// Returns a value of the type that is not zero if possible.
  static message::Constant SomeValue(const message::Type& type);

 private:
  std::optional<message::Type> TypeAt(Id type, int depth) const;

  const Module& module_;
  const uint32_t max_array_length_;
};

}  // namespace donate
}  // namespace refract
