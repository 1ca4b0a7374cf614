// SPDX-License-Identifier: Apache-2.0
// Adds RelaxedPrecision to a value, which may then be computed with 16 bits: a value that is never
// computed, or an irrelevant one.
#include "message/add_relaxed_precision.h"

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/values.h"

namespace refract::add_relaxed_precision {
namespace {

using Message = message::AddRelaxedPrecision;
enum Role : uint64_t { kDecoration = 1 };

// True for 32-bit numbers, and for vectors and matrices of them (SPIR-V 2.14).
bool MayBeRelaxed(const Module& module, Id type) {
  if (TypeOpcode(module, type) == spv::Op::OpTypeMatrix) type = ElementType(module, type);
  const Id scalar = ScalarType(module, type);
  return scalar != Id::kNone && Width(module, scalar) == 32;
}

bool IsAlreadyDecorated(const Module& module, Id id) {
  return FindDecoration(module, id, spv::Decoration::RelaxedPrecision) != Inst::kNone;
}

bool IsComputed(const Module& module, Inst inst) {
  return PropertiesOf(module, inst).known && module.Opcode(inst) != spv::Op::OpUndef;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Id id = view.Value(message.instruction);
  if (id == Id::kNone) return No("the instruction does not exist");
  const Inst inst = module.Definition(id);
  const Block block = module.BlockOf(inst);
  if (!module.IsBasicBlock(block) || !IsComputed(module, inst)) {
    return No("the instruction does not compute a value in a block");
  }
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  if (!MayBeRelaxed(module, module.Type(inst))) {
    return No("the result does not consist of 32-bit numbers");
  }
  if (IsAlreadyDecorated(module, id)) return Yes();
  if (view.IsDead(block) || view.IsIrrelevant(id)) return Yes();
  return No("an output may depend on the precision of the value");
}

void Apply(const Message& message, ContextEditor& editor) {
  const Id id = editor.module().FindId(message.instruction);
  if (IsAlreadyDecorated(editor.module(), id)) return;
  editor.AppendPlain(Module::SectionBlock(Section::kAnnotations), spv::Op::OpDecorate,
                     editor.Made(kDecoration),
                     {id, static_cast<uint32_t>(spv::Decoration::RelaxedPrecision)});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const bool dead = facts.Dead(module.LabelId(block)) != nullptr;
      ForEachInstruction(module, block, [&](Inst inst) {
        const Id id = module.Result(inst);
        if (id == Id::kNone || module.Type(inst) == Id::kNone) return;
        if ((!dead && facts.Irrelevant(id) == nullptr) || !proposer.ShouldTry()) return;
        if (!MayBeRelaxed(module, module.Type(inst)) || IsAlreadyDecorated(module, id)) return;
        const Message message{module.NameOf(inst)};
        if (Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>({.chance = {10, 60}});

}  // namespace refract::add_relaxed_precision
