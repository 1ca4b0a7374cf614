// SPDX-License-Identifier: Apache-2.0
// Packs or unpacks the components of a vector in a rotated order, and rotates the packed word. Each
// field is a function of its own component (GLSL.std.450, PackUnorm4x8 and similar), so it only
// moves. All fields stay in one instruction, so none of them is rounded in another way.
#include "message/rotate_packed_fields.h"

#include <spirv/unified1/GLSL.std.450.h>

#include <vector>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::rotate_packed_fields {
namespace {

using Message = message::RotatePackedFields;
using spv::Op;
enum Role : uint64_t { kMoved = 1, kPacked = 2, kLeft = 3, kRight = 4, kRotated = 5 };

constexpr uint32_t kWord = 32;
constexpr uint32_t kValue = 2;  // the operand after the set and the number

struct Packing {
  uint32_t fields = 0;  // 0: the instruction neither packs nor unpacks
  bool unpacks = false;
};

Packing PackingOf(const Module& module, Inst inst) {
  if (module.Opcode(inst) != Op::OpExtInst || ExtInstSetOf(module, inst) != ExtInstSet::kGlsl) {
    return {};
  }
  switch (module.Word(inst, 1)) {
    case GLSLstd450PackSnorm4x8:
    case GLSLstd450PackUnorm4x8:
      return {4, false};
    case GLSLstd450PackSnorm2x16:
    case GLSLstd450PackUnorm2x16:
    case GLSLstd450PackHalf2x16:
      return {2, false};
    case GLSLstd450UnpackSnorm4x8:
    case GLSLstd450UnpackUnorm4x8:
      return {4, true};
    case GLSLstd450UnpackSnorm2x16:
    case GLSLstd450UnpackUnorm2x16:
    case GLSLstd450UnpackHalf2x16:
      return {2, true};
    default:
      return {};
  }
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const Packing packing = PackingOf(module, inst);
  if (packing.fields == 0) return No("the instruction does not pack or unpack fields");
  if (message.by == 0 || message.by >= packing.fields) {
    return No("the number of fields to rotate by is out of range");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  // Its upper bits could be lost before they are moved, or after.
  const Id word = packing.unpacks ? module.IdAt(inst, kValue) : module.Result(inst);
  if (FindDecoration(module, word, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
    return No("the packed word has RelaxedPrecision");
  }
  DependOnForm(view, inst);
  return Yes();
}

// The two shifts whose results together are `word`, rotated by that many bits to the left.
Args Shifts(ContextEditor& editor, Builder& builder, Id word, uint32_t bits) {
  const Module& module = editor.module();
  const Id type = module.TypeOf(word);
  const Id left = Declare(editor, ScalarConstant(module, type, bits));
  const Id right = Declare(editor, ScalarConstant(module, type, kWord - bits));
  const Id upper = builder.Compute(Op::OpShiftLeftLogical, type, editor.Made(kLeft), {word, left});
  const Id lower =
      builder.Compute(Op::OpShiftRightLogical, type, editor.Made(kRight), {word, right});
  return {upper, lower};
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.operation);
  const Packing packing = PackingOf(module, inst);
  const Id result = module.Result(inst), type = module.Type(inst);
  const Id set = module.IdAt(inst, 0), value = module.IdAt(inst, kValue);
  const uint32_t number = module.Word(inst, 1);
  const uint32_t bits = message.by * (kWord / packing.fields);
  std::vector<uint32_t> order;
  for (uint32_t i = 0; i < packing.fields; ++i) {
    order.push_back((i + message.by) % packing.fields);
  }
  Builder builder(editor, inst, result);
  if (packing.unpacks) {
    const Id word = builder.Compute(Op::OpBitwiseOr, module.TypeOf(value), editor.Made(kRotated),
                                    Shifts(editor, builder, value, bits));
    const Id unpacked =
        builder.Compute(Op::OpExtInst, type, editor.Made(kPacked), {set, number, word});
    editor.CopyValueDecorations(result, unpacked);
    Args args = {unpacked, unpacked};
    args.insert(args.end(), order.begin(), order.end());
    editor.SetOpcode(inst, Op::OpVectorShuffle);
    editor.SetOperands(inst, args);
    return;
  }
  const Id moved = builder.Shuffle(module.TypeOf(value), editor.Made(kMoved), value, value, order);
  const Id packed =
      builder.Compute(Op::OpExtInst, type, editor.Made(kPacked), {set, number, moved});
  editor.CopyValueDecorations(result, packed);
  const Args shifts = Shifts(editor, builder, packed, bits);
  editor.SetOpcode(inst, Op::OpBitwiseOr);
  editor.SetOperands(inst, shifts);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return PackingOf(module, inst).fields != 0; };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const auto by = static_cast<uint32_t>(proposer.Pick(PackingOf(module, inst).fields - 1)) + 1;
    const Message message{module.NameOf(inst), by};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {30, 100},
     .follow_ons = {"replace_bit_operation", "split_bit_operation", "swap_commutable_operands"}});

}  // namespace refract::rotate_packed_fields
