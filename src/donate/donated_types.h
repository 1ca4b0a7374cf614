// SPDX-License-Identifier: Apache-2.0
// Types and constants of a donor as messages say them: by value, without the layout, the storage
// classes and the specialisation that they have there.
#pragma once

#include <optional>

#include "ir/module.h"
#include "message/values.h"

namespace refract::inline donate {

class DonatedTypes {
 public:
  /// Arrays longer than `longest` are cut.
  DonatedTypes(const Module& module, uint32_t longest) : module_(module), longest_(longest) {}

  /// The type by value; nullopt if it has an image in it, a pointer where none can be, or anything
  /// else that cannot be said. Pointers point to local variables.
  std::optional<message::Type> TypeOf(Id type) const { return TypeAt(type, 0); }
  /// The constant by value: spec constants count as what they are by default, operations on them as
  /// some value, undefined values as null.
  std::optional<message::Constant> ConstantOf(Id constant) const;
  /// Parts of a composite type as it is donated; 0 for others.
  uint32_t PartsOf(Id type) const;

  static message::Constant SomeValue(const message::Type& type);

 private:
  std::optional<message::Type> TypeAt(Id type, int depth) const;

  const Module& module_;
  const uint32_t longest_;
};

}  // namespace refract::inline donate
