// SPDX-License-Identifier: Apache-2.0
// Replaces a numeric constant by a conversion of another constant.
#include "message/replace_constant_with_conversion.h"

#include <bit>
#include <cmath>

#include "ir/types.h"
#include "rules/build/bits.h"
#include "rules/build/declare.h"
#include "rules/legality/known_values.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_constant_with_conversion {
namespace {

using Message = message::ReplaceConstantWithConversion;
using message::Constant;
using message::Type;
using spv::Op;
using Kind = Type::Kind;
enum Role : uint64_t { kConversion = 1 };

// A number: its type and its bits.
struct Number {
  Type type;
  uint64_t bits = 0;
};

// True if all implementations treat the number alike: any int, and floats for which IsPlainFloat
// holds.
bool IsPlain(const Number& number) {
  return number.type.kind == Kind::kInt || IsPlainFloat(number.type.width, number.bits);
}

std::optional<Number> NumberOf(const Constant& constant) {
  const Type& type = constant.type;
  if (type.declared || constant.words.empty()) return std::nullopt;
  const bool is_float = type.kind == Kind::kFloat && (type.width == 32 || type.width == 64);
  if (!is_float && type.kind != Kind::kInt) return std::nullopt;
  Number number{type, constant.words[0]};
  if (constant.words.size() > 1) number.bits |= uint64_t{constant.words[1]} << 32;
  number.bits &= LowBits(type.width);
  return IsPlain(number) ? std::optional(number) : std::nullopt;
}

double FloatOf(const Number& number) {
  if (number.type.width == 64) return std::bit_cast<double>(number.bits);
  return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(number.bits)));
}

// An int as a float of that width; nullopt for zero, and if the float would not be exact.
std::optional<uint64_t> AsFloat(int64_t value, uint32_t width) {
  const int64_t most = int64_t{1} << (width == 32 ? 24 : 53);
  if (value == 0 || value < -most || value > most) return std::nullopt;
  if (width == 64) return std::bit_cast<uint64_t>(static_cast<double>(value));
  return std::bit_cast<uint32_t>(static_cast<float>(value));
}

// A float that is a whole number, as an int of that width.
std::optional<uint64_t> AsInt(double value, uint32_t width, bool is_signed) {
  if (std::trunc(value) != value || std::fabs(value) > 0x1p53) return std::nullopt;
  // In 64 bits, a negative number would pass the round-trip test below.
  if (!is_signed && value < 0) return std::nullopt;
  const auto whole = static_cast<int64_t>(value);
  const uint64_t bits = static_cast<uint64_t>(whole) & LowBits(width);
  const int64_t back = is_signed ? SignExtend(bits, width) : static_cast<int64_t>(bits);
  if (back != whole) return std::nullopt;
  return bits;
}

// The result of the conversion, as bits of the type `to`. Nullopt if it is inexact or the
// conversion does not support the types (SPIR-V 3.42.11).
std::optional<uint64_t> Convert(Op op, const Number& from, const Type& to) {
  const bool from_int = from.type.kind == Kind::kInt, to_int = to.kind == Kind::kInt;
  switch (op) {
    case Op::OpConvertSToF:
      if (!from_int || to_int) return std::nullopt;
      return AsFloat(SignExtend(from.bits, from.type.width), to.width);
    case Op::OpConvertUToF:
      if (!from_int || to_int || from.bits >> 63 != 0) return std::nullopt;
      return AsFloat(static_cast<int64_t>(from.bits), to.width);
    case Op::OpConvertFToS:
    case Op::OpConvertFToU:
      if (from_int || !to_int || (op == Op::OpConvertFToU && to.is_signed)) return std::nullopt;
      return AsInt(FloatOf(from), to.width, op == Op::OpConvertFToS);
    case Op::OpSConvert:
    case Op::OpUConvert:
      if (!from_int || !to_int || from.type.width == to.width) return std::nullopt;
      if (op == Op::OpSConvert) {
        return static_cast<uint64_t>(SignExtend(from.bits, from.type.width)) & LowBits(to.width);
      }
      if (to.is_signed) return std::nullopt;
      return from.bits & LowBits(to.width);
    case Op::OpBitcast:
      if (from.type.width != to.width || from.type == to) return std::nullopt;
      return from.bits;
    default:
      return std::nullopt;
  }
}

// The number of a constant; nullopt for other constants, and for floats that are not plain.
std::optional<Number> NumberAt(const Module& module, Id constant) {
  const Id type = module.TypeOf(constant);
  if (type == Id::kNone || Width(module, type) == 0 || !IsOrdinary(module, type)) {
    return std::nullopt;
  }
  const std::optional<uint64_t> bits = LiteralValue(module, constant);
  if (!bits) return std::nullopt;
  return NumberOf(ScalarConstant(module, type, *bits));
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id constant = module.IdAt(place.user, place.operand);
  const std::optional<Number> wanted = NumberAt(module, constant);
  if (!wanted) return No("the operand is not an integer constant or a normal float constant");
  if (view.facts().Irrelevant(constant) != nullptr) {
    return No("the constant is marked as irrelevant");
  }
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  if (!IsDeclarableHere(module, message.operand)) {
    return No("the constant cannot be declared in this module");
  }
  const std::optional<Number> operand = NumberOf(message.operand);
  if (!operand) return No("the operand is not an integer or a normal float");
  const auto result = Convert(static_cast<Op>(message.operation), *operand, wanted->type);
  if (!result) return No("the conversion is not supported or not exact");
  if (*result != wanted->bits) {
    return No("the result of the conversion differs from the replaced constant");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id constant = module.IdAt(place.user, place.operand);
  const Id operand = Declare(editor, message.operand);
  const Id value =
      editor.InsertValue(InsertionPointFor(module, place), static_cast<Op>(message.operation),
                         module.TypeOf(constant), editor.Made(kConversion), {operand});
  editor.SetOperand(place.user, place.operand, value);
  editor.facts().AddSynonym(Part(value), Part(constant), editor.Provenance());
}

// Picks a conversion that may yield `wanted`; Check decides whether it does.
void PickConversion(Proposer& proposer, const Number& wanted, Message* message) {
  const bool flip = proposer.Pick(2) == 0;
  const auto use = [&](Op op, const Type& type, uint64_t bits) {
    message->operation = static_cast<uint32_t>(op);
    message->operand = ScalarConstant(type, bits & LowBits(type.width));
  };
  const uint32_t width = wanted.type.width;
  if (wanted.type.kind == Kind::kFloat) {
    const auto whole = AsInt(FloatOf(wanted), 32, true);
    if (whole && wanted.bits != 0 && proposer.Pick(4) != 0) {
      return use(flip ? Op::OpConvertUToF : Op::OpConvertSToF, IntType(32, !flip), *whole);
    }
    return use(Op::OpBitcast, IntType(width, flip), wanted.bits);
  }
  const bool is_signed = wanted.type.is_signed;
  const uint32_t widths[] = {8, 16, 32, 64};
  const Type other = IntType(widths[proposer.Pick(4)], flip);
  const int64_t value =
      is_signed ? SignExtend(wanted.bits, width) : static_cast<int64_t>(wanted.bits);
  switch (proposer.Pick(4)) {
    case 0:
      return use(Op::OpBitcast, IntType(width, !is_signed), wanted.bits);
    case 1:
      if (width == 32 && IsPlainFloat(32, wanted.bits)) {
        return use(Op::OpBitcast, FloatType(32), wanted.bits);
      }
      [[fallthrough]];
    case 2:
      if (const auto bits = AsFloat(value, 32)) {
        return use(is_signed ? Op::OpConvertFToS : Op::OpConvertFToU, FloatType(32), *bits);
      }
      [[fallthrough]];
    default:
      return use(is_signed || flip ? Op::OpSConvert : Op::OpUConvert, other,
                 static_cast<uint64_t>(value));
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i)) continue;
          const Op op = module.OpcodeOf(module.IdAt(inst, i));
          if ((op != Op::OpConstant && op != Op::OpConstantNull) || !proposer.ShouldTry()) continue;
          const std::optional<Number> wanted = NumberAt(module, module.IdAt(inst, i));
          if (!wanted || !MayBeAnyValue(module, {inst, i})) continue;
          Message message{DescribeUse(module, inst, i), 0, {}};
          PickConversion(proposer, *wanted, &message);
          if (Check(message, proposer.view())) proposer.Offer(message);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {3, 25},
     .follow_ons = {"replace_constant_with_uniform", "replace_constant_with_arithmetic",
                    "replace_constant_with_opaque_value"}});

}  // namespace refract::replace_constant_with_conversion
