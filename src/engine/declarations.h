// SPDX-License-Identifier: Apache-2.0
// Constants that steps declared and later messages name: kept by value, so that a step can be
// applied when the one that happened to declare its constant is not.
#pragma once

#include <map>
#include <vector>

#include "engine/apply_step.h"
#include "message/recording.h"

namespace refract::inline engine {

class Declarations {
 public:
  Declarations() = default;
  /// As a recording keeps them.
  explicit Declarations(const std::vector<message::Declaration>& list);

  /// Adds the declared constants that `message` names; `module` has them.
  void Note(const Module& module, const AnyMessage& message);
  /// As refract::ApplyStep, but declares first what `message` names and the module lacks.
  StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message) const;
  /// Sorted by name.
  std::vector<message::Declaration> List() const;

 private:
  std::map<Name, message::Constant> constants_;
};

/// Those that no step names.
void RemoveUnusedDeclarations(message::Recording* recording);

}  // namespace refract::inline engine
