// SPDX-License-Identifier: Apache-2.0
#include "engine/apply_step.h"

#include <algorithm>

#include "base/check.h"
#include "transform/context_editor.h"
#include "transform/registry.h"

namespace refract {

StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message) {
  const Rule* rule = RuleOf(message);
  CHECK(rule != nullptr);
  StepOutcome outcome;
  outcome.verdict = rule->check(message, View(context, &outcome.needs));
  if (!outcome.verdict) return outcome;
  message::NameSink names;
  message::NamesIn(message, names);
  Steps makers;
  for (const Name& name : names) {
    if (name.step != 0 && name.step != Name::kDeclaredStep) makers.push_back(name.step);
  }
  std::sort(makers.begin(), makers.end());
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  MergeSteps(&outcome.needs, makers);
  ContextEditor editor(context, number);
  rule->apply(message, editor);
  return outcome;
}

}  // namespace refract
