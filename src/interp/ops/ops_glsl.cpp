// SPDX-License-Identifier: Apache-2.0
// The GLSL.std.450 instructions on floats and integers that work on each component separately.
#include <spirv/unified1/GLSL.std.450.h>

#include <limits>

#include "interp/math/elementary.h"
#include "interp/math/packing.h"
#include "interp/math/rounded_arithmetic.h"
#include "interp/math/rounding.h"
#include "interp/ops/float_columns.h"
#include "interp/ops/ops.h"

namespace refract {
inline namespace interp {
namespace {

using math::FloatOp;
using math::kInfinity;

// How the errors of the operands affect the result.
enum class Carry : uint8_t {
  kUnknown,
  kAtMost,  ///< the error of the result is at most the sum of the errors of the operands
  kStep,    ///< exact if both ends of the operand's range give the same result
  kRange,   ///< monotone in each operand: the ends of the operands' ranges bound the result
  kFract,   ///< as kAtMost, unless the range of the operand has a whole number
  kSmooth,  ///< SmoothStep: the slope is at most 1.5 / (high - low)
};

struct FloatRow {
  uint32_t number = 0;
  FloatOp op = FloatOp::kAdd;
  uint32_t operands = 1;
  double (*value)(double x, double y, double z) = nullptr;
  Carry carry = Carry::kUnknown;
};

template <double (*kFunction)(double)>
double One(double x, double, double) {
  return kFunction(x);
}
template <double (*kFunction)(double, double)>
double Two(double x, double y, double) {
  return kFunction(x, y);
}
double Least(double x, double y, double) {
  return y < x ? y : x;
}
double Most(double x, double y, double) {
  return x < y ? y : x;
}
double NumberLeast(double x, double y, double z) {
  return math::IsNan(x) ? y : math::IsNan(y) ? x : Least(x, y, z);
}
double NumberMost(double x, double y, double z) {
  return math::IsNan(x) ? y : math::IsNan(y) ? x : Most(x, y, z);
}
double Smooth(double low, double high, double x) {
  const double t = std::clamp((x - low) / (high - low), 0.0, 1.0);
  return t * t * (3 - 2 * t);
}

// 0x1.921fb54442d18p+1 is pi.
constexpr double kDegree = 0x1.921fb54442d18p+1 / 180;

constexpr FloatRow kFloatRows[] = {
    {GLSLstd450Round, FloatOp::kRound, 1,
     [](double x, double, double) { return math::Round(x).up; }, Carry::kStep},
    {GLSLstd450RoundEven, FloatOp::kRoundEven, 1, One<math::RoundEven>, Carry::kStep},
    {GLSLstd450Trunc, FloatOp::kTrunc, 1, One<math::Trunc>, Carry::kStep},
    {GLSLstd450FAbs, FloatOp::kAbs, 1, One<math::Absolute>, Carry::kAtMost},
    {GLSLstd450FSign, FloatOp::kSign, 1, One<math::Sign>, Carry::kStep},
    {GLSLstd450Floor, FloatOp::kFloor, 1, One<math::Floor>, Carry::kStep},
    {GLSLstd450Ceil, FloatOp::kCeil, 1, One<math::Ceil>, Carry::kStep},
    {GLSLstd450Fract, FloatOp::kFract, 1, One<math::Fract>, Carry::kFract},
    {GLSLstd450Radians, FloatOp::kRadians, 1, [](double x, double, double) { return x * kDegree; },
     Carry::kAtMost},
    {GLSLstd450Degrees, FloatOp::kDegrees, 1, [](double x, double, double) { return x / kDegree; },
     Carry::kUnknown},
    {GLSLstd450Sin, FloatOp::kSin, 1, One<math::Sin>, Carry::kAtMost},
    {GLSLstd450Cos, FloatOp::kCos, 1, One<math::Cos>, Carry::kAtMost},
    {GLSLstd450Tan, FloatOp::kTan, 1, One<math::Tan>, Carry::kUnknown},
    {GLSLstd450Asin, FloatOp::kAsin, 1, One<math::Asin>, Carry::kUnknown},
    {GLSLstd450Acos, FloatOp::kAcos, 1, One<math::Acos>, Carry::kUnknown},
    {GLSLstd450Atan, FloatOp::kAtan, 1, One<math::Atan>, Carry::kAtMost},
    {GLSLstd450Sinh, FloatOp::kSinh, 1, One<math::Sinh>, Carry::kUnknown},
    {GLSLstd450Cosh, FloatOp::kCosh, 1, One<math::Cosh>, Carry::kUnknown},
    {GLSLstd450Tanh, FloatOp::kTanh, 1, One<math::Tanh>, Carry::kAtMost},
    {GLSLstd450Asinh, FloatOp::kAsinh, 1, One<math::Asinh>, Carry::kAtMost},
    {GLSLstd450Acosh, FloatOp::kAcosh, 1, One<math::Acosh>, Carry::kUnknown},
    {GLSLstd450Atanh, FloatOp::kAtanh, 1, One<math::Atanh>, Carry::kUnknown},
    {GLSLstd450Atan2, FloatOp::kAtan2, 2, Two<math::Atan2>, Carry::kUnknown},
    {GLSLstd450Pow, FloatOp::kPow, 2, Two<math::Pow>, Carry::kRange},
    {GLSLstd450Exp, FloatOp::kExp, 1, One<math::Exp>, Carry::kRange},
    {GLSLstd450Log, FloatOp::kLog, 1, One<math::Log>, Carry::kRange},
    {GLSLstd450Exp2, FloatOp::kExp2, 1, One<math::Exp2>, Carry::kRange},
    {GLSLstd450Log2, FloatOp::kLog2, 1, One<math::Log2>, Carry::kRange},
    {GLSLstd450Sqrt, FloatOp::kSqrt, 1, [](double x, double, double) { return std::sqrt(x); },
     Carry::kRange},
    {GLSLstd450InverseSqrt, FloatOp::kInverseSqrt, 1, One<math::InverseSqrt>, Carry::kRange},
    {GLSLstd450FMin, FloatOp::kMin, 2, Least, Carry::kAtMost},
    {GLSLstd450FMax, FloatOp::kMax, 2, Most, Carry::kAtMost},
    {GLSLstd450NMin, FloatOp::kNMin, 2, NumberLeast, Carry::kAtMost},
    {GLSLstd450NMax, FloatOp::kNMax, 2, NumberMost, Carry::kAtMost},
    {GLSLstd450FClamp, FloatOp::kClamp, 3,
     [](double x, double low, double high) { return Least(Most(x, low, 0), high, 0); },
     Carry::kAtMost},
    {GLSLstd450NClamp, FloatOp::kNClamp, 3,
     [](double x, double low, double high) { return NumberLeast(NumberMost(x, low, 0), high, 0); },
     Carry::kAtMost},
    {GLSLstd450Step, FloatOp::kStep, 2,
     [](double edge, double x, double) { return x < edge ? 0.0 : 1.0; }, Carry::kUnknown},
    {GLSLstd450SmoothStep, FloatOp::kSmoothStep, 3, Smooth, Carry::kSmooth},
};

const FloatRow* FloatRowOf(uint32_t number) {
  for (const FloatRow& row : kFloatRows) {
    if (row.number == number) return &row;
  }
  return nullptr;
}

// The error of a monotone function: how far the results at the ends of the ranges are from
// `result`, and twice the allowed error there. Inside the ranges, the allowed error of logarithms
// is up to 2^-21 larger than at the ends.
double RangeError(const FloatRow& row, const FloatValue* operands, double result, int width,
                  bool may_flush) {
  double farthest = 0, own = 0;
  for (int corner = 0; corner < 4; ++corner) {
    const bool high = (corner & 1) != 0, high_y = (corner & 2) != 0;
    if (high_y && row.operands < 2) continue;
    const FloatValue& a = operands[0];
    const FloatValue& b = operands[1];
    const double x = high ? a.value + a.note.error : a.value - a.note.error;
    const double y = row.operands < 2 ? 0
                     : high_y         ? b.value + b.note.error
                                      : b.value - b.note.error;
    if (!math::IsDefined(row.op, width, x, y)) return kInfinity;
    const double end = row.value(x, y, 0);
    farthest = std::max(farthest, math::Absolute(end - result));
    own = std::max(
        own, math::AllowedError(row.op, width, math::RoundToWidth(end, width), x, y, 0, may_flush));
  }
  const double carried = farthest + 2 * own + (1 + math::Absolute(result)) * 0x1p-20;
  return carried >= 0 ? carried : kInfinity;
}

double CarriedError(const FloatRow& row, const FloatValue* operands, double result, int width,
                    bool may_flush) {
  double error = 0;
  for (uint32_t i = 0; i < row.operands; ++i) error += operands[i].note.error;
  if (error == 0) return 0;
  const double x = operands[0].value;
  switch (row.carry) {
    case Carry::kAtMost:
      return error;
    case Carry::kStep: {
      if (!(error < 0x1p60)) return kInfinity;
      const double low = row.value(x - error, 0, 0), high = row.value(x + error, 0, 0);
      return std::max(math::Absolute(low - result), math::Absolute(high - result));
    }
    case Carry::kRange:
      return error < 0x1p60 ? RangeError(row, operands, result, width, may_flush) : kInfinity;
    case Carry::kFract:  // the result is in [0, 1], whatever the operand is
      return error < 1 && math::Floor(x - error) == math::Floor(x + error) ? error : 1;
    case Carry::kSmooth: {
      const double width_of_edges = operands[1].value - x;
      if (operands[0].note.error != 0 || operands[1].note.error != 0) return kInfinity;
      return std::min(1.0, 1.5 * error / width_of_edges + 0x1p-20);
    }
    default:
      return kInfinity;
  }
}

// list: the instruction number; a, b, c: the operands.
void GlslFloat(Machine& machine, const Op& op) {
  const FloatRow& row = *FloatRowOf(op.list);
  const uint32_t rows = RowsOf(op.scalar);
  const uint64_t perturb = machine.options().perturb;
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn columns[] = {{machine, op.a + i, op.scalar},
                                   {machine, op.b + i, op.scalar},
                                   {machine, op.c + i, op.scalar}};
    const FloatColumn to(machine, op.result + i, op.scalar);
    const int width = to.width();
    machine.ForActive([&](uint32_t lane) {
      FloatValue operands[3];
      uint32_t shadow = 0;
      for (uint32_t k = 0; k < row.operands; ++k) {
        operands[k] = columns[k].Get(lane);
        shadow |= operands[k].note.shadow;
      }
      const double x = operands[0].value, y = operands[1].value, z = operands[2].value;
      if ((shadow & kUndefinedBit) != 0 || !math::IsDefined(row.op, width, x, y, z)) {
        return to.PutUndefined(lane);
      }
      const double result = math::RoundToWidth(row.value(x, y, z), width);
      const double carried = CarriedError(row, operands, result, width, !to.preserves_denormals());
      // An error without bound cannot become larger.
      if (carried == kInfinity && perturb == 0) return to.PutApproximate(lane, result, 0, carried);
      double own = math::AllowedError(row.op, width, result, x, y, z, !to.preserves_denormals());
      if ((op.flags & kRelaxed) != 0 && !math::IsRepresentable(result, 16)) {
        own += math::Absolute(result) * 0x1p-8;
      }
      to.PutApproximate(lane, result, own, carried);
    });
  }
}

// Sums of products, which may be rearranged together with operations around them.
template <bool kMix>
void MixOrFma(Machine& machine, const Op& op) {
  const uint32_t rows = RowsOf(op.scalar);
  for (uint32_t i = 0; i < op.count * rows; i += rows) {
    const FloatColumn a(machine, op.a + i, op.scalar), b(machine, op.b + i, op.scalar);
    const FloatColumn c(machine, op.c + i, op.scalar), to(machine, op.result + i, op.scalar);
    const int width = to.width();
    machine.ForActive([&](uint32_t lane) {
      const FloatValue x = a.Get(lane), y = b.Get(lane), z = c.Get(lane);
      FloatColumn::Arithmetic sum;
      sum.shadow = x.note.shadow | y.note.shadow | z.note.shadow;
      if constexpr (kMix) {  // x * (1 - z) + y * z
        const double rest = math::Sub(1, z.value, width);
        sum.value =
            math::Add(math::Mul(x.value, rest, width), math::Mul(y.value, z.value, width), width);
        sum.magnitude =
            x.note.magnitude * (1 + z.note.magnitude) + y.note.magnitude * z.note.magnitude;
        sum.grain = std::min(x.note.grain + std::min(0, z.note.grain), y.note.grain + z.note.grain);
      } else {
        sum.value = math::Fma(x.value, y.value, z.value, width, &sum.rounded);
        sum.magnitude = x.note.magnitude * y.note.magnitude + z.note.magnitude;
        sum.grain = std::min(x.note.grain + y.note.grain, z.note.grain);
      }
      if (sum.shadow != 0) {
        const double ex = x.note.error, ey = y.note.error, ez = z.note.error;
        const double mx = x.note.magnitude, my = y.note.magnitude, mz = z.note.magnitude;
        sum.carried = kMix ? ex * (1 + mz + ez) + (ey + my) * ez + ey * mz + mx * ez
                           : ex * (my + ey) + mx * ey + ez;
        if (!(sum.carried >= 0)) sum.carried = kInfinity;
      }
      // In x * (1 - z) + y * z, intermediate results may round, so NoContraction does not apply.
      to.PutArithmetic(lane, sum,
                       kMix ? static_cast<uint8_t>(op.flags & ~kNoContraction) : op.flags);
    });
  }
}

// --- integers

struct AbsoluteInteger {
  template <class T>
  T operator()(T a) const {
    return a < 0 ? static_cast<T>(-static_cast<std::make_unsigned_t<T>>(a)) : a;
  }
};
struct SignOf {
  template <class T>
  T operator()(T a) const {
    return static_cast<T>((a > 0) - (a < 0));
  }
};
struct Smaller {
  template <class T>
  T operator()(T a, T b) const {
    return b < a ? b : a;
  }
};
struct Larger {
  template <class T>
  T operator()(T a, T b) const {
    return a < b ? b : a;
  }
};
struct LowestBit {
  int32_t operator()(uint32_t a) const { return math::FindILsb(a); }
};
struct HighestBit {
  int32_t operator()(uint32_t a) const { return math::FindUMsb(a); }
};
struct HighestSignedBit {
  int32_t operator()(int32_t a) const { return math::FindSMsb(a); }
};

template <class T>
void Clamp(Machine& machine, const Op& op) {
  for (uint32_t i = 0; i < op.count * kRowsOf<T>; i += kRowsOf<T>) {
    const Column<T> x(machine, op.a + i), low(machine, op.b + i), high(machine, op.c + i);
    const Column<T> to(machine, op.result + i);
    machine.ForActive([&](uint32_t lane) {
      uint32_t shadow = (machine.ShadowOf(op.a + i, lane) | machine.ShadowOf(op.b + i, lane) |
                         machine.ShadowOf(op.c + i, lane)) &
                        kShadowMask;
      if (low.Get(lane) > high.Get(lane)) shadow = kUndefinedBit;
      to.Set(lane, std::min(std::max(x.Get(lane), low.Get(lane)), high.Get(lane)));
      machine.SetShadow(op.result + i, lane, shadow);
    });
  }
}

template <class F>
Handler Pick1(Scalar scalar, bool is_signed) {
  return PickInteger(scalar, is_signed, [](auto zero) -> Handler {
    if constexpr (std::is_signed_v<decltype(zero)>) {
      return &Map1<decltype(zero), decltype(zero), F>;
    } else {
      return nullptr;
    }
  });
}
template <class F>
Handler PickMinMax(Scalar scalar, bool is_signed) {
  return PickInteger(scalar, is_signed, [](auto zero) -> Handler {
    return &Map2Absorbing<decltype(zero), decltype(zero), F>;
  });
}

}  // namespace

Handler GlslHandler(uint32_t number, const OpKey& key) {
  if (FloatRowOf(number) != nullptr) return &GlslFloat;
  switch (number) {
    case GLSLstd450Fma:
      return &MixOrFma<false>;
    case GLSLstd450FMix:
      return &MixOrFma<true>;
    case GLSLstd450SAbs:
      return Pick1<AbsoluteInteger>(key.operand, true);
    case GLSLstd450SSign:
      return Pick1<SignOf>(key.operand, true);
    case GLSLstd450UMin:
      return PickMinMax<Smaller>(key.operand, false);
    case GLSLstd450SMin:
      return PickMinMax<Smaller>(key.operand, true);
    case GLSLstd450UMax:
      return PickMinMax<Larger>(key.operand, false);
    case GLSLstd450SMax:
      return PickMinMax<Larger>(key.operand, true);
    case GLSLstd450UClamp:
    case GLSLstd450SClamp:
      return PickInteger(key.operand, number == GLSLstd450SClamp,
                         [](auto zero) -> Handler { return &Clamp<decltype(zero)>; });
    case GLSLstd450FindILsb:
      return key.operand == Scalar::kInt32 ? &Map1<uint32_t, int32_t, LowestBit> : nullptr;
    case GLSLstd450FindUMsb:
      return key.operand == Scalar::kInt32 ? &Map1<uint32_t, int32_t, HighestBit> : nullptr;
    case GLSLstd450FindSMsb:
      return key.operand == Scalar::kInt32 ? &Map1<int32_t, int32_t, HighestSignedBit> : nullptr;
    default:
      return nullptr;
  }
}

}  // namespace interp
}  // namespace refract
