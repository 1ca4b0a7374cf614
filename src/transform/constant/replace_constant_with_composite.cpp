// SPDX-License-Identifier: Apache-2.0
// Replaces a composite constant by an OpCompositeConstruct of its parts.
#include "message/replace_constant_with_composite.h"

#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/rule.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_constant_with_composite {
namespace {

using Message = message::ReplaceConstantWithComposite;
enum Role : uint64_t { kComposite = 1 };

bool IsComposite(const Module& module, Id id) {
  return module.OpcodeOf(id) == spv::Op::OpConstantComposite;
}

CheckResult CheckParts(const View& view, Id constant) {
  const Module& module = view.module();
  const Inst inst = module.Definition(constant);
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const Id part = module.IdAt(inst, i);
    if (!IsConstant(module.OpcodeOf(part)) || IsSpecConstant(module.OpcodeOf(part))) {
      return No("a constituent is a specialization constant or not a constant");
    }
    // An irrelevant part could get another value in the construct, but not in the constant.
    if (view.facts().Irrelevant(part) != nullptr) {
      return No("a constituent is marked as irrelevant");
    }
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  if (!IsComposite(module, constant)) return No("the operand is not a composite constant");
  if (const CheckResult v = MayHaveSynonym(view, constant); !v) return v;
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  return CheckParts(view, constant);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id constant = module.IdAt(place.user, place.operand);
  const Inst inst = module.Definition(constant);
  Args parts;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) parts.push_back(module.IdAt(inst, i));
  const Id composite =
      editor.InsertValue(InsertionPointFor(module, place), spv::Op::OpCompositeConstruct,
                         module.TypeOf(constant), editor.Made(kComposite), parts);
  editor.SetOperand(place.user, place.operand, composite);
  editor.facts().AddSynonym(Part(composite), Part(constant), editor.Provenance());
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i) || !IsComposite(module, module.IdAt(inst, i))) continue;
          if (!proposer.ShouldTry()) continue;
          const Message message{DescribeUse(module, inst, i)};
          if (Check(message, proposer.view())) proposer.Offer(message);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 70},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_conversion",
                    "replace_constant_with_opaque_value", "replace_constant_with_arithmetic"}});

}  // namespace refract::replace_constant_with_composite
