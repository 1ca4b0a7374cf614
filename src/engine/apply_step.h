// SPDX-License-Identifier: Apache-2.0
// One step of a recording, checked and applied.
#pragma once

#include "rules/context.h"
#include "rules/rule.h"

namespace refract::inline engine {

struct StepOutcome {
  Verdict verdict = Yes();
  Steps needs;  ///< of an applied step: the earlier steps it rests on, by names and by facts
};

/// What the transformation's check says, and before it what holds for all of them: a step's ids fit
/// under the limit of SPIR-V 2.17. `needs` (may be null) gets the steps that facts rested on.
Verdict CheckStep(const Context& context, const AnyMessage& message, Steps* needs = nullptr);

/// Checks `message` and, on a yes, applies it as step `number`. On a no the context is unchanged.
StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message);

}  // namespace refract::inline engine
