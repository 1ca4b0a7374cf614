// SPDX-License-Identifier: Apache-2.0
// Visits the fields of the message of any transformation, for code that does not know its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "message/any.h"

namespace refract::message {

/// Visits every field of a message in the order of the proto, including elements of lists and
/// nested messages, and may change the fields.
class FieldVisitor {
 public:
  /// Erases `count` elements of a list from `first` on.
  using Erase = std::function<void(size_t first, size_t count)>;

  virtual ~FieldVisitor() = default;
  /// Called before the fields of a message; if it returns false, they are skipped. `message` points
  /// to a struct with the name `type`, e.g. a Constant.
  virtual bool Enter(std::string_view type, void* message) = 0;
  virtual void Visit(bool& value) = 0;
  virtual void Visit(uint32_t& value) = 0;
  virtual void Visit(uint64_t& value) = 0;
  virtual void Visit(std::string& value) = 0;
  virtual void Visit(Name& value) = 0;
  /// `values` are all values of the enum, the default first.
  virtual void VisitEnum(int32_t& value, std::span<const int32_t> values) = 0;
  /// Called before the elements of a list.
  virtual void VisitList(size_t size, const Erase& erase) = 0;
};

/// Returns a copy of the message with the changes of the visitor.
AnyMessage RewriteFields(const AnyMessage& message, FieldVisitor& visitor);

}  // namespace refract::message
