// SPDX-License-Identifier: Apache-2.0
// Checks and applies one step of a recording.
#pragma once

#include "rules/context.h"
#include "rules/rule.h"

namespace refract {
inline namespace engine {

/// The result of ApplyStep.
struct StepOutcome {
  CheckResult check_result = Yes();
  Steps needs;  ///< if applied: the earlier steps that this one depends on, by names and facts
};

/// Checks the precondition of the transformation, and first what holds for all transformations: the
/// ids of a step must fit under the limit of SPIR-V 2.17. `needs` (may be null) gets the steps on
/// which the facts that the check used depend.
CheckResult CheckStep(const Context& context, const AnyMessage& message, Steps* needs = nullptr);

/// Checks `message` and, if the check passes, applies it as step `number`. Otherwise the context is
/// unchanged.
StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message);

}  // namespace engine
}  // namespace refract
