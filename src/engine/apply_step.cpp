// SPDX-License-Identifier: Apache-2.0
#include "engine/apply_step.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/check.h"
#include "ir/binary.h"
#include "ir/purity.h"
#include "rules/context_editor.h"
#include "transform/registry.h"

namespace refract {
inline namespace engine {

namespace {

// No step makes as many ids as this.
constexpr uint32_t kMaxIdsPerStep = 1u << 16;

CheckResult CheckIn(const View& view, const AnyMessage& message) {
  const Rule* rule = RuleOf(message);
  CHECK(rule != nullptr);
  if (view.module().bound() > kMaxIdBound - kMaxIdsPerStep) {
    return No("the id bound of the module would exceed the limit");
  }
  return rule->check(message, view);
}

// Removes from `names` those that the check passes without, one entry for each entry of
// `optional_names`.
void RemoveOptional(std::vector<Name>* names, std::vector<Name> optional_names) {
  if (optional_names.empty()) return;
  std::vector<Name> left;
  std::sort(names->begin(), names->end());
  std::sort(optional_names.begin(), optional_names.end());
  std::set_difference(names->begin(), names->end(), optional_names.begin(), optional_names.end(),
                      std::back_inserter(left));
  *names = std::move(left);
}

}  // namespace

CheckResult CheckStep(const Context& context, const AnyMessage& message, Steps* needs) {
  return CheckIn(View(context, needs), message);
}

StepOutcome ApplyStep(Context& context, uint32_t number, const AnyMessage& message) {
  StepOutcome outcome;
  std::vector<Name> optional_names;
  outcome.check_result = CheckIn(View(context, &outcome.needs, &optional_names), message);
  if (!outcome.check_result) return outcome;
  message::NameSink names;
  message::NamesIn(message, names);
  RemoveOptional(&names, std::move(optional_names));
  Steps makers;
  const auto add = [&](const Name& name) {
    if (name.step != 0 && name.step != Name::kDeclaredStep) makers.push_back(name.step);
  };
  for (const Name& name : names) {
    // A copy is made only if the instruction that it copies exists, so the steps that made the
    // copied instructions count too. A name without an instruction stands in a field that the check
    // ignored.
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
  DropUnprovenPromises(editor);
  return outcome;
}

}  // namespace engine
}  // namespace refract
