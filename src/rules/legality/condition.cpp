// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/condition.h"

#include <vector>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/build/declare.h"

namespace refract {
inline namespace rules {
namespace {

bool IsKnown(const View& view, Id id, bool value) {
  const Module& module = view.module();
  if (LiteralBool(module, id) == value) return view.facts().Irrelevant(id) == nullptr;
  const Id constant = FindConstant(module, BoolConstant(value));
  return constant != Id::kNone && view.AreSynonymous(Part(id), Part(constant));
}

}  // namespace

std::vector<Inst> PhisOf(const Module& module, Block block) {
  std::vector<Inst> phis;
  ForEachInstruction(module, block, [&](Inst inst) {
    if (module.Opcode(inst) == spv::Op::OpPhi) phis.push_back(inst);
  });
  return phis;
}

CheckResult IsConditionAt(const View& view, Name condition, bool value, Inst where) {
  if (!condition) return Yes();
  const Id id = view.Value(condition);
  if (id == Id::kNone) return No("the condition does not exist");
  if (!IsBool(view.module(), view.module().TypeOf(id)) || !IsKnown(view, id, value)) {
    return value ? No("the condition is not known to be true")
                 : No("the condition is not known to be false");
  }
  if (!IsAvailable(view.module(), id, where)) {
    return No("the condition is not available at the branch");
  }
  return Yes();
}

Id KnownCondition(ContextEditor& editor, Name condition, bool value) {
  if (condition) return editor.module().FindId(condition);
  return Declare(editor, BoolConstant(value));
}

Name PickCondition(Proposer& proposer, Block block, bool value) {
  const Module& module = proposer.module();
  const Id constant = FindConstant(module, BoolConstant(value));
  if (constant == Id::kNone) return {};
  std::vector<Id> known{constant};
  for (const Facts::Synonym& synonym :
       proposer.view().facts().SynonymsOf(module, Part(constant), 32)) {
    if (synonym.part.depth == 0 &&
        IsAvailable(module, synonym.part.value, module.Terminator(block))) {
      known.push_back(synonym.part.value);
    }
  }
  const Id picked = known[proposer.Pick(known.size())];
  return picked == constant ? Name{} : module.NameOf(picked);
}

CheckResult IsTrueAt(const View& view, Name condition, Inst where) {
  return IsConditionAt(view, condition, true, where);
}

Id TrueCondition(ContextEditor& editor, Name condition) {
  return KnownCondition(editor, condition, true);
}

Name PickTrueCondition(Proposer& proposer, Block block) {
  return PickCondition(proposer, block, true);
}

bool PhisHaveNulls(const Module& module, Block block) {
  for (Inst phi : PhisOf(module, block)) {
    if (!HasNull(module, module.Type(phi))) return false;
  }
  return true;
}

void AddNullPhiInputs(ContextEditor& editor, Block block, Block from) {
  const Module& module = editor.module();
  for (Inst phi : PhisOf(module, block)) {
    editor.AddPhiInput(phi, DeclareNull(editor, module.Type(phi)), module.LabelId(from));
  }
}

void RemovePhiInputs(ContextEditor& editor, Block block, Block from) {
  const Module& module = editor.module();
  for (Inst phi : PhisOf(module, block)) {
    Args args;
    for (uint32_t i = 0; i < module.OperandCount(phi); i += 2) {
      if (module.IdAt(phi, i + 1) == module.LabelId(from)) continue;
      args.push_back(module.IdAt(phi, i));
      args.push_back(module.IdAt(phi, i + 1));
    }
    editor.SetOperands(phi, args);
  }
}

}  // namespace rules
}  // namespace refract
