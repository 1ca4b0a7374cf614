// SPDX-License-Identifier: Apache-2.0
// The fields of any transformation's message, for who changes them without knowing the type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "message/any.h"

namespace refract::message {

/// Is shown every field of a message in the order of the proto, parts of lists and of messages in
/// it too, and may change what it is shown.
class FieldVisitor {
 public:
  /// Erases `count` parts of a list from `first` on.
  using Erase = std::function<void(size_t first, size_t count)>;

  virtual ~FieldVisitor() = default;
  /// Before the fields of a message; false leaves them out. `message` is a struct of the name
  /// `type`, e.g. a Constant.
  virtual bool Enter(std::string_view type, void* message) = 0;
  virtual void Visit(bool& value) = 0;
  virtual void Visit(uint32_t& value) = 0;
  virtual void Visit(uint64_t& value) = 0;
  virtual void Visit(std::string& value) = 0;
  virtual void Visit(Name& value) = 0;
  /// `values`: all that there are, the default first.
  virtual void VisitEnum(int32_t& value, std::span<const int32_t> values) = 0;
  /// Before the parts of a list.
  virtual void VisitList(size_t size, const Erase& erase) = 0;
};

/// A copy of the message, as the visitor leaves it.
AnyMessage Visited(const AnyMessage& message, FieldVisitor& visitor);

}  // namespace refract::message
