// SPDX-License-Identifier: Apache-2.0
// Computes OpFwidth as the sum of the absolute values of both derivatives, which is its definition
// (SPIR-V 3.42.16). The fineness stays the same. The derivatives are computed where the sum was, so
// by the same invocations.
#include "message/expand_fwidth.h"

#include <spirv/unified1/GLSL.std.450.h>

#include "ir/decorations.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::expand_fwidth {
namespace {

using Message = message::ExpandFwidth;
using spv::Op;
enum Role : uint64_t { kSlope = 1, kAbsolute = 2 };

struct Axes {
  Op width, x, y;
};
constexpr Axes kAxes[] = {
    {Op::OpFwidth, Op::OpDPdx, Op::OpDPdy},
    {Op::OpFwidthFine, Op::OpDPdxFine, Op::OpDPdyFine},
    {Op::OpFwidthCoarse, Op::OpDPdxCoarse, Op::OpDPdyCoarse},
};

const Axes* AxesOf(Op opcode) {
  for (const Axes& axes : kAxes) {
    if (axes.width == opcode) return &axes;
  }
  return nullptr;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.width);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (AxesOf(module.Opcode(inst)) == nullptr) return No("the operation is not OpFwidth");
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  if (FindGlslImport(module) == Id::kNone) return No("the module does not import GLSL.std.450");
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.width);
  const Axes& axes = *AxesOf(module.Opcode(inst));
  const Id result = module.Result(inst), type = module.Type(inst), value = module.IdAt(inst, 0);
  Builder builder(editor, inst, result);
  Args terms;
  for (uint32_t i = 0; i < 2; ++i) {
    const Id slope =
        builder.Compute(i == 0 ? axes.x : axes.y, type, editor.Made(kSlope, i), {value});
    const Id absolute = builder.Compute(Op::OpExtInst, type, editor.Made(kAbsolute, i),
                                        {FindGlslImport(module), GLSLstd450FAbs, slope});
    editor.CopyValueDecorations(result, slope);
    editor.CopyValueDecorations(result, absolute);
    terms.push_back(absolute);
  }
  editor.SetOpcode(inst, Op::OpFAdd);
  editor.SetOperands(inst, terms);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return AxesOf(module.Opcode(inst)) != nullptr; };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {40, 100}, .follow_ons = {"scalarize_operation", "swap_commutable_operands"}});

}  // namespace refract::expand_fwidth
