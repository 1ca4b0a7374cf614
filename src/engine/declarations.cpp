// SPDX-License-Identifier: Apache-2.0
#include "engine/declarations.h"

#include <set>

#include "rules/build/declare.h"
#include "rules/values.h"

namespace refract {
inline namespace engine {
namespace {

template <class Visit>
void ForEachDeclared(const AnyMessage& message, Visit visit) {
  message::NameSink names;
  message::NamesIn(message, names);
  for (const Name& name : names) {
    if (name.step == Name::kDeclaredStep) visit(name);
  }
}

}  // namespace

Declarations::Declarations(const std::vector<message::Declaration>& list) {
  for (const message::Declaration& declaration : list) {
    constants_.emplace(declaration.name, declaration.constant);
  }
}

void Declarations::Note(const Module& module, const AnyMessage& message) {
  ForEachDeclared(message, [&](const Name& name) {
    if (constants_.count(name) != 0) return;
    const Id id = module.FindId(name);
    if (id == Id::kNone) return;
    if (auto constant = DescribeConstant(module, id))
      constants_.emplace(name, std::move(*constant));
  });
}

StepOutcome Declarations::ApplyStep(Context& context, uint32_t number,
                                    const AnyMessage& message) const {
  std::vector<const message::Constant*> missing;
  ForEachDeclared(message, [&](const Name& name) {
    if (context.module.Find(name) != Inst::kNone) return;
    const auto found = constants_.find(name);
    if (found != constants_.end()) missing.push_back(&found->second);
  });
  if (missing.empty()) return refract::ApplyStep(context, number, message);
  // Work on a copy, because the context must not change if the step is refused.
  Context trial = context;
  Editor editor(trial.module, number);
  for (const message::Constant* constant : missing) {
    if (IsDeclarableHere(trial.module, *constant)) Declare(editor, *constant);
  }
  StepOutcome outcome = refract::ApplyStep(trial, number, message);
  // What was just declared has the number of this step.
  std::erase(outcome.needs, number);
  if (outcome.check_result) context = std::move(trial);
  return outcome;
}

std::vector<message::Declaration> Declarations::List() const {
  std::vector<message::Declaration> list;
  for (const auto& [name, constant] : constants_) list.push_back({name, constant});
  return list;
}

void RemoveUnusedDeclarations(message::Recording* recording) {
  std::set<Name> used;
  for (const message::Step& step : recording->steps) {
    ForEachDeclared(step.transformation, [&](const Name& name) { used.insert(name); });
  }
  std::erase_if(recording->declarations,
                [&](const message::Declaration& one) { return used.count(one.name) == 0; });
}

}  // namespace engine
}  // namespace refract
