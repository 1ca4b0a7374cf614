// SPDX-License-Identifier: Apache-2.0
// Constants that steps declared and later messages name. A recording keeps them by value, so that a
// step can be applied without the step that declared its constant.
#pragma once

#include <map>
#include <vector>

#include "engine/apply_step.h"
#include "message/recording.h"

namespace refract {
inline namespace engine {

class Declarations {
 public:
  Declarations() = default;
  /// Takes the list that a recording stores.
  explicit Declarations(const std::vector<message::Declaration>& list);

  /// Adds the declared constants that `message` names. `module` contains them.
  void Note(const Module& module, const AnyMessage& message);
  /// Like refract::ApplyStep, but first declares the constants that `message` names and the module
  /// lacks.
  StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message) const;
  /// Returns the declarations, sorted by name.
  std::vector<message::Declaration> List() const;

 private:
  std::map<Name, message::Constant> constants_;
};

/// Removes the declarations that no step names.
void RemoveUnusedDeclarations(message::Recording* recording);

}  // namespace engine
}  // namespace refract
