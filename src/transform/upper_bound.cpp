// SPDX-License-Identifier: Apache-2.0
#include "transform/upper_bound.h"

#include <algorithm>
#include <bit>
#include <optional>

#include "ir/decorations.h"
#include "ir/types.h"
#include "transform/bits.h"
#include "transform/recipe.h"

namespace refract {
namespace {

// All numbers with as many bits as this one.
uint64_t AsLong(uint64_t bound) {
  return LowBits(static_cast<uint64_t>(std::bit_width(bound)));
}

class Search {
 public:
  explicit Search(const View& view) : view_(view), module_(view.module()) {}

  uint64_t Bound(Id value) {
    const Id scalar = ScalarType(module_, module_.TypeOf(value));
    if (scalar == Id::kNone || !IsInt(module_, scalar)) return ~uint64_t{0};
    const uint64_t most = LowBits(Width(module_, scalar));
    if (view_.facts().Irrelevant(value) != nullptr || visits_ == kMostVisits) return most;
    // In 16 bits it may be cut off, or be negative.
    if (FindDecoration(module_, value, spv::Decoration::RelaxedPrecision) != Inst::kNone) {
      return most;
    }
    ++visits_;
    if (const auto literal = SplatLiteral(view_, value)) return *literal;
    return std::min(most, BoundOf(module_.Definition(value), most));
  }

 private:
  static constexpr int kMostVisits = 24;

  uint64_t Operand(Inst inst, uint32_t operand) {
    view_.CountOn(inst, operand);
    return Bound(module_.IdAt(inst, operand));
  }

  std::optional<uint64_t> Literal(Inst inst, uint32_t operand) const {
    view_.CountOn(inst, operand);
    return SplatLiteral(view_, module_.IdAt(inst, operand));
  }

  uint64_t Largest(Inst inst, uint32_t begin, uint32_t step, uint64_t most) {
    uint64_t bound = 0;
    for (uint32_t i = begin; i < module_.OperandCount(inst) && bound < most; i += step) {
      bound = std::max(bound, Operand(inst, i));
    }
    return bound;
  }

  // `most`: the largest value of the type.
  uint64_t BoundOf(Inst inst, uint64_t most) {
    switch (module_.Opcode(inst)) {
      case spv::Op::OpCopyObject:
      case spv::Op::OpCompositeConstruct:
        return Largest(inst, 0, 1, most);
      case spv::Op::OpSelect:
        return Largest(inst, 1, 1, most);
      case spv::Op::OpPhi:
        return Largest(inst, 0, 2, most);
      case spv::Op::OpBitwiseAnd:
        return std::min(Operand(inst, 0), Operand(inst, 1));
      case spv::Op::OpBitwiseOr:
      case spv::Op::OpBitwiseXor:
        return AsLong(Operand(inst, 0)) | AsLong(Operand(inst, 1));
      case spv::Op::OpIAdd: {
        const uint64_t a = Operand(inst, 0), b = Operand(inst, 1);
        return a <= most && b <= most - a ? a + b : most;
      }
      case spv::Op::OpUMod: {
        const auto divisor = Literal(inst, 1);
        return divisor && *divisor != 0 ? std::min(*divisor - 1, Operand(inst, 0)) : most;
      }
      case spv::Op::OpUDiv: {
        const auto divisor = Literal(inst, 1);
        return divisor && *divisor != 0 ? Operand(inst, 0) / *divisor : most;
      }
      case spv::Op::OpShiftRightLogical: {
        const auto shift = Literal(inst, 1);
        return shift && *shift < 64 ? Operand(inst, 0) >> *shift : most;
      }
      case spv::Op::OpUConvert:
        return std::min(most, Operand(inst, 0));
      case spv::Op::OpBitFieldUExtract: {
        const auto count = Literal(inst, 2);
        return count && *count < 64 ? LowBits(*count) : most;
      }
      default:
        return most;
    }
  }

  const View& view_;
  const Module& module_;
  int visits_ = 0;
};

}  // namespace

uint64_t UpperBound(const View& view, Id value) {
  return Search(view).Bound(value);
}

}  // namespace refract
