// SPDX-License-Identifier: Apache-2.0
// Computes an operand of an operation from its result. The equation is the operation itself, so no
// fact is needed, whatever computed the operands.
#include "message/recover_operand.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/declare.h"
#include "rules/build/formula.h"
#include "rules/legality/defined.h"
#include "rules/legality/known_values.h"
#include "rules/legality/upper_bound.h"
#include "rules/offer.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::recover_operand {
namespace {

using Message = message::RecoverOperand;
using Op = spv::Op;
using enum Term;
enum Role : uint64_t { kResult = 1, kInner = 2 };

// The condition under which an operation can be inverted.
enum class When : uint8_t {
  kAlways,
  kOdd,      // the other operand is odd: A is its multiplicative inverse
  kFits,     // no bit is shifted out: A is the shift amount
  kWidens,   // the operand is narrower than the result
  kSameBits  // same component count and width; not from int to float, which may flush to zero
};

struct Row {
  Op op;
  uint32_t operand;  // the recovered operand
  FormulaOp step{};  // x: the result; y: the other operand
  When when = When::kAlways;
};

constexpr Row kRows[] = {
    {Op::OpIAdd, 0, {Op::OpISub, {kX, kY}}},
    {Op::OpIAdd, 1, {Op::OpISub, {kX, kY}}},
    {Op::OpISub, 0, {Op::OpIAdd, {kX, kY}}},
    {Op::OpISub, 1, {Op::OpISub, {kY, kX}}},
    {Op::OpBitwiseXor, 0, {Op::OpBitwiseXor, {kX, kY}}},
    {Op::OpBitwiseXor, 1, {Op::OpBitwiseXor, {kX, kY}}},
    {Op::OpLogicalEqual, 0, {Op::OpLogicalEqual, {kX, kY}}},
    {Op::OpLogicalEqual, 1, {Op::OpLogicalEqual, {kX, kY}}},
    {Op::OpLogicalNotEqual, 0, {Op::OpLogicalNotEqual, {kX, kY}}},
    {Op::OpLogicalNotEqual, 1, {Op::OpLogicalNotEqual, {kX, kY}}},
    {Op::OpIMul, 0, {Op::OpIMul, {kX, kA}}, When::kOdd},
    {Op::OpIMul, 1, {Op::OpIMul, {kX, kA}}, When::kOdd},
    {Op::OpShiftLeftLogical, 0, {Op::OpShiftRightLogical, {kX, kA}}, When::kFits},
    {Op::OpSNegate, 0, {Op::OpSNegate, {kX}}},
    {Op::OpNot, 0, {Op::OpNot, {kX}}},
    {Op::OpLogicalNot, 0, {Op::OpLogicalNot, {kX}}},
    {Op::OpBitReverse, 0, {Op::OpBitReverse, {kX}}},
    {Op::OpTranspose, 0, {Op::OpTranspose, {kX}}},
    {Op::OpSConvert, 0, {Op::OpSConvert, {kX}}, When::kWidens},
    {Op::OpUConvert, 0, {Op::OpUConvert, {kX}}, When::kWidens},
    {Op::OpBitcast, 0, {Op::OpBitcast, {kX}}, When::kSameBits},
};

const Row* FindRow(Op op, uint32_t operand) {
  for (const Row& row : kRows) {
    if (row.op == op && row.operand == operand) return &row;
  }
  return nullptr;
}

bool HasRow(Op op) {
  return std::any_of(std::begin(kRows), std::end(kRows),
                     [&](const Row& row) { return row.op == op; });
}

bool IsSameBits(const Module& module, Id from, Id to) {
  const Id a = ScalarType(module, from), b = ScalarType(module, to);
  if (a == Id::kNone || b == Id::kNone || Width(module, a) != Width(module, b)) return false;
  if (PartCount(module, from) != PartCount(module, to)) return false;
  return IsFloat(module, a) || IsInt(module, b);
}

// The number A of the formula; nullopt if the operation cannot be inverted.
std::optional<uint64_t> NumberFor(const View& view, const Row& row, Id value, Id other, Id result) {
  const Module& module = view.module();
  const Id type = module.TypeOf(value);
  const uint32_t width = Width(module, ScalarType(module, type));
  switch (row.when) {
    case When::kAlways:
      return 0;
    case When::kOdd: {
      const std::optional<uint64_t> factor = SplatLiteral(view, other);
      if (!factor || *factor % 2 == 0) return std::nullopt;
      return InverseOf(*factor) & LowBits(width);
    }
    case When::kFits: {
      const std::optional<uint64_t> shift = SplatLiteral(view, other);
      if (!shift || *shift >= width) return std::nullopt;
      const uint64_t most = LowBits(width) >> *shift;
      return UpperBound(view, value) <= most ? shift : std::nullopt;
    }
    case When::kWidens:
      if (width >= Width(module, ScalarType(module, module.TypeOf(result)))) return std::nullopt;
      return 0;
    case When::kSameBits:
      if (!IsSameBits(module, type, module.TypeOf(result))) return std::nullopt;
      if (IsFloat(module, ScalarType(module, type)) && !HasSureBits(view, value)) {
        return std::nullopt;
      }
      return 0;
  }
  return std::nullopt;
}

// The other operand of the operation; kNone if not found.
Id OtherOperand(const Module& module, OperandUse place) {
  if (module.OperandCount(place.user) < 2) return Id::kNone;
  return module.IdAt(place.user, 1 - place.operand);
}

FormulaOp StepFor(const Module& module, const Row& row, Id value) {
  FormulaOp step = row.step;
  // Only OpUConvert can produce a narrower unsigned int (SPIR-V 3.42.11).
  if (row.when == When::kWidens) {
    const bool is_signed = IsSigned(module, ScalarType(module, module.TypeOf(value)));
    step.op = is_signed ? Op::OpSConvert : Op::OpUConvert;
  }
  return step;
}

FormulaInputs SettingFor(const Module& module, Id value, Id other, Id result, uint64_t number) {
  FormulaInputs setting;
  setting.values[0] = result;
  setting.values[1] = other;
  setting.result = module.TypeOf(value);
  setting.of_x = Describe(module, module.TypeOf(result));
  setting.numbers[0] = number;
  return setting;
}

bool IsRelaxed(const Module& module, Id id) {
  return FindDecoration(module, id, spv::Decoration::RelaxedPrecision) != Inst::kNone;
}

CheckResult CheckValues(const View& view, Id value, Id other, Id result, Inst before) {
  const Module& module = view.module();
  if (const CheckResult v = MayHaveSynonym(view, value); !v) return v;
  if (view.facts().Irrelevant(result) != nullptr) return No("the result is marked as irrelevant");
  if (IsRelaxed(module, value) || IsRelaxed(module, result)) {
    return No("the value or the result has RelaxedPrecision");
  }
  if (!IsAvailable(module, result, before)) {
    return No("the result is not available at the insertion point");
  }
  if (other == Id::kNone) return Yes();
  if (!IsAvailable(module, other, before)) {
    return No("the other operand is not available at the insertion point");
  }
  // The operation uses this value too, and a step might replace only one of the two uses.
  if (view.facts().Irrelevant(other) != nullptr) {
    return No("the other operand is marked as irrelevant");
  }
  if (!IsSurelyDefined(view, other) || !IsSurelyExact(view, other)) {
    return No("the other operand may be undefined or approximate");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, Op::OpCopyObject, before)) {
    return No("no instruction can be inserted at this point");
  }
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Row* row = FindRow(module.Opcode(place.user), place.operand);
  if (row == nullptr) return No("the operation has no inverse for this operand");
  const Id value = module.IdAt(place.user, place.operand);
  const Id other = OtherOperand(module, place), result = module.Result(place.user);
  if (const CheckResult v = CheckValues(view, value, other, result, before); !v) return v;
  if (other != Id::kNone) view.DependOn(place.user, 1 - place.operand);
  const std::optional<uint64_t> number = NumberFor(view, *row, value, other, result);
  if (!number) return No("the result does not determine the operand");
  const FormulaOp step = StepFor(module, *row, value);
  if (!IsFormulaPossible(module, {&step, 1}, SettingFor(module, value, other, result, *number))) {
    return No("a constant cannot be declared in this module");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Row* row = FindRow(module.Opcode(place.user), place.operand);
  const Id value = module.IdAt(place.user, place.operand);
  const Id other = OtherOperand(module, place), result = module.Result(place.user);
  const uint64_t number = NumberFor(editor.view(), *row, value, other, result).value();
  const FormulaOp step = StepFor(module, *row, value);
  const Id recovered =
      EmitFormula(editor, module.Find(message.before), {&step, 1},
                  SettingFor(module, value, other, result, number), editor.Made(kResult), kInner);
  editor.facts().AddSynonym(Part(recovered), Part(value), editor.Provenance());
}

void Offer(Proposer& proposer, Inst before) {
  const Module& module = proposer.module();
  std::vector<Inst> operations;
  for (Id id : ValuesNear(module, before, 32)) {
    const Inst inst = module.Definition(id);
    if (HasRow(module.Opcode(inst)) && module.IsBasicBlock(module.BlockOf(inst))) {
      operations.push_back(inst);
    }
  }
  // Several tries, because not every operation can be inverted.
  for (int tries = 0; tries < 4 && !operations.empty(); ++tries) {
    const Inst inst = operations[proposer.Pick(operations.size())];
    const auto operand = static_cast<uint32_t>(proposer.Pick(module.OperandCount(inst)));
    const Message message{module.NameOf(before), DescribeUse(module, inst, operand)};
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  OfferAtInsertionPoints(proposer, Op::OpCopyObject, [&](Inst before) { Offer(proposer, before); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 14},
     .follow_ons = {"replace_id_with_synonym", "add_phi_synonym", "add_arithmetic_synonym"}});

}  // namespace refract::recover_operand
