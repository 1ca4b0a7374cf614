// SPDX-License-Identifier: Apache-2.0
// Converts a donated function to a module that can be shrunk, and back. Instructions that remain
// keep their local numbers from the message.
#pragma once

#include <map>
#include <optional>

#include "ir/module.h"
#include "message/add_function.h"

namespace refract {
inline namespace shrink {

class DonatedFunctionModule {
 public:
  /// `before` is the module to which step `step` adds the function. The step must be applicable.
  DonatedFunctionModule(const Module& before, uint32_t step, const message::AddFunction& message);

  /// `before` with the function of the message, which is not made live-safe.
  const Module& module() const { return module_; }
  Function function() const { return function_; }
  /// Returns the message for the function in `changed`, an edited copy of module(). New
  /// instructions get numbers above all others. Returns nothing if a message cannot express the
  /// function.
  std::optional<message::AddFunction> ToMessage(const Module& changed) const;

 private:
  message::AddFunction message_;
  Module module_;
  Function function_ = Function::kNone;
  std::map<Inst, uint32_t> locals_;
  std::map<Inst, message::Type> types_;  ///< types of results as in the message
  uint32_t last_ = 0;                    ///< the highest local number
};

}  // namespace shrink
}  // namespace refract
