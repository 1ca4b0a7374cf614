// SPDX-License-Identifier: Apache-2.0
// A donated function as a module to shrink, and back: what stays keeps the local number that the
// message has for it.
#pragma once

#include <map>
#include <optional>

#include "ir/module.h"
#include "message/add_function.h"

namespace refract::inline shrink {

class DonatedForm {
 public:
  /// `before`: the module that step `step` adds the function to, which it may.
  DonatedForm(const Module& before, uint32_t step, const message::AddFunction& message);

  /// `before` with the function as it is told, not made live-safe.
  const Module& module() const { return module_; }
  Function function() const { return function_; }
  /// The function as `changed`, an edited copy of module(), has it; what is new gets numbers above
  /// all others. Nothing if it uses what cannot be said.
  std::optional<message::AddFunction> Tell(const Module& changed) const;

 private:
  message::AddFunction message_;
  Module module_;
  Function function_ = Function::kNone;
  std::map<Inst, uint32_t> locals_;
  std::map<Inst, message::Type> types_;  ///< of results, as the message says them
  uint32_t last_ = 0;                    ///< the highest number
};

}  // namespace refract::inline shrink
