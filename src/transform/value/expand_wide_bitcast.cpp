// SPDX-License-Identifier: Apache-2.0
// Packs and unpacks ints by shifts and conversions instead of a bitcast. The first component of the
// vector has the lowest bits (SPIR-V, OpBitcast).
#include "message/expand_wide_bitcast.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::expand_wide_bitcast {
namespace {

using Message = message::ExpandWideBitcast;
using spv::Op;
enum Role : uint64_t { kPart = 1, kConverted = 2, kShifted = 3, kSum = 4, kSigned = 5 };

bool IsIntVector(const Module& module, Id type) {
  return IsVector(module, type) && IsInt(module, ElementType(module, type));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.bitcast);
  if (CheckResult still = HasExpectedOpcode(view, inst, static_cast<uint32_t>(Op::OpBitcast));
      !still) {
    return still;
  }
  const Id from = module.TypeOf(module.IdAt(inst, 0)), to = module.Type(inst);
  const bool packs = IsIntVector(module, from) && IsInt(module, to);
  const bool unpacks = IsInt(module, from) && IsIntVector(module, to);
  if (!packs && !unpacks) return No("the bitcast is not between an int and a vector of ints");
  // The interpreter does not follow the number of an address through shifts.
  if (HasCapability(module, spv::Capability::PhysicalStorageBufferAddresses)) {
    return No("the module has addresses, and the int may be the number of one");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

class Expanding {
 public:
  Expanding(ContextEditor& editor, Inst inst)
      : editor_(editor),
        module_(editor.module()),
        inst_(inst),
        value_(module_.IdAt(inst, 0)),
        builder_(editor, inst, module_.Result(inst)) {}

  void Run() {
    editor_.RemoveDecorations(module_.Result(inst_));
    IsVector(module_, module_.TypeOf(value_)) ? Pack() : Unpack();
  }

 private:
  Id Amount(uint32_t bits) { return Declare(editor_, ScalarConstant(IntType(32, false), bits)); }

  void Pack() {
    const Id vector = module_.TypeOf(value_);
    const uint32_t width = Width(module_, ElementType(module_, vector));
    const uint32_t count = PartCount(module_, vector).value();
    const Id wide = Declare(editor_, IntType(width * count, false));
    Id sum = Id::kNone;
    for (uint32_t i = 0; i < count; ++i) {
      const Id part = builder_.Extract(*Part(value_).Component(i), editor_.Made(kPart, i));
      Id bits = builder_.Compute(Op::OpUConvert, wide, editor_.Made(kConverted, i), {part});
      if (i == 0) {
        sum = bits;
        continue;
      }
      const Id amount = Amount(i * width);
      bits =
          builder_.Compute(Op::OpShiftLeftLogical, wide, editor_.Made(kShifted, i), {bits, amount});
      if (i + 1 == count) {
        editor_.SetOpcode(inst_, Op::OpBitwiseOr);
        editor_.SetOperands(inst_, {sum, bits});
        return;
      }
      sum = builder_.Compute(Op::OpBitwiseOr, wide, editor_.Made(kSum, i), {sum, bits});
    }
  }

  void Unpack() {
    const Id wide = module_.TypeOf(value_), vector = module_.Type(inst_);
    const Id element = ElementType(module_, vector);
    const uint32_t width = Width(module_, element);
    const Id narrow = Declare(editor_, IntType(width, false));
    Args parts;
    for (uint32_t i = 0; i < PartCount(module_, vector).value(); ++i) {
      Id bits = value_;
      if (i != 0) {
        const Id amount = Amount(i * width);
        bits = builder_.Compute(Op::OpShiftRightLogical, wide, editor_.Made(kShifted, i),
                                {value_, amount});
      }
      Id part = builder_.Compute(Op::OpUConvert, narrow, editor_.Made(kConverted, i), {bits});
      if (element != narrow) {
        part = builder_.Compute(Op::OpBitcast, element, editor_.Made(kSigned, i), {part});
      }
      parts.push_back(part);
    }
    editor_.SetOpcode(inst_, Op::OpCompositeConstruct);
    editor_.SetOperands(inst_, parts);
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id value_;
  Builder builder_;
};

void Apply(const Message& message, ContextEditor& editor) {
  Expanding(editor, editor.module().Find(message.bitcast)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    return module.Opcode(inst) == Op::OpBitcast &&
           IsVector(module, module.Type(inst)) !=
               IsVector(module, module.TypeOf(module.IdAt(inst, 0)));
  };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const Message message{module.NameOf(inst)};
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"replace_bit_operation", "add_arithmetic_synonym"}});

}  // namespace refract::expand_wide_bitcast
