// SPDX-License-Identifier: Apache-2.0
// Computes an inclusive scan as the exclusive scan, combined with the invocation's own value. For
// ints and booleans the order of the operations does not matter.
#include "message/expand_inclusive_scan.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::expand_inclusive_scan {
namespace {

using Message = message::ExpandInclusiveScan;
using spv::Op;
enum Role : uint64_t { kScan = 1 };

// The operation on two values; OpNop if not found.
Op CombinationOf(Op opcode) {
  switch (opcode) {
    case Op::OpGroupNonUniformIAdd:
      return Op::OpIAdd;
    case Op::OpGroupNonUniformIMul:
      return Op::OpIMul;
    case Op::OpGroupNonUniformBitwiseAnd:
      return Op::OpBitwiseAnd;
    case Op::OpGroupNonUniformBitwiseOr:
      return Op::OpBitwiseOr;
    case Op::OpGroupNonUniformBitwiseXor:
      return Op::OpBitwiseXor;
    case Op::OpGroupNonUniformLogicalAnd:
      return Op::OpLogicalAnd;
    case Op::OpGroupNonUniformLogicalOr:
      return Op::OpLogicalOr;
    case Op::OpGroupNonUniformLogicalXor:
      return Op::OpLogicalNotEqual;
    default:
      return Op::OpNop;
  }
}

bool IsInclusive(const Module& module, Inst inst) {
  return module.Word(inst, 1) == static_cast<uint32_t>(spv::GroupOperation::InclusiveScan);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (CombinationOf(module.Opcode(inst)) == Op::OpNop || !IsInclusive(module, inst)) {
    return No("the operation is not an inclusive scan of ints or booleans");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  // Both uses of the value could have another precision (SPIR-V 3.20, RelaxedPrecision).
  if (FindDecoration(module, module.IdAt(inst, 2), spv::Decoration::RelaxedPrecision) !=
      Inst::kNone) {
    return No("the value has RelaxedPrecision");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Op opcode = module.Opcode(inst);
  const Id scope = module.IdAt(inst, 0), value = module.IdAt(inst, 2);
  Builder builder(editor, inst, module.Result(inst));
  const Id before =
      builder.Compute(opcode, module.Type(inst), editor.Made(kScan),
                      {scope, static_cast<uint32_t>(spv::GroupOperation::ExclusiveScan), value});
  editor.RemoveDecorations(module.Result(inst));
  editor.SetOpcode(inst, CombinationOf(opcode));
  editor.SetOperands(inst, {before, value});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return CombinationOf(module.Opcode(inst)) != Op::OpNop && IsInclusive(module, inst);
  };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"swap_commutable_operands"}});

}  // namespace refract::expand_inclusive_scan
