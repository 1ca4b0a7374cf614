// SPDX-License-Identifier: Apache-2.0
// Reductions and scans of subgroups (SPIR-V 3.49.24). The order of additions and multiplications is
// unspecified, so a float is exact only if no order rounds (float_shadow.h).
#include <algorithm>

#include "interp/math/rounded_arithmetic.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops_collective.h"
#include "interp/ops/subgroups.h"

namespace refract {
inline namespace interp {
namespace {

using Arithmetic = FloatColumn::Arithmetic;
using math::kInfinity;

// The active invocations (as indices in Subgroup::lanes) that one result combines: [first, last).
struct Span {
  uint32_t first = 0, last = 0;
};
Span SpanOf(const Op& op, const Subgroup& subgroup, uint32_t position) {
  switch (static_cast<spv::GroupOperation>(op.b)) {
    case spv::GroupOperation::InclusiveScan:
      return {0, position + 1};
    case spv::GroupOperation::ExclusiveScan:
      return {0, position};
    case spv::GroupOperation::ClusteredReduce: {
      const auto cluster = [&](uint32_t i) { return (subgroup.lanes[i] - subgroup.first) / op.c; };
      Span span{position, position + 1};
      while (span.first > 0 && cluster(span.first - 1) == cluster(position)) --span.first;
      while (span.last < subgroup.count && cluster(span.last) == cluster(position)) ++span.last;
      return span;
    }
    default:
      return {0, subgroup.count};
  }
}

// --- integers and booleans

uint64_t MaskOf(Scalar scalar) {
  const uint32_t width = WidthOf(scalar);
  return width == 64 ? UINT64_MAX : (uint64_t{1} << width) - 1;
}

int64_t SignExtended(uint64_t bits, Scalar scalar) {
  const uint64_t sign = uint64_t{1} << (WidthOf(scalar) - 1);
  return static_cast<int64_t>((bits ^ sign) - sign);
}

uint64_t IdentityOf(spv::Op opcode, Scalar scalar) {
  const uint64_t all = MaskOf(scalar);
  switch (opcode) {
    case spv::Op::OpGroupNonUniformIMul:
      return 1;
    case spv::Op::OpGroupNonUniformSMin:
      return all >> 1;
    case spv::Op::OpGroupNonUniformSMax:
      return all ^ all >> 1;
    case spv::Op::OpGroupNonUniformUMin:
    case spv::Op::OpGroupNonUniformBitwiseAnd:
    case spv::Op::OpGroupNonUniformLogicalAnd:
      return all;
    default:
      return 0;
  }
}

uint64_t Combine(spv::Op opcode, Scalar scalar, uint64_t a, uint64_t b) {
  const bool less = SignExtended(a, scalar) < SignExtended(b, scalar);
  switch (opcode) {
    case spv::Op::OpGroupNonUniformIAdd:
      return (a + b) & MaskOf(scalar);
    case spv::Op::OpGroupNonUniformIMul:
      return a * b & MaskOf(scalar);
    case spv::Op::OpGroupNonUniformSMin:
      return less ? a : b;
    case spv::Op::OpGroupNonUniformSMax:
      return less ? b : a;
    case spv::Op::OpGroupNonUniformUMin:
      return std::min(a, b);
    case spv::Op::OpGroupNonUniformUMax:
      return std::max(a, b);
    case spv::Op::OpGroupNonUniformBitwiseAnd:
    case spv::Op::OpGroupNonUniformLogicalAnd:
      return a & b;
    case spv::Op::OpGroupNonUniformBitwiseOr:
    case spv::Op::OpGroupNonUniformLogicalOr:
      return a | b;
    default:
      return a ^ b;
  }
}

void CombineIntegers(Machine& machine, const Op& op, uint32_t offset, const Subgroup& subgroup,
                     uint32_t position) {
  const auto opcode = static_cast<spv::Op>(op.list);
  const Span span = SpanOf(op, subgroup, position);
  uint64_t bits = IdentityOf(opcode, op.scalar);
  uint32_t shadow = span.first == span.last ? 0 : OpenSubgroups(machine, op);
  for (uint32_t i = span.first; i < span.last; ++i) {
    const uint32_t lane = subgroup.lanes[i];
    bits = Combine(opcode, op.scalar, bits, machine.Get(op.a + offset, op.scalar, lane));
    shadow |= machine.ShadowOf(op.a + offset, lane) & kShadowMask;
  }
  machine.Set(op.result + offset, op.scalar, subgroup.lanes[position], bits);
  machine.SetShadow(op.result + offset, subgroup.lanes[position],
                    shadow | OpenSubgroups(machine, op));
}

// --- floats

void AddTo(Arithmetic* sum, const FloatValue& value, int width) {
  bool rounded = false;
  sum->value = math::Add(sum->value, value.value, width, &rounded);
  sum->rounded = sum->rounded || rounded;
  sum->magnitude += value.note.magnitude;
  sum->grain = std::min(sum->grain, value.note.grain);
  sum->carried += value.note.error;
  sum->shadow |= value.note.shadow;
}

void MultiplyTo(Arithmetic* product, const FloatValue& value, int width) {
  bool rounded = false;
  product->value = math::Mul(product->value, value.value, width, &rounded);
  product->rounded = product->rounded || rounded;
  const double carried = product->magnitude * value.note.error +
                         (value.note.magnitude + value.note.error) * product->carried;
  product->carried = carried >= 0 ? carried : kInfinity;
  product->magnitude *= value.note.magnitude;
  product->grain += value.note.grain;
  product->shadow |= value.note.shadow;
}

void CombineFloats(Machine& machine, const Op& op, uint32_t offset, const Subgroup& subgroup,
                   uint32_t position) {
  const FloatColumn from(machine, op.a + offset, op.scalar);
  const FloatColumn to(machine, op.result + offset, op.scalar);
  const bool adds = static_cast<spv::Op>(op.list) == spv::Op::OpGroupNonUniformFAdd;
  const Span span = SpanOf(op, subgroup, position);
  Arithmetic result;
  result.value = result.magnitude = adds ? 0 : 1;
  result.grain = adds ? GrainOf(0) : 0;
  result.shadow = OpenSubgroups(machine, op);
  for (uint32_t i = span.first; i < span.last; ++i) {
    const FloatValue value = from.Get(subgroup.lanes[i]);
    if (adds) {
      AddTo(&result, value, from.width());
    } else {
      MultiplyTo(&result, value, from.width());
    }
  }
  if (result.shadow != 0 && OpenSubgroups(machine, op) != 0) result.carried = kInfinity;
  // NoContraction does not fix the order.
  to.PutArithmetic(subgroup.lanes[position], result, op.flags & kRelaxed);
}

// The minimum or maximum. With a NaN either operand may be the result (SPIR-V,
// OpGroupNonUniformFMin), and with two zeros either sign.
void ChooseFloats(Machine& machine, const Op& op, uint32_t offset, const Subgroup& subgroup,
                  uint32_t position) {
  const FloatColumn from(machine, op.a + offset, op.scalar);
  const FloatColumn to(machine, op.result + offset, op.scalar);
  const bool least = static_cast<spv::Op>(op.list) == spv::Op::OpGroupNonUniformFMin;
  const Span span = SpanOf(op, subgroup, position);
  const uint32_t lane = subgroup.lanes[position];
  double chosen = least ? kInfinity : -kInfinity, error = 0;
  uint32_t shadow = OpenSubgroups(machine, op);
  for (uint32_t i = span.first; i < span.last; ++i) {
    const FloatValue value = from.Get(subgroup.lanes[i]);
    shadow |= value.note.shadow;
    error = std::max(error, value.note.error);
    if (math::IsNan(value.value)) {
      shadow |= kApproximateBit;
      error = kInfinity;
    } else if (least ? value.value < chosen : value.value > chosen) {
      chosen = value.value;
    }
  }
  if ((shadow & kUndefinedBit) != 0) return to.PutUndefined(lane);
  if (OpenSubgroups(machine, op) != 0) error = kInfinity;
  to.PutApproximate(lane, chosen, 0, shadow == 0 ? 0 : error);
}

}  // namespace

void SubgroupArithmetic(Machine& machine, const Op& op) {
  const auto opcode = static_cast<spv::Op>(op.list);
  const bool chooses =
      opcode == spv::Op::OpGroupNonUniformFMin || opcode == spv::Op::OpGroupNonUniformFMax;
  const auto combine = !IsFloat(op.scalar) ? CombineIntegers
                       : chooses           ? ChooseFloats
                                           : CombineFloats;
  ForSubgroups(machine, [&](const Subgroup& subgroup) {
    // SPIR-V: the cluster must not be larger than the group; otherwise the behaviour is undefined.
    if (op.c > subgroup.size) {
      return machine.FailUndefined(op, subgroup.lanes[0],
                                   "the cluster is larger than the subgroup");
    }
    for (uint32_t i = 0; i < op.count; ++i) {
      for (uint32_t position = 0; position < subgroup.count; ++position) {
        combine(machine, op, i * RowsOf(op.scalar), subgroup, position);
      }
    }
  });
}

}  // namespace interp
}  // namespace refract
