// SPDX-License-Identifier: Apache-2.0
#include "transform/value/whole_numbers.h"

#include <algorithm>
#include <bit>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/bits.h"

namespace refract {
inline namespace transform {
namespace {

using spv::Op;
using Bound = std::optional<uint64_t>;

class Search {
 public:
  explicit Search(const View& view) : view_(view), module_(view.module()) {}

  Bound OfFloats(Id value) {
    if (!MayVisit(value)) return std::nullopt;
    const Inst inst = module_.Definition(value);
    const Bound bound = IsConstant(module_.Opcode(inst)) ? OfConstant(inst) : OfOperation(inst);
    return bound && *bound <= Most(module_.Type(inst)) ? bound : std::nullopt;
  }

 private:
  static constexpr int kMaxVisits = 48;

  bool MayVisit(Id value) {
    return ++visits_ <= kMaxVisits && view_.facts().Irrelevant(value) == nullptr &&
           FindDecoration(module_, value, spv::Decoration::RelaxedPrecision) == Inst::kNone;
  }

  uint64_t Most(Id type) const {
    while (ElementType(module_, type) != Id::kNone) type = ElementType(module_, type);
    return MaxExactWholeNumber(Width(module_, type));
  }

  Bound OfConstant(Inst inst) {
    if (module_.Opcode(inst) == Op::OpConstantNull) return 0;
    if (module_.Opcode(inst) == Op::OpConstantComposite) return OfOperands(inst, 0);
    const auto bits = LiteralValue(module_, module_.Result(inst));
    if (!bits || Width(module_, module_.Type(inst)) != 32) return std::nullopt;
    const auto number = std::bit_cast<float>(static_cast<uint32_t>(*bits));
    // Excludes -0, NaN and numbers that are too large.
    if (!(number >= 0 && number <= static_cast<float>(MaxExactWholeNumber(32))) ||
        *bits >> 31 != 0) {
      return std::nullopt;
    }
    const auto whole = static_cast<uint64_t>(number);
    return static_cast<float>(whole) == number ? Bound(whole) : std::nullopt;
  }

  // The largest bound of all operands from `first` on.
  Bound OfOperands(Inst inst, uint32_t first) {
    uint64_t largest = 0;
    for (uint32_t i = first; i < module_.OperandCount(inst) && module_.IsId(inst, i); ++i) {
      const Bound bound = OfOperand(inst, i);
      if (!bound) return std::nullopt;
      largest = std::max(largest, *bound);
    }
    return largest;
  }

  Bound OfOperand(Inst inst, uint32_t i) {
    const Bound bound = OfFloats(module_.IdAt(inst, i));
    if (bound && module_.IsBasicBlock(module_.BlockOf(inst))) view_.DependOn(inst, i);
    return bound;
  }

  Bound OfOperation(Inst inst) {
    switch (module_.Opcode(inst)) {
      case Op::OpCompositeConstruct:
        return OfOperands(inst, 0);
      case Op::OpCopyObject:
      case Op::OpCompositeExtract:
      case Op::OpTranspose:
        return IsOfFloats(module_.IdAt(inst, 0)) ? OfOperand(inst, 0) : std::nullopt;
      case Op::OpSelect:
        return OfOperands(inst, 1);
      case Op::OpFAdd:
      case Op::OpFMul:
      case Op::OpVectorTimesScalar: {
        const Bound left = OfOperand(inst, 0);
        const Bound right = left ? OfOperand(inst, 1) : std::nullopt;
        if (!right) return std::nullopt;
        if (module_.Opcode(inst) == Op::OpFAdd) return *left + *right;
        // A double represents all whole numbers up to 2^53; the product of two may be larger.
        if (*left != 0 && *right > MaxExactWholeNumber(64) / *left) return std::nullopt;
        return *left * *right;
      }
      case Op::OpConvertUToF:
      case Op::OpConvertSToF:
        return OfInts(inst);
      default:
        return std::nullopt;
    }
  }

  // True for floats, and vectors and matrices of them. The parts of a struct could have different
  // types.
  bool IsOfFloats(Id value) const {
    Id type = module_.TypeOf(value);
    while (ElementType(module_, type) != Id::kNone) type = ElementType(module_, type);
    return IsFloat(module_, type);
  }

  // The bound of the integers that the conversion converts.
  Bound OfInts(Inst conversion) {
    const Id value = module_.IdAt(conversion, 0);
    const Inst inst = module_.Definition(value);
    const uint32_t width = Width(module_, ScalarType(module_, module_.Type(inst)));
    if (!MayVisit(value) || !module_.IsBasicBlock(module_.BlockOf(inst))) return std::nullopt;
    Bound bound;
    switch (module_.Opcode(inst)) {
      case Op::OpBitwiseAnd:
        for (uint32_t i : {0u, 1u}) {
          const Bound mask = LiteralInAllComponents(view_, inst, i);
          if (mask) bound = std::min(*mask, bound.value_or(*mask));
        }
        break;
      case Op::OpUMod: {
        const Bound divisor = LiteralInAllComponents(view_, inst, 1);
        if (divisor && *divisor != 0) bound = *divisor - 1;
        break;
      }
      case Op::OpShiftRightLogical: {
        const Bound shift = LiteralInAllComponents(view_, inst, 1);
        if (shift && *shift < width) bound = LowBits(width - *shift);
        break;
      }
      case Op::OpBitFieldUExtract: {
        const Bound count = LiteralInAllComponents(view_, inst, 2);
        if (count && *count <= width) bound = LowBits(*count);
        break;
      }
      default:
        break;
    }
    // The sign bit must be zero.
    if (!bound || *bound > LowBits(width - 1)) return std::nullopt;
    view_.DependOn(conversion, 0);
    return bound;
  }

  const View& view_;
  const Module& module_;
  int visits_ = 0;
};

}  // namespace

std::optional<uint64_t> MaxWholeNumber(const View& view, Id value) {
  return Search(view).OfFloats(value);
}

uint64_t MaxExactWholeNumber(uint32_t width) {
  switch (width) {
    case 16:
      return uint64_t{1} << 11;
    case 32:
      return uint64_t{1} << 24;
    case 64:
      return uint64_t{1} << 53;
    default:
      return 0;
  }
}

}  // namespace transform
}  // namespace refract
