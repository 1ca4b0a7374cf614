// SPDX-License-Identifier: Apache-2.0
// Integer dot products (SPIR-V 3.49.13, OpSDot and so on).
#include "interp/ops/columns.h"
#include "interp/ops/ops_collective.h"

namespace refract {
inline namespace interp {
namespace {

// A sum modulo 2^64, and whether it overflowed. (A type of 128 bits would hold every sum.)
struct Sum {
  uint64_t bits = 0;
  bool overflowed = false;
};

uint64_t Extended(uint64_t bits, uint32_t width, bool is_signed) {
  if (width == 64 || !is_signed) return bits;
  const uint64_t sign = uint64_t{1} << (width - 1);
  return (bits ^ sign) - sign;
}

class Dot {
 public:
  Dot(Machine& machine, const Op& op) : machine_(machine), op_(op) {
    const auto opcode = static_cast<spv::Op>(op.list);
    signed_a_ = opcode != spv::Op::OpUDot && opcode != spv::Op::OpUDotAccSat;
    signed_b_ = opcode == spv::Op::OpSDot || opcode == spv::Op::OpSDotAccSat;
    saturates_ = opcode == spv::Op::OpSDotAccSat || opcode == spv::Op::OpUDotAccSat ||
                 opcode == spv::Op::OpSUDotAccSat;
    packed_ = (op.flags & kPackedDot) != 0;
    from_ = packed_ ? Scalar::kInt8 : static_cast<Scalar>(op.d);
  }
  void Run(uint32_t lane);

 private:
  uint64_t Part(uint32_t row, uint32_t i, uint32_t lane, bool is_signed) {
    const uint64_t bits = packed_ ? machine_.Row(row)[lane] >> (8 * i) & 0xff
                                  : machine_.Get(row + i * RowsOf(from_), from_, lane);
    return Extended(bits, WidthOf(from_), is_signed);
  }
  uint32_t Shadow(uint32_t lane) const;
  bool Fits(uint64_t bits) const {
    const uint32_t width = WidthOf(op_.scalar);
    if (width == 64) return true;
    return Extended(bits & ((uint64_t{1} << width) - 1), width, signed_a_) == bits;
  }
  void Add(Sum* sum, uint64_t term) const;
  void Multiply(uint64_t a, uint64_t b, Sum* product) const;
  uint64_t Saturated(uint64_t sum, uint64_t accumulator) const;

  Machine& machine_;
  const Op& op_;
  bool signed_a_ = true, signed_b_ = true, saturates_ = false, packed_ = false;
  Scalar from_ = Scalar::kInt32;
};

uint32_t Dot::Shadow(uint32_t lane) const {
  uint32_t shadow = saturates_ ? machine_.ShadowOf(op_.c, lane) : 0;
  const uint32_t rows = packed_ ? 1 : op_.count * RowsOf(from_);
  for (uint32_t i = 0; i < rows; ++i) {
    shadow |= machine_.ShadowOf(op_.a + i, lane) | machine_.ShadowOf(op_.b + i, lane);
  }
  return shadow & kShadowMask;
}

void Dot::Add(Sum* sum, uint64_t term) const {
  const uint64_t before = sum->bits;
  sum->bits += term;
  const bool lost =
      signed_a_ ? (~(before ^ term) & (before ^ sum->bits)) >> 63 != 0 : sum->bits < before;
  sum->overflowed = sum->overflowed || lost || !Fits(sum->bits);
}

void Dot::Multiply(uint64_t a, uint64_t b, Sum* product) const {
  product->bits = a * b;
  uint64_t ignored = 0;
  bool lost = false;
  if (!signed_a_) {
    lost = __builtin_mul_overflow(a, b, &ignored);
  } else {
    int64_t wide = 0;
    lost = signed_b_
               ? __builtin_mul_overflow(static_cast<int64_t>(a), static_cast<int64_t>(b), &wide)
               : __builtin_mul_overflow(static_cast<int64_t>(a), b, &wide);
  }
  product->overflowed = lost || !Fits(product->bits);
}

uint64_t Dot::Saturated(uint64_t sum, uint64_t accumulator) const {
  const uint32_t width = WidthOf(op_.scalar);
  const uint64_t all = width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
  Sum total{sum};
  Add(&total, Extended(accumulator, width, signed_a_));
  if (!total.overflowed) return total.bits;
  if (!signed_a_) return all;
  // If the sum overflows, both operands have the same sign.
  return sum >> 63 != 0 ? all ^ all >> 1 : all >> 1;
}

void Dot::Run(uint32_t lane) {
  Sum sum;
  for (uint32_t i = 0; i < op_.count; ++i) {
    Sum product;
    Multiply(Part(op_.a, i, lane, signed_a_), Part(op_.b, i, lane, signed_b_), &product);
    Add(&sum, product.bits);
    sum.overflowed = sum.overflowed || product.overflowed;
  }
  uint32_t shadow = Shadow(lane);
  uint64_t bits = sum.bits;
  if (saturates_) {
    // Only the last addition may overflow; otherwise the result is undefined.
    if (sum.overflowed) shadow |= kUndefinedBit;
    bits = Saturated(sum.bits, machine_.Get(op_.c, op_.scalar, lane));
  }
  const uint32_t width = WidthOf(op_.scalar);
  if (width < 64) bits &= (uint64_t{1} << width) - 1;
  machine_.Set(op_.result, op_.scalar, lane, bits);
  machine_.SetShadow(op_.result, lane, shadow);
}

}  // namespace

void IntegerDot(Machine& machine, const Op& op) {
  Dot dot(machine, op);
  machine.ForActive([&](uint32_t lane) { dot.Run(lane); });
}

}  // namespace interp
}  // namespace refract
