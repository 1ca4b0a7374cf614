// SPDX-License-Identifier: Apache-2.0
// Moves types, constants and variables down among the declarations, so that readers of the module
// find ids in another order.
#include "message/move_declaration_down.h"

#include "ir/grammar/operand_rules.h"
#include "rules/context_editor.h"
#include "rules/rule.h"

namespace refract::move_declaration_down {
namespace {

using Message = message::MoveDeclarationDown;

bool IsDeclarationOfModule(const Module& module, Inst inst) {
  return module.BlockOf(inst) == Module::SectionBlock(Section::kDeclarations);
}

bool IsVariableOfFunction(const Module& module, Inst inst) {
  return module.Opcode(inst) == spv::Op::OpVariable && module.FunctionOf(inst) != Function::kNone;
}

bool Uses(const Module& module, Inst user, Id id) {
  if (module.Type(user) == id) return true;
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (module.IsId(user, i) && module.IdAt(user, i) == id) return true;
  }
  return false;
}

// True if `inst`, a declaration with a result, can move from before `other` to after it.
bool MayPass(const Module& module, Inst inst, Inst other) {
  return !Uses(module, other, module.Result(inst));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.declaration);
  const Inst past = view.Find(message.past);
  if (inst == Inst::kNone || past == Inst::kNone) return No("the declaration does not exist");
  const bool is_variable = IsVariableOfFunction(module, inst);
  if (!is_variable && !IsDeclarationOfModule(module, inst)) {
    return No("the instruction is not a declaration");
  }
  if (module.Result(inst) == Id::kNone || IsDebugInstruction(module, inst)) {
    return No("the declaration has no result id");
  }
  if (module.BlockOf(inst) != module.BlockOf(past)) {
    return No("the two declarations are in different scopes");
  }
  if (is_variable && !IsVariableOfFunction(module, past)) {
    return No("variables must precede all other instructions");
  }
  if (inst == past || module.Precedes(past, inst)) return Yes();
  for (Inst other = module.Next(inst);; other = module.Next(other)) {
    if (!MayPass(module, inst, other)) {
      return No("an instruction between the two declarations uses the declaration to move");
    }
    if (other == past) return Yes();
  }
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.declaration);
  const Inst past = module.Find(message.past);
  if (inst == past || module.Precedes(past, inst)) return;
  if (const Inst next = module.Next(past); next != Inst::kNone) {
    editor.MoveBefore(inst, next);
  } else {
    // `past` is the last declaration: move `inst` before `past`, then `past` before `inst`.
    editor.MoveBefore(inst, past);
    editor.MoveBefore(past, inst);
  }
}

// Steps declare things on demand, so such a declaration exists only if one of these steps does.
bool IsDeclaredOnDemand(const Module& module, Inst inst) {
  return module.NameOf(inst).step == Name::kDeclaredStep;
}

void OfferFor(Proposer& proposer, Inst inst) {
  constexpr size_t kMost = 24;
  const Module& module = proposer.module();
  const bool is_variable = IsVariableOfFunction(module, inst);
  std::vector<Inst> passed;
  size_t seen = 0;
  for (Inst other = module.Next(inst); other != Inst::kNone && seen < kMost;
       other = module.Next(other), ++seen) {
    if (!MayPass(module, inst, other) || (is_variable && !IsVariableOfFunction(module, other))) {
      break;
    }
    if (!IsDeclaredOnDemand(module, other)) passed.push_back(other);
  }
  if (passed.empty()) return;
  const Message message{module.NameOf(inst), module.NameOf(passed[proposer.Pick(passed.size())])};
  if (Check(message, proposer.view())) proposer.Offer(message);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (module.Result(inst) == Id::kNone || IsDeclaredOnDemand(module, inst)) return;
    if (!proposer.Full() && proposer.ShouldTry()) OfferFor(proposer, inst);
  });
  ForEachFunction(proposer, [&](Function function) {
    if (module[function].first == Block::kNone) return;
    ForEachInstruction(module, module[function].first, [&](Inst inst) {
      if (module.Opcode(inst) == spv::Op::OpVariable && proposer.ShouldTry())
        OfferFor(proposer, inst);
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {1, 8}});

}  // namespace refract::move_declaration_down
