// SPDX-License-Identifier: Apache-2.0
#include "interp/math/precision.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <iterator>

#include "base/check.h"
#include "interp/math/rounded_arithmetic.h"
#include "interp/math/rounding.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

// The inputs of a formula: the operands, also as ranges, and the arithmetic of the width.
struct Formula {
  const RangeArithmetic& r;
  double x, y, z;  // as given
  Range a, b, c;   // as they may be read: x, y, z or, if denormal, zero
  Range One() const { return Range::Exactly(1); }
  Range Half() const { return Range::Exactly(0.5); }
};

using Permitted = Range (*)(const Formula&);
using Defined = bool (*)(double x, double y, double z);

bool Always(double, double, double) {
  return true;
}
bool NoNan(double x, double y, double z) {
  return !IsNan(x) && !IsNan(y) && !IsNan(z);
}
bool Ordered(double x, double y, double z) {
  return NoNan(x, y, z) && y <= z;
}
bool NotAboveMaximum(double, double y, double z) {
  return !(y > z);
}
bool Finite(double x, double, double) {
  return IsFinite(x);
}
bool Positive(double x, double, double) {
  return x > 0;
}
bool NotNegative(double x, double, double) {
  return x >= 0;
}
bool InUnit(double x, double, double) {
  return Absolute(x) <= 1;
}
bool InOpenUnit(double x, double, double) {
  return Absolute(x) < 1;
}
bool FromOne(double x, double, double) {
  return x >= 1;
}
bool NotBothZero(double x, double y, double) {
  return x != 0 || y != 0;
}
bool DivisorNotZero(double, double y, double) {
  return y != 0;
}
bool PowDefined(double x, double y, double) {
  return x > 0 || (x == 0 && y > 0);
}
bool EdgesAscend(double x, double y, double) {
  return x < y;
}

// Exact functions that increase with each operand: the ends of the operands give the ends of the
// result.
template <double (*function)(double)>
Range Rising(const Formula& f) {
  return {function(f.a.low), function(f.a.high)};
}
Range RoundEitherWay(const Formula& f) {
  return {Round(f.a.low).down, Round(f.a.high).up};
}
Range AbsRange(const Formula& f) {
  const Range ends = Hull(Range::Exactly(Absolute(f.a.low)), Range::Exactly(Absolute(f.a.high)));
  return f.a.Contains(0) ? Hull(ends, {0, 0}) : ends;
}
Range MinRange(const Formula& f) {
  return {std::min(f.a.low, f.b.low), std::min(f.a.high, f.b.high)};
}
Range MaxRange(const Formula& f) {
  return {std::max(f.a.low, f.b.low), std::max(f.a.high, f.b.high)};
}
Range ClampRange(const Formula& f) {
  return {std::min(std::max(f.a.low, f.b.low), f.c.low),
          std::min(std::max(f.a.high, f.b.high), f.c.high)};
}
Range StepRange(const Formula& f) {
  return {f.b.low < f.a.high ? 0.0 : 1.0, f.b.high < f.a.low ? 0.0 : 1.0};
}
// A denormal operand that is read as zero has the fraction zero, so zero is in the result.
Range WithZeroIfFlushed(const Formula& f, const Range& range) {
  return f.a.low == f.a.high ? range : Hull(range, {0, 0});
}
Range FractRange(const Formula& f) {
  const Range read = Range::Exactly(f.x);
  return WithZeroIfFlushed(f, f.r.Sub(read, Range::Exactly(Floor(f.x))));
}
Range ModfRange(const Formula& f) {
  const double fraction = Modf(f.x).fraction;
  return WithZeroIfFlushed(f, f.r.Operand(fraction));
}
Range FrexpRange(const Formula& f) {
  return WithZeroIfFlushed(f, Range::Exactly(Frexp(f.x).significand));
}
Range LdexpRange(const Formula& f) {
  const double exponent = std::clamp(f.y, -10000.0, 10000.0);
  return WithZeroIfFlushed(f, f.r.Scaled(f.x, static_cast<int>(exponent)));
}

Range AtanRange(const Formula& f) {
  return f.r.Atan2(f.a, f.One());
}
Range Atan2Range(const Formula& f) {
  // The sign of a zero may be ignored, so the angle may be pi or -pi.
  if (f.x == 0 && f.y < 0) return f.r.Atan2({-0.0, 0.0}, f.b);
  return f.r.Atan2(f.a, f.b);
}

Range RemRange(const Formula& f) {
  const Range quotient = f.r.Div(f.a, f.b);
  return f.r.Sub(f.a, f.r.Mul(f.b, {Trunc(quotient.low), Trunc(quotient.high)}));
}
Range ModRange(const Formula& f) {
  const Range quotient = f.r.Div(f.a, f.b);
  return f.r.Sub(f.a, f.r.Mul(f.b, {Floor(quotient.low), Floor(quotient.high)}));
}
// OpFMul and OpFAdd, or both with one rounding.
Range FmaRange(const Formula& f) {
  return Hull(f.r.Add(f.r.Mul(f.a, f.b), f.c), f.r.Fused(f.x, f.y, f.z));
}
Range PowRange(const Formula& f) {
  return f.r.Exp2(f.r.Mul(f.b, f.r.Log2(f.a)));
}
// A correctly rounded approximation of the constant is one of its two neighbours.
Range TimesConstant(const Formula& f, double constant) {
  return f.r.Mul(f.a, {NextDown(constant, f.r.width()), NextUp(constant, f.r.width())});
}
Range RadiansRange(const Formula& f) {
  return TimesConstant(f, 0x1.1df46a2529d39p-6);
}
Range DegreesRange(const Formula& f) {
  return TimesConstant(f, 0x1.ca5dc1a63c1f8p+5);
}
Range TanRange(const Formula& f) {
  return f.r.Div(f.r.Sin(f.a), f.r.Cos(f.a));
}

Range RootOfOneLessSquare(const Formula& f) {
  return f.r.Sqrt(f.r.Sub(f.One(), f.r.Square(f.a)));
}
Range AsinRange(const Formula& f) {
  return f.r.Atan2(f.a, RootOfOneLessSquare(f));
}
Range AcosRange(const Formula& f) {
  return f.r.Atan2(RootOfOneLessSquare(f), f.a);
}

Range Negative(const Range& a) {
  return {-a.high, -a.low};
}
Range SinhRange(const Formula& f) {
  return f.r.Mul(f.r.Sub(f.r.Exp(f.a), f.r.Exp(Negative(f.a))), f.Half());
}
Range CoshRange(const Formula& f) {
  return f.r.Mul(f.r.Add(f.r.Exp(f.a), f.r.Exp(Negative(f.a))), f.Half());
}
Range TanhRange(const Formula& f) {
  return f.r.Div(SinhRange(f), CoshRange(f));
}
Range AsinhRange(const Formula& f) {
  const Range root = f.r.Sqrt(f.r.Add(f.r.Square(f.a), f.One()));
  return f.r.Log(f.r.Add(f.a, root));
}
Range AcoshRange(const Formula& f) {
  const Range root = f.r.Sqrt(f.r.Sub(f.r.Square(f.a), f.One()));
  return f.r.Log(f.r.Add(f.a, root));
}
Range AtanhRange(const Formula& f) {
  const Range quotient = f.r.Div(f.r.Add(f.One(), f.a), f.r.Sub(f.One(), f.a));
  return f.r.Mul(f.r.Log(quotient), f.Half());
}

// x (1 - a) + y a, and by distributivity x + (y - x) a.
Range MixRange(const Formula& f) {
  const RangeArithmetic& r = f.r;
  const Range two_products = r.Add(r.Mul(f.a, r.Sub(f.One(), f.c)), r.Mul(f.b, f.c));
  return Hull(two_products, r.Add(f.a, r.Mul(r.Sub(f.b, f.a), f.c)));
}
// t t (3 - 2 t), and by distributivity 3 t t - 2 t t t.
Range SmoothStepRange(const Formula& f) {
  const RangeArithmetic& r = f.r;
  const Range ratio = r.Div(r.Sub(f.c, f.a), r.Sub(f.b, f.a));
  if (ratio == Range::Anything()) return ratio;  // it contains NaN, which clamp does not remove
  const Range t = {std::clamp(ratio.low, 0.0, 1.0), std::clamp(ratio.high, 0.0, 1.0)};
  const Range two = Range::Exactly(2);
  const Range three = Range::Exactly(3);
  const Range square = r.Square(t);
  const Range nested = r.Mul(square, r.Sub(three, r.Mul(two, t)));
  return Hull(nested, r.Sub(r.Mul(three, square), r.Mul(two, r.Mul(square, t))));
}

// The permitted values of an operation that RangeArithmetic implements.
template <Range (RangeArithmetic::*operation)(const Range&) const>
Range Own(const Formula& f) {
  return (f.r.*operation)(f.a);
}
template <Range (RangeArithmetic::*operation)(const Range&, const Range&) const>
Range Own(const Formula& f) {
  return (f.r.*operation)(f.a, f.b);
}

struct Row {
  FloatOp op;
  const char* name;
  Permitted permitted;
  Defined defined;
};

// In the order of the enumeration, which a test checks. Undefined operands follow GLSL.std.450,
// section 2, at each instruction, and for OpFRem and OpFMod SPIR-V 1.6, 3.42.13.
using R = RangeArithmetic;
constexpr Row kRows[] = {
    {FloatOp::kAdd, "OpFAdd", Own<&R::Add>, Always},
    {FloatOp::kSub, "OpFSub", Own<&R::Sub>, Always},
    {FloatOp::kMul, "OpFMul", Own<&R::Mul>, Always},
    {FloatOp::kConvert, "OpFConvert", [](const Formula& f) { return f.r.Converted(f.x); }, Always},
    {FloatOp::kRound, "Round", RoundEitherWay, Always},
    {FloatOp::kRoundEven, "RoundEven", Rising<RoundEven>, Always},
    {FloatOp::kTrunc, "Trunc", Rising<Trunc>, Always},
    {FloatOp::kAbs, "FAbs", AbsRange, Always},
    {FloatOp::kSign, "FSign", Rising<Sign>, Always},
    {FloatOp::kFloor, "Floor", Rising<Floor>, Always},
    {FloatOp::kCeil, "Ceil", Rising<Ceil>, Always},
    {FloatOp::kFract, "Fract", FractRange, Always},
    {FloatOp::kModfFraction, "Modf", ModfRange, Always},
    {FloatOp::kFrexpSignificand, "Frexp", FrexpRange, Finite},
    {FloatOp::kLdexp, "Ldexp", LdexpRange, Always},
    {FloatOp::kMin, "FMin", MinRange, NoNan},
    {FloatOp::kMax, "FMax", MaxRange, NoNan},
    {FloatOp::kClamp, "FClamp", ClampRange, Ordered},
    {FloatOp::kNMin, "NMin", MinRange, Always},
    {FloatOp::kNMax, "NMax", MaxRange, Always},
    {FloatOp::kNClamp, "NClamp", ClampRange, NotAboveMaximum},
    {FloatOp::kStep, "Step", StepRange, Always},
    {FloatOp::kDiv, "OpFDiv", Own<&R::Div>, Always},
    {FloatOp::kExp, "Exp", Own<&R::Exp>, Always},
    {FloatOp::kExp2, "Exp2", Own<&R::Exp2>, Always},
    {FloatOp::kLog, "Log", Own<&R::Log>, Positive},
    {FloatOp::kLog2, "Log2", Own<&R::Log2>, Positive},
    {FloatOp::kInverseSqrt, "InverseSqrt", Own<&R::InverseSqrt>, Positive},
    {FloatOp::kSin, "Sin", Own<&R::Sin>, Always},
    {FloatOp::kCos, "Cos", Own<&R::Cos>, Always},
    {FloatOp::kAtan, "Atan", AtanRange, Always},
    {FloatOp::kAtan2, "Atan2", Atan2Range, NotBothZero},
    {FloatOp::kRem, "OpFRem", RemRange, DivisorNotZero},
    {FloatOp::kMod, "OpFMod", ModRange, DivisorNotZero},
    {FloatOp::kFma, "Fma", FmaRange, Always},
    {FloatOp::kPow, "Pow", PowRange, PowDefined},
    {FloatOp::kSqrt, "Sqrt", Own<&R::Sqrt>, NotNegative},
    {FloatOp::kRadians, "Radians", RadiansRange, Always},
    {FloatOp::kDegrees, "Degrees", DegreesRange, Always},
    {FloatOp::kTan, "Tan", TanRange, Always},
    {FloatOp::kAsin, "Asin", AsinRange, InUnit},
    {FloatOp::kAcos, "Acos", AcosRange, InUnit},
    {FloatOp::kSinh, "Sinh", SinhRange, Always},
    {FloatOp::kCosh, "Cosh", CoshRange, Always},
    {FloatOp::kTanh, "Tanh", TanhRange, Always},
    {FloatOp::kAsinh, "Asinh", AsinhRange, Always},
    {FloatOp::kAcosh, "Acosh", AcoshRange, FromOne},
    {FloatOp::kAtanh, "Atanh", AtanhRange, InOpenUnit},
    {FloatOp::kMix, "FMix", MixRange, Always},
    {FloatOp::kSmoothStep, "SmoothStep", SmoothStepRange, EdgesAscend},
};
static_assert(std::size(kRows) == kFloatOps);
static_assert([] {
  for (size_t i = 0; i < std::size(kRows); ++i) {
    if (kRows[i].op != static_cast<FloatOp>(i)) return false;
  }
  return true;
}());

// The bound that a row itself states for these operands, in ULP or absolute; -1 for other rows and
// operands.
struct OwnBound {
  double ulps;
  double absolute;
};
constexpr OwnBound kNoBound = {-1, -1};

OwnBound BoundOf(FloatOp op, const PrecisionColumn& column, double x, double y) {
  const double size = Absolute(x);
  switch (op) {
    case FloatOp::kDiv: {
      const double divisor = Absolute(y);
      const bool inside = divisor >= 1 / column.div_limit && divisor <= column.div_limit;
      return inside ? OwnBound{2.5, 0} : kNoBound;
    }
    case FloatOp::kExp:
    case FloatOp::kExp2:
      return {column.exp_ulps + 2 * size, 0};
    case FloatOp::kLog:
    case FloatOp::kLog2:
      if (!(x > 0)) return kNoBound;
      return x < 0.5 || x > 2 ? OwnBound{3, 0} : OwnBound{0, column.log_absolute};
    case FloatOp::kInverseSqrt:
      return x > 0 ? OwnBound{2, 0} : kNoBound;
    case FloatOp::kSin:
    case FloatOp::kCos:
      return size <= 3.125 ? OwnBound{0, column.wave} : kNoBound;
    case FloatOp::kAtan:
    case FloatOp::kAtan2:
      return x != 0 ? OwnBound{column.atan_ulps, 0} : kNoBound;
    default:
      return kNoBound;
  }
}

// AllowedError without evaluating the operation again, for rows that state a bound. Only for
// results that are not near the limits of the format and are not powers of two, whose ulp would
// depend on whether they were rounded. Half an ulp is added, because the result may have been
// rounded. -1 in other cases.
double QuickError(FloatOp op, int width, double result, double x, double y) {
  const Format& format = FormatOf(width);
  const double size = Absolute(result);
  if (!(size > 2 * format.min_normal && size < format.max / 4) || IsDenormal(x, width) ||
      IsDenormal(y, width) || !IsFinite(x) || !IsFinite(y)) {
    return -1;
  }
  const OwnBound bound = BoundOf(op, ColumnOf(width), x, y);
  const bool power_of_two = (std::bit_cast<uint64_t>(result) << 12) == 0;
  if (bound.ulps < 0 || power_of_two) return -1;
  const double ulp = Ulp(result, width);
  const double rounding = IsRepresentable(result, width) ? ulp / 2 : 0;
  const double error = bound.ulps * PrecisionUlp(result, width) + bound.absolute + rounding;
  return size + error < format.max ? error : kInfinity;
}

const Row& RowOf(FloatOp op) {
  const auto index = static_cast<size_t>(op);
  CHECK(index < std::size(kRows));
  return kRows[index];
}

}  // namespace

const char* NameOf(FloatOp op) {
  return RowOf(op).name;
}

Range PermittedRange(FloatOp op, int width, double x, double y, double z, bool may_flush) {
  const RangeArithmetic arithmetic(width, may_flush);
  if (!IsFinite(x) || !IsFinite(y) || !IsFinite(z)) return Range::Anything();
  return RowOf(op).permitted(
      {arithmetic, x, y, z, arithmetic.Operand(x), arithmetic.Operand(y), arithmetic.Operand(z)});
}

namespace {

// True if the operation is exact and reads these operands unchanged.
bool HasNoError(FloatOp op, int width, double x, double y, double z) {
  switch (op) {
    case FloatOp::kRoundEven:
    case FloatOp::kTrunc:
    case FloatOp::kAbs:
    case FloatOp::kSign:
    case FloatOp::kFloor:
    case FloatOp::kCeil:
    case FloatOp::kMin:
    case FloatOp::kMax:
    case FloatOp::kClamp:
      break;
    default:
      return false;
  }
  return IsFinite(x) && IsFinite(y) && IsFinite(z) && !IsDenormal(x, width) &&
         !IsDenormal(y, width) && !IsDenormal(z, width);
}

}  // namespace

double AllowedError(FloatOp op, int width, double result, double x, double y, double z,
                    bool may_flush) {
  if (HasNoError(op, width, x, y, z)) return 0;
  const double quick = QuickError(op, width, result, x, y);
  if (quick >= 0 && IsFinite(z)) return quick;
  return ErrorOf(PermittedRange(op, width, x, y, z, may_flush), result);
}

bool IsDefined(FloatOp op, int width, double x, double y, double z) {
  if (op == FloatOp::kLdexp) {
    // "If this product is too large ... the resulting value is undefined"; the same if the exponent
    // is too large.
    const Format& format = FormatOf(width);
    if (y > 1 - format.min_exponent + 1) return false;
    const double exponent = std::max(-10000.0, y);
    return !IsFinite(x) || IsFinite(Ldexp(x, static_cast<int>(exponent), width));
  }
  return RowOf(op).defined(x, y, z);
}

}  // namespace math
}  // namespace interp
}  // namespace refract
