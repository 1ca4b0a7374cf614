// SPDX-License-Identifier: Apache-2.0
#include "engine/apply_step.h"

#include <algorithm>

#include "base/check.h"
#include "ir/binary.h"
#include "transform/context_editor.h"
#include "transform/registry.h"

namespace refract {

namespace {

// More than any step makes.
constexpr uint32_t kIdsOfStep = 1u << 16;

}  // namespace

Verdict CheckStep(const Context& context, const AnyMessage& message, Steps* needs) {
  const Rule* rule = RuleOf(message);
  CHECK(rule != nullptr);
  if (context.module.bound() > kMaxIdBound - kIdsOfStep) return No("the ids are used up");
  return rule->check(message, View(context, needs));
}

StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message) {
  StepOutcome outcome;
  outcome.verdict = CheckStep(context, message, &outcome.needs);
  if (!outcome.verdict) return outcome;
  message::NameSink names;
  message::NamesIn(message, names);
  Steps makers;
  const auto add = [&](const Name& name) {
    if (name.step != 0 && name.step != Name::kDeclaredStep) makers.push_back(name.step);
  };
  for (const Name& name : names) {
    // A copy is made only where what it is a copy of is there. A name of nothing is in a field that
    // the check did not look at.
    const Module& module = context.module;
    for (Inst inst = module.Find(name); inst != Inst::kNone; inst = module[inst].copy_of) {
      add(module.NameOf(inst));
    }
  }
  std::sort(makers.begin(), makers.end());
  makers.erase(std::unique(makers.begin(), makers.end()), makers.end());
  MergeSteps(&outcome.needs, makers);
  ContextEditor editor(context, number);
  RuleOf(message)->apply(message, editor);
  return outcome;
}

}  // namespace refract
