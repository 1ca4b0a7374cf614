// SPDX-License-Identifier: Apache-2.0
// Expands an integer dot product into multiplications and additions. The result is the low bits of
// the exact sum of products (SPIR-V, OpSDot), which is what wrapping arithmetic in the width of the
// result computes.
#include "message/expand_integer_dot.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::expand_integer_dot {
namespace {

using Message = message::ExpandIntegerDot;
using spv::Op;
enum Role : uint64_t { kPart = 1, kWide = 2, kProduct = 3, kSum = 4 };

bool IsDot(Op opcode) {
  return opcode == Op::OpSDot || opcode == Op::OpUDot || opcode == Op::OpSUDot;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (!IsDot(module.Opcode(inst))) return No("the operation is not an integer dot product");
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  const bool is_packed = !IsVector(module, module.TypeOf(module.IdAt(inst, 0)));
  if (is_packed && Width(module, module.Type(inst)) != 32) {
    return No("packed components need a result of 32 bits");
  }
  return Yes();
}

class Expanding {
 public:
  Expanding(ContextEditor& editor, Inst inst)
      : editor_(editor),
        module_(editor.module()),
        inst_(inst),
        type_(module_.Type(inst)),
        builder_(editor, inst, module_.Result(inst)) {}

  void Run() {
    const Op opcode = module_.Opcode(inst_);
    const Id first = module_.IdAt(inst_, 0), second = module_.IdAt(inst_, 1);
    const Id vector = module_.TypeOf(first);
    const uint32_t count = IsVector(module_, vector) ? PartCount(module_, vector).value() : 4;
    std::vector<Id> products;
    for (uint32_t i = 0; i < count; ++i) {
      const Id a = Component(first, 0, i, opcode != Op::OpUDot);
      const Id b = Component(second, 1, i, opcode == Op::OpSDot);
      products.push_back(builder_.Compute(Op::OpIMul, type_, editor_.Made(kProduct, i), {a, b}));
    }
    Id sum = products[0];
    for (uint32_t i = 1; i + 1 < count; ++i) {
      sum = builder_.Compute(Op::OpIAdd, type_, editor_.Made(kSum, i), {sum, products[i]});
    }
    // The result is computed in full precision. RelaxedPrecision would only permit less.
    editor_.RemoveDecorations(module_.Result(inst_));
    editor_.SetOpcode(inst_, Op::OpIAdd);
    editor_.SetOperands(inst_, {sum, products.back()});
  }

 private:
  // Component `i` of an operand, in the width of the result.
  Id Component(Id vector, uint32_t operand, uint32_t i, bool is_signed) {
    const Id type = module_.TypeOf(vector);
    if (!IsVector(module_, type)) {
      const auto uint_of = [&](uint32_t value) {
        return Declare(editor_, ScalarConstant(IntType(32, false), value));
      };
      const Id offset = uint_of(8 * i), count = uint_of(8);
      return builder_.Compute(is_signed ? Op::OpBitFieldSExtract : Op::OpBitFieldUExtract, type,
                              editor_.Made(kPart, operand, i), {vector, offset, count});
    }
    const Id part = builder_.Extract(*Part(vector).Component(i), editor_.Made(kPart, operand, i));
    const uint32_t width = Width(module_, type_);
    if (Width(module_, ElementType(module_, type)) == width) return part;
    const Id wide = is_signed ? type_ : Declare(editor_, IntType(width, false));
    return builder_.Compute(is_signed ? Op::OpSConvert : Op::OpUConvert, wide,
                            editor_.Made(kWide, operand, i), {part});
  }

  ContextEditor& editor_;
  const Module& module_;
  const Inst inst_;
  const Id type_;
  Builder builder_;
};

void Apply(const Message& message, ContextEditor& editor) {
  Expanding(editor, editor.module().Find(message.operation)).Run();
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) { return IsDot(module.Opcode(inst)); };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80},
     .follow_ons = {"swap_commutable_operands", "add_arithmetic_synonym",
                    "replace_bit_operation"}});

}  // namespace refract::expand_integer_dot
