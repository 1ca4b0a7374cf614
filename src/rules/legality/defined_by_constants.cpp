// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/defined_by_constants.h"

#include <optional>
#include <vector>

#include "ir/grammar/grammar.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"

namespace refract {
inline namespace rules {
namespace {

using Scalars = std::vector<uint64_t>;

// The scalars of a constant scalar or vector; nullopt for other constants.
std::optional<Scalars> ScalarsOf(const Module& module, Id constant) {
  const Inst inst = module.Definition(constant);
  const Id type = module.Type(inst);
  if (module.Opcode(inst) == spv::Op::OpConstantNull && IsVector(module, type)) {
    return Scalars(PartCount(module, type).value(), 0);
  }
  if (const std::optional<uint64_t> value = LiteralValue(module, constant)) return Scalars{*value};
  if (module.Opcode(inst) != spv::Op::OpConstantComposite || !IsVector(module, type)) {
    return std::nullopt;
  }
  Scalars all;
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const std::optional<uint64_t> part = LiteralValue(module, module.IdAt(inst, i));
    if (!part) return std::nullopt;
    all.push_back(*part);
  }
  return all;
}

template <class Good>
bool AreAll(const Module& module, Inst inst, uint32_t operand, Good good) {
  const std::optional<Scalars> scalars = ScalarsOf(module, module.IdAt(inst, operand));
  if (!scalars) return false;
  for (uint64_t scalar : *scalars) {
    if (!good(scalar)) return false;
  }
  return true;
}

// The width of the result's scalars.
uint32_t WidthOf(const Module& module, Inst inst) {
  return Width(module, ScalarType(module, module.Type(inst)));
}

bool AreBitsInside(const Module& module, Inst inst, uint32_t offset) {
  const auto first = LiteralValue(module, module.IdAt(inst, offset));
  const auto count = LiteralValue(module, module.IdAt(inst, offset + 1));
  const uint32_t width = WidthOf(module, inst);
  return first && count && *first <= width && *count <= width - *first;
}

// True if the bounds of a clamp are constants in the right order. Integers are compared according
// to `is_signed`.
bool AreBoundsInOrder(const Module& module, Inst inst, bool is_signed) {
  const auto low = ScalarsOf(module, module.IdAt(inst, 3));
  const auto high = ScalarsOf(module, module.IdAt(inst, 4));
  if (!low || !high || low->size() != high->size()) return false;
  const uint64_t flip = is_signed ? uint64_t{1} << (WidthOf(module, inst) - 1) : 0;
  for (size_t i = 0; i < low->size(); ++i) {
    if (((*low)[i] ^ flip) > ((*high)[i] ^ flip)) return false;
  }
  return true;
}

bool IsIndexInside(const Module& module, Inst inst, uint32_t index) {
  const auto parts = PartCount(module, module.TypeOf(module.IdAt(inst, 0)));
  return parts && AreAll(module, inst, index, [&](uint64_t i) { return i < *parts; });
}

// True if the float is not zero, not a denormal (which may be flushed to zero), not infinite and
// not NaN.
bool IsPlainFloat32(uint64_t bits) {
  const uint64_t exponent = bits >> 23 & 0xff;
  return exponent != 0 && exponent != 0xff;
}

bool HasUndefinedComponent(const Module& module, Inst shuffle) {
  for (uint32_t i = 2; i < module.OperandCount(shuffle); ++i) {
    if (module.Word(shuffle, i) == 0xffffffffu) return true;
  }
  return false;
}

bool IsClampInOrder(const Module& module, Inst inst) {
  if (ExtInstSetOf(module, inst) != ExtInstSet::kGlsl) return false;
  const std::string_view name = GlslGrammarOf(module.Word(inst, 1))->name;
  if (name == "UClamp") return AreBoundsInOrder(module, inst, false);
  return name == "SClamp" && AreBoundsInOrder(module, inst, true);
}

}  // namespace

bool IsDefinedByConstants(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  if (!properties.behaviour_may_be_undefined && !properties.value_may_be_undefined) return true;
  const uint32_t width = WidthOf(module, inst);
  switch (module.Opcode(inst)) {
    case spv::Op::OpUDiv:
    case spv::Op::OpUMod:
      return AreAll(module, inst, 1, [](uint64_t d) { return d != 0; });
    case spv::Op::OpSDiv:
      return AreAll(module, inst, 1, [&](uint64_t d) {
        return d != 0 && d != (~uint64_t{0} >> (64 - width));  // lowest value / -1 overflows
      });
    case spv::Op::OpFDiv:
    case spv::Op::OpFRem:
    case spv::Op::OpFMod:
      return width == 32 && AreAll(module, inst, 1, IsPlainFloat32);
    case spv::Op::OpShiftLeftLogical:
    case spv::Op::OpShiftRightLogical:
    case spv::Op::OpShiftRightArithmetic:
      return AreAll(module, inst, 1, [&](uint64_t bits) { return bits < width; });
    case spv::Op::OpBitFieldInsert:
      return AreBitsInside(module, inst, 2);
    case spv::Op::OpBitFieldSExtract:
    case spv::Op::OpBitFieldUExtract:
      return AreBitsInside(module, inst, 1);
    case spv::Op::OpVectorExtractDynamic:
      return IsIndexInside(module, inst, 1);
    case spv::Op::OpVectorInsertDynamic:
      return IsIndexInside(module, inst, 2);
    case spv::Op::OpVectorShuffle:
      return !HasUndefinedComponent(module, inst);
    case spv::Op::OpExtInst:
      return IsClampInOrder(module, inst);
    default:
      return false;
  }
}

}  // namespace rules
}  // namespace refract
