// SPDX-License-Identifier: Apache-2.0
// Splits a bitwise operation into operations on bit ranges, and joins their results. The old
// instruction, under its name, becomes the last join.
#include "message/split_bit_operation.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/legality/defined.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::split_bit_operation {
namespace {

using Message = message::SplitBitOperation;
using spv::Op;
enum Role : uint64_t { kTaken = 1, kField = 2, kMasked = 3, kPlaced = 4, kJoined = 5 };

constexpr size_t kMostCuts = 7;

bool IsBitwise(Op opcode) {
  return opcode == Op::OpBitwiseAnd || opcode == Op::OpBitwiseOr || opcode == Op::OpBitwiseXor ||
         opcode == Op::OpNot;
}

bool AreOperandsSure(const View& view, Inst inst) {
  const Module& module = view.module();
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const Id operand = module.IdAt(inst, i);
    if (!IsSurelyDefined(view, operand) || !IsSurelyExact(view, operand)) return false;
  }
  return true;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (!IsBitwise(module.Opcode(inst))) return No("the operation is not bitwise");
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  // If all bits of one operand are set, the other operand does not affect the result of the whole
  // OR. For a range of bits it does, because the bits outside the range are zero.
  if (module.Opcode(inst) == Op::OpBitwiseOr && !AreOperandsSure(view, inst)) {
    return No("an operand may be undefined or approximate");
  }
  const Id type = module.Type(inst);
  if (!message.by_shifts) {
    if (CheckResult may = MayUseBitFields(module, type); !may) return may;
    for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
      if (module.TypeOf(module.IdAt(inst, i)) != type) {
        return No("an operand and the result have different types");
      }
    }
  }
  if (message.cuts.empty()) return No("the list of bit positions for the cuts is empty");
  if (message.cuts.size() > kMostCuts) {
    return No("the list of bit positions for the cuts is too long");
  }
  uint32_t last = 0;
  for (uint32_t cut : message.cuts) {
    if (cut <= last || cut >= Width(module, ScalarType(module, type))) {
      return No("the bit positions of the cuts do not increase or are not inside the value");
    }
    last = cut;
  }
  return Yes();
}

class Splitting {
 public:
  Splitting(const Message& message, ContextEditor& editor)
      : editor_(editor),
        module_(editor.module()),
        inst_(module_.Find(message.operation)),
        type_(module_.Type(inst_)),
        by_shifts_(message.by_shifts),
        builder_(editor, inst_, module_.Result(inst_)) {
    ends_ = message.cuts;
    ends_.push_back(Width(module_, ScalarType(module_, type_)));
  }

  void Run() {
    Id joined = Id::kNone;
    uint32_t begin = 0;
    for (uint32_t i = 0; i < ends_.size(); ++i) {
      const uint32_t count = ends_[i] - begin;
      const Id field =
          by_shifts_ ? Place(i, Compute(i, begin, count), begin, count) : Compute(i, begin, count);
      const Op join = by_shifts_ ? Op::OpBitwiseOr : Op::OpBitFieldInsert;
      Args args{joined, field};
      if (!by_shifts_) args.insert(args.end(), {Uint(begin), Uint(count)});
      if (i == 0) {
        joined = field;
      } else if (i + 1 < ends_.size()) {
        joined = builder_.Compute(join, type_, editor_.Made(kJoined, i), args);
      } else {
        // The result is computed in full precision. RelaxedPrecision would only permit less.
        editor_.RemoveDecorations(module_.Result(inst_));
        editor_.SetOpcode(inst_, join);
        editor_.SetOperands(inst_, args);
      }
      begin = ends_[i];
    }
  }

 private:
  // Applies the operation to `count` bits from `begin` on. The higher bits of the result are wrong.
  Id Compute(uint32_t i, uint32_t begin, uint32_t count) {
    Args args;
    for (uint32_t operand = 0; operand < module_.OperandCount(inst_); ++operand) {
      const Id value = module_.IdAt(inst_, operand);
      const Name name = editor_.Made(kTaken, i, operand);
      if (!by_shifts_) {
        args.push_back(builder_.Compute(Op::OpBitFieldUExtract, type_, name,
                                        {value, Uint(begin), Uint(count)}));
      } else if (begin == 0) {
        args.push_back(value);
      } else {
        args.push_back(
            builder_.Compute(Op::OpShiftRightLogical, type_, name, {value, Constant(begin)}));
      }
    }
    return builder_.Compute(module_.Opcode(inst_), type_, editor_.Made(kField, i), args);
  }

  Id Place(uint32_t i, Id field, uint32_t begin, uint32_t count) {
    const Id masked = builder_.Compute(Op::OpBitwiseAnd, type_, editor_.Made(kMasked, i),
                                       {field, Constant(LowBits(count))});
    if (begin == 0) return masked;
    return builder_.Compute(Op::OpShiftLeftLogical, type_, editor_.Made(kPlaced, i),
                            {masked, Constant(begin)});
  }

  Id Constant(uint64_t bits) {
    return Declare(editor_, SplatConstant(Describe(module_, type_), bits));
  }
  Id Uint(uint32_t value) { return Declare(editor_, ScalarConstant(IntType(32, false), value)); }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id type_;
  const bool by_shifts_;
  Builder builder_;
  std::vector<uint32_t> ends_;
};

void Apply(const Message& message, ContextEditor& editor) {
  Splitting(message, editor).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsBitwise(module.Opcode(inst)); };
  OfferAtInstructions(proposer, fits, [&](Inst inst) {
    const uint32_t width = Width(module, ScalarType(module, module.Type(inst)));
    Message message{
        module.NameOf(inst), {}, proposer.Pick(2) == 0, static_cast<uint32_t>(module.Opcode(inst))};
    // Usually two ranges; a chain of eight is long.
    const size_t cuts = proposer.Pick(6) == 0 ? 1 + proposer.Pick(kMostCuts) : 1;
    for (size_t i = 0; i < cuts; ++i) {
      message.cuts.push_back(static_cast<uint32_t>(1 + proposer.Pick(width - 1)));
    }
    std::sort(message.cuts.begin(), message.cuts.end());
    message.cuts.erase(std::unique(message.cuts.begin(), message.cuts.end()), message.cuts.end());
    if (Check(message, proposer.view())) proposer.Offer(message);
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {3, 30},
     .follow_ons = {"replace_bit_operation", "swap_commutable_operands",
                    "replace_constant_with_uniform"}});

}  // namespace refract::split_bit_operation
