// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450 instructions on whole vectors and matrices, on packed values, and on parts of
// floats.
#include <spirv/unified1/GLSL.std.450.h>

#include <array>

#include "interp/math/matrix.h"
#include "interp/math/packing.h"
#include "interp/math/rounded_arithmetic.h"
#include "interp/math/rounding.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops_glsl.h"

namespace refract {
inline namespace interp {
namespace {

using math::kInfinity;
using math::Range;

// The operands of one invocation.
struct Vectors {
  std::array<std::array<double, 16>, 3> values = {};
  uint32_t shadow = 0;
  bool carries = false;  // an operand is approximate
  double error = 0;      // the sum of the errors of all operands
  std::span<const double> Of(size_t operand, uint32_t count) const {
    return {values[operand].data(), count};
  }
};

Vectors ReadVectors(Machine& machine, const Op& op, uint32_t lane) {
  const uint32_t* words = machine.code().words.data() + op.list;
  const uint32_t rows = RowsOf(op.scalar);
  const uint32_t operands[] = {op.a, op.b, op.c};
  Vectors read;
  for (uint32_t k = 0; k < 3; ++k) {
    for (uint32_t i = 0; i < words[1 + k]; ++i) {
      const FloatColumn column(machine, operands[k] + i * rows, op.scalar);
      const FloatValue value = column.Get(lane);
      read.values[k][i] = value.value;
      read.shadow |= value.note.shadow;
      read.error += value.note.error;
    }
  }
  read.carries = (read.shadow & kApproximateBit) != 0;
  return read;
}

// The values of Length, Distance and Normalize, for operands that are not exact.
uint32_t LengthValues(uint32_t number, const Vectors& v, uint32_t n,
                      std::array<double, 16>* values) {
  std::array<double, 16> difference = v.values[0];
  for (uint32_t i = 0; number == GLSLstd450Distance && i < n; ++i) difference[i] -= v.values[1][i];
  double sum = 0;
  for (uint32_t i = 0; i < n; ++i) sum += difference[i] * difference[i];
  const double length = std::sqrt(sum);
  if (number != GLSLstd450Normalize) {
    (*values)[0] = length;
    return 1;
  }
  for (uint32_t i = 0; i < n; ++i) (*values)[i] = difference[i] / length;
  return n;
}

// A bound on the error of a component of such a result. A length changes by at most the change of
// the vector. The squares are not negative, so nothing cancels, and all roundings together are
// below 16 ULP; squares that are flushed are below 2^-126.
double LengthError(uint32_t number, uint8_t flags, const Vectors& v,
                   const std::array<double, 16>& values, uint32_t n) {
  const double share = (flags & kRelaxed) != 0 ? 0x1p-6 : 0x1p-19;
  if (number != GLSLstd450Normalize) return v.error + (values[0] + v.error) * share + 0x1p-60;
  double squares = 0;
  for (uint32_t i = 0; i < n; ++i) squares += v.values[0][i] * v.values[0][i];
  const double length = std::sqrt(squares);
  if (!(length > 4 * v.error) || length < 0x1p-50) return kInfinity;
  return 2 * v.error / (length - v.error) + 2 * share;
}

double DotOf(std::span<const double> x, std::span<const double> y) {
  double sum = 0;
  for (size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}

struct Results {
  std::vector<double> values;
  std::vector<Range> ranges;
};

Results Lengths(uint32_t number, const Vectors& v, uint32_t n, int width, bool flush) {
  std::vector<double> difference(v.values[0].begin(), v.values[0].begin() + n);
  if (number == GLSLstd450Distance) {
    for (uint32_t i = 0; i < n; ++i) difference[i] -= v.values[1][i];
    return {{std::sqrt(DotOf(difference, difference))},
            {math::DistanceRange(v.Of(0, n), v.Of(1, n), width, flush)}};
  }
  const double length = std::sqrt(DotOf(difference, difference));
  if (number == GLSLstd450Length) {
    return {{length}, {math::LengthRange(v.Of(0, n), width, flush)}};
  }
  Results unit{difference, math::NormalizeRanges(v.Of(0, n), width, flush)};
  for (double& value : unit.values) value /= length;
  return unit;
}

Results Bent(uint32_t number, const Vectors& v, uint32_t n, int width, bool flush) {
  const std::span<const double> i = v.Of(0, n), normal = v.Of(1, n), third = v.Of(2, n);
  Results results;
  const double d = DotOf(normal, i);
  switch (number) {
    case GLSLstd450Cross:
      for (uint32_t k = 0; k < 3; ++k) {
        const uint32_t a = (k + 1) % 3, b = (k + 2) % 3;
        results.values.push_back(i[a] * normal[b] - normal[a] * i[b]);
      }
      results.ranges = math::CrossRanges(i, normal, width, flush);
      return results;
    case GLSLstd450FaceForward:  // N, I, Nref
      for (uint32_t k = 0; k < n; ++k) {
        results.values.push_back(DotOf(third, normal) < 0 ? i[k] : -i[k]);
      }
      results.ranges = math::FaceForwardRanges(i, normal, third, width, flush);
      return results;
    case GLSLstd450Reflect:
      for (uint32_t k = 0; k < n; ++k) results.values.push_back(i[k] - 2 * d * normal[k]);
      results.ranges = math::ReflectRanges(i, normal, width, flush);
      return results;
    default: {  // Refract: I, N, eta
      const double eta = v.values[2][0], rest = 1 - eta * eta * (1 - d * d);
      for (uint32_t k = 0; k < n; ++k) {
        results.values.push_back(rest < 0 ? 0
                                          : eta * i[k] - (eta * d + std::sqrt(rest)) * normal[k]);
      }
      results.ranges = math::RefractRanges(i, normal, eta, width, flush);
      return results;
    }
  }
}

Results Matrices(uint32_t number, const Vectors& v, uint32_t components, int width, bool flush) {
  const int n = components == 4 ? 2 : components == 9 ? 3 : 4;
  Results results;
  if (number == GLSLstd450Determinant) {
    const math::Bounded found = math::Determinant(v.Of(0, components), n, width, flush);
    return {{found.value}, {found.range}};
  }
  for (const math::Bounded& found : math::Inverse(v.Of(0, components), n, width, flush)) {
    results.values.push_back(found.value);
    results.ranges.push_back(found.range);
  }
  return results;
}

}  // namespace

void GlslVector(Machine& machine, const Op& op) {
  const uint32_t* words = machine.code().words.data() + op.list;
  const uint32_t number = words[0], n = words[1], rows = RowsOf(op.scalar);
  machine.ForActive([&](uint32_t lane) {
    const Vectors read = ReadVectors(machine, op, lane);
    const FloatColumn first(machine, op.result, op.scalar);
    const int width = first.width();
    const bool flush = !first.preserves_denormals();
    const bool is_length =
        number == GLSLstd450Length || number == GLSLstd450Distance || number == GLSLstd450Normalize;
    if (is_length && read.carries && machine.options().perturb == 0) {
      std::array<double, 16> values;
      const uint32_t count = LengthValues(number, read, n, &values);
      for (uint32_t i = 0; i < count; ++i) {
        const FloatColumn to(machine, op.result + i * rows, op.scalar);
        const double value = math::RoundToWidth(values[i], width);
        if ((read.shadow & kUndefinedBit) != 0 || math::IsNan(value)) {
          to.PutUndefined(lane);
        } else {
          to.PutApproximate(lane, value, 0, LengthError(number, op.flags, read, values, n));
        }
      }
      return;
    }
    Results results;
    switch (number) {
      case GLSLstd450Length:
      case GLSLstd450Distance:
      case GLSLstd450Normalize:
        results = Lengths(number, read, n, width, flush);
        break;
      case GLSLstd450Determinant:
      case GLSLstd450MatrixInverse:
        results = Matrices(number, read, n, width, flush);
        break;
      default:
        results = Bent(number, read, n, width, flush);
    }
    for (size_t i = 0; i < results.values.size(); ++i) {
      const FloatColumn to(machine, op.result + static_cast<uint32_t>(i) * rows, op.scalar);
      const double value = math::RoundToWidth(results.values[i], width);
      if ((read.shadow & kUndefinedBit) != 0 || math::IsNan(value)) {
        to.PutUndefined(lane);
        continue;
      }
      double own = math::ErrorOf(results.ranges[i], value);
      if ((op.flags & kRelaxed) != 0) own += math::Absolute(value) * 0x1p-8;
      to.PutApproximate(lane, value, own, read.carries ? kInfinity : 0);
    }
  });
}

// --- packing; words[list]: the instruction number

void GlslPack(Machine& machine, const Op& op) {
  const uint32_t number = machine.code().words[op.list];
  machine.ClearShadow(op.result);
  machine.ForActive([&](uint32_t lane) {
    std::array<double, 4> v = {};
    uint32_t shadow = 0;
    for (uint32_t i = 0; i < op.count; ++i) {
      const FloatValue value = FloatColumn(machine, op.a + i, Scalar::kFloat32).Get(lane);
      v[i] = value.value;
      shadow |= value.note.shadow;
      // The sign of a zero is a bit of the packed half.
      const uint32_t word = machine.ShadowOf(op.a + i, lane);
      if (number == GLSLstd450PackHalf2x16 && (word & kUnknownZeroSignBit) != 0) {
        shadow |= kApproximateBit;
      }
    }
    const std::span<const double, 4> four(v);
    const auto two = four.first<2>();
    const math::Packed packed = number == GLSLstd450PackSnorm4x8    ? math::PackSnorm4x8(four)
                                : number == GLSLstd450PackUnorm4x8  ? math::PackUnorm4x8(four)
                                : number == GLSLstd450PackSnorm2x16 ? math::PackSnorm2x16(two)
                                : number == GLSLstd450PackUnorm2x16 ? math::PackUnorm2x16(two)
                                                                    : math::PackHalf2x16(two);
    if (packed.ambiguous) shadow |= kApproximateBit;
    machine.Row(op.result)[lane] = packed.bits;
    if (shadow != 0) machine.SetShadow(op.result, lane, shadow);
  });
}

void GlslUnpack(Machine& machine, const Op& op) {
  const uint32_t number = machine.code().words[op.list];
  machine.ForActive([&](uint32_t lane) {
    const uint32_t bits = machine.Row(op.a)[lane];
    const uint32_t shadow = machine.ShadowOf(op.a, lane) & kShadowMask;
    std::array<double, 4> v = {};
    const auto fill = [&](const auto& from) { std::copy(from.begin(), from.end(), v.begin()); };
    double divisor = 0;
    switch (number) {
      case GLSLstd450UnpackSnorm4x8:
        fill(math::UnpackSnorm4x8(bits));
        divisor = 127;
        break;
      case GLSLstd450UnpackUnorm4x8:
        fill(math::UnpackUnorm4x8(bits));
        divisor = 255;
        break;
      case GLSLstd450UnpackSnorm2x16:
        fill(math::UnpackSnorm2x16(bits));
        divisor = 32767;
        break;
      case GLSLstd450UnpackUnorm2x16:
        fill(math::UnpackUnorm2x16(bits));
        divisor = 65535;
        break;
      default:
        fill(math::UnpackHalf2x16(bits));
    }
    for (uint32_t i = 0; i < op.count; ++i) {
      const FloatColumn to(machine, op.result + i, Scalar::kFloat32);
      if ((shadow & kUndefinedBit) != 0) {
        to.PutUndefined(lane);
        continue;
      }
      // A quotient may be inexact unless it is 0, 1 or -1.
      double own = 0;
      if (divisor != 0 && v[i] != std::trunc(v[i])) {
        own = math::AllowedError(math::FloatOp::kDiv, 32, v[i], v[i] * divisor, divisor);
      }
      if (divisor == 0 && math::IsDenormal(v[i], 16) && !to.preserves_denormals()) {
        own = math::Absolute(v[i]);
      }
      to.PutApproximate(lane, v[i], own, shadow != 0 ? kInfinity : 0);
    }
  });
}

// --- parts of floats; b: rows of the second result; d: its Scalar

void GlslModf(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn from(machine, op.a + i, op.scalar);
    const FloatColumn fraction(machine, op.result + i, op.scalar),
        whole(machine, op.b + i, op.scalar);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = from.Get(lane);
      if ((x.note.shadow & kUndefinedBit) != 0) {
        fraction.PutUndefined(lane);
        return whole.PutUndefined(lane);
      }
      const math::ModfParts parts = math::Modf(x.value);
      const bool sure = x.note.exact() || (math::Trunc(x.value - x.note.error) == parts.whole &&
                                           math::Trunc(x.value + x.note.error) == parts.whole);
      whole.PutApproximate(lane, parts.whole, 0, sure ? 0 : x.note.error + 1);
      fraction.PutApproximate(lane, parts.fraction, 0, sure ? x.note.error : kInfinity);
    });
  }
}

void GlslFrexp(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  const Scalar integer = static_cast<Scalar>(op.d);
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn from(machine, op.a + i * rows, op.scalar);
    const FloatColumn to(machine, op.result + i * rows, op.scalar);
    const uint32_t exponent = op.b + i * RowsOf(integer);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = from.Get(lane);
      uint32_t shadow = x.note.shadow;
      if (!math::IsFinite(x.value)) shadow = kUndefinedBit;
      const math::FrexpParts parts = math::Frexp(x.value);
      machine.Set(exponent, integer, lane, static_cast<uint32_t>(parts.exponent));
      machine.SetShadow(exponent, lane, shadow);
      if ((shadow & kUndefinedBit) != 0) return to.PutUndefined(lane);
      to.PutApproximate(lane, parts.significand, 0, shadow != 0 ? kInfinity : 0);
    });
  }
}

// b: the exponent, of type Scalar d.
void GlslLdexp(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  const Scalar integer = static_cast<Scalar>(op.d);
  for (uint32_t i = 0; i < op.count; ++i) {
    const FloatColumn from(machine, op.a + i * rows, op.scalar);
    const FloatColumn to(machine, op.result + i * rows, op.scalar);
    const uint32_t row = op.b + i * RowsOf(integer);
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = from.Get(lane);
      const uint32_t shadow = x.note.shadow | (machine.ShadowOf(row, lane) & kShadowMask);
      const int exponent = static_cast<int32_t>(machine.Row(row)[lane]);
      if ((shadow & kUndefinedBit) != 0 ||
          !math::IsDefined(math::FloatOp::kLdexp, from.width(), x.value, exponent)) {
        return to.PutUndefined(lane);
      }
      const double value = math::Ldexp(x.value, exponent, from.width());
      const double own =
          math::AllowedError(math::FloatOp::kLdexp, from.width(), value, x.value, exponent);
      to.PutApproximate(lane, value, own, shadow != 0 ? kInfinity : 0);
    });
  }
}

}  // namespace interp
}  // namespace refract
