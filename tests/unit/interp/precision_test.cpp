// SPDX-License-Identifier: Apache-2.0
// Every row of the tables of precision with a number computed by hand from the specification, and
// formulas evaluated by the hardware, which has to be among the implementations permitted.
#include "interp/math/precision.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <vector>

#include "base/random.h"
#include "interp/math/elementary.h"

namespace refract::math {
namespace {

using enum FloatOp;

constexpr double kPi = 3.14159265358979323846;

struct Row {
  FloatOp op;
  int width;
  double x, y, z;
  double result;
  double allowed;
};

// Distances between floats: 2^-24 in [1/2, 1], 2^-23 in [1, 2], ...; between halves 2^-11, 2^-10.
const Row kRows[] = {
    // Correctly rounded: either neighbour.
    {kAdd, 32, 1, 0x1p-30, 0, 1, 0x1p-23},
    {kAdd, 32, 1, 2, 0, 3, 0},
    {kAdd, 16, 1, 0x1p-12, 0, 1, 0x1p-10},
    {kAdd, 64, 1, 0x1p-60, 0, 1, 0x1p-52},
    {kSub, 32, 1, 0x1p-30, 0, 1, 0x1p-24},
    {kMul, 32, 0x1.000002p0, 0x1.000002p0, 0, 0x1.000004p0, 0x1p-23},
    {kMul, 16, 3, 5, 0, 15, 0},
    {kConvert, 32, 0.1, 0, 0, 0x1.99999ap-4, 0x1p-27},
    {kConvert, 16, 0.5, 0, 0, 0.5, 0},
    {kRound, 32, 2.5, 0, 0, 2, 1},
    {kRound, 32, 2.25, 0, 0, 2, 0},
    {kRoundEven, 32, 2.5, 0, 0, 2, 0},
    {kTrunc, 32, -1.5, 0, 0, -1, 0},
    {kAbs, 32, -1.5, 0, 0, 1.5, 0},
    {kAbs, 32, -0x1p-140, 0, 0, 0x1p-140, 0x1p-140},  // may be flushed
    {kSign, 32, -1.5, 0, 0, -1, 0},
    {kSign, 32, 0x1p-140, 0, 0, 1, 1},
    {kFloor, 32, -1.5, 0, 0, -2, 0},
    {kFloor, 32, -0x1p-140, 0, 0, -1, 1},
    {kCeil, 16, 1.5, 0, 0, 2, 0},
    {kCeil, 16, 0x1p-20, 0, 0, 1, 1},
    {kFract, 32, -0x1p-30, 0, 0, 1, 0x1p-24},
    {kFract, 32, 1.75, 0, 0, 0.75, 0},
    {kModfFraction, 32, -1.75, 0, 0, -0.75, 0},
    {kModfFraction, 32, 0x1p-140, 0, 0, 0x1p-140, 0x1p-140},
    {kFrexpSignificand, 32, 6, 0, 0, 0.75, 0},
    {kFrexpSignificand, 32, 0x1p-140, 0, 0, 0.5, 0.5},
    {kLdexp, 32, 3, 4, 0, 48, 0},
    {kLdexp, 32, 3, -150, 0, 0x1p-148, 0x1p-148},
    {kMin, 32, 1, 2, 0, 1, 0},
    {kMax, 32, 1, 2, 0, 2, 0},
    {kClamp, 32, 3, 0, 1, 1, 0},
    {kClamp, 32, 0x1p-140, -1, 1, 0x1p-140, 0x1p-140},
    {kNMin, 32, 1, 2, 0, 1, 0},
    {kNMax, 32, 1, 2, 0, 2, 0},
    {kNClamp, 32, -3, 0, 1, 0, 0},
    {kStep, 32, 1, 0.5, 0, 0, 0},
    {kStep, 32, 0x1p-140, 0, 0, 0, 1},
    // OpFDiv: 2.5 ULP for |y| in [2^-126, 2^126], [2^-14, 2^14]; ulp(2) is that below 2.
    {kDiv, 32, 4, 2, 0, 2, 2.5 * 0x1p-23},
    {kDiv, 16, 4, 2, 0, 2, 2.5 * 0x1p-10},
    {kDiv, 64, 4, 2, 0, 2, 2.5 * 0x1p-23},  // at least that of single precision
    {kDiv, 32, 1, 3, 0, 1.0 / 3, 2.5 * 0x1p-25},
    {kDiv, 32, 1, 0x1p126, 0, 0x1p-126, 0x1p-126},  // may be flushed
    {kDiv, 32, 1, 0x1p127, 0, 0x1p-127, kInfinity},
    {kDiv, 16, 1, 0x1p15, 0, 0x1p-15, kInfinity},
    {kDiv, 32, 1, 0, 0, kInfinity, kInfinity},
    // exp, exp2: 3 + 2 |x| ULP, 1 + 2 |x| ULP. exp(2) is between 4 and 8.
    {kExp, 32, 2, 0, 0, 7.38905609893065, 7 * 0x1p-21},
    {kExp, 16, 2, 0, 0, 7.38905609893065, 5 * 0x1p-8},
    {kExp2, 32, 3, 0, 0, 8, 9 * 0x1p-21},
    {kExp2, 16, 3, 0, 0, 8, 7 * 0x1p-8},
    {kExp, 32, 100, 0, 0, kInfinity, kInfinity},
    // log, log2: 3 ULP outside of [0.5, 2], there 2^-21, 2^-7.
    {kLog, 32, 10, 0, 0, 2.302585092994046, 3 * 0x1p-22},
    {kLog, 16, 10, 0, 0, 2.302585092994046, 3 * 0x1p-9},
    {kLog, 32, 1.5, 0, 0, 0.4054651081081644, 0x1p-21},
    {kLog, 16, 1.5, 0, 0, 0.4054651081081644, 0x1p-7},
    {kLog2, 32, 8, 0, 0, 3, 3 * 0x1p-22},
    {kLog2, 32, 1, 0, 0, 0, 0x1p-21},
    {kLog2, 32, 0.5, 0, 0, -1, 0x1p-21},
    {kInverseSqrt, 32, 4, 0, 0, 0.5, 2 * 0x1p-25},
    {kInverseSqrt, 16, 4, 0, 0, 0.5, 2 * 0x1p-12},
    // sin, cos: absolute 2^-11, 2^-7 in [-pi, pi], nothing outside.
    {kSin, 32, 1, 0, 0, 0.8414709848078965, 0x1p-11},
    {kSin, 16, -3, 0, 0, -0.1411200080598672, 0x1p-7},
    {kSin, 32, 4, 0, 0, -0.7568024953079282, kInfinity},
    {kCos, 32, -3, 0, 0, -0.9899924966004454, 0x1p-11},
    {kCos, 16, 0, 0, 0, 1, 0x1p-7},
    {kCos, 16, 4, 0, 0, -0.6536436208636119, kInfinity},
    // atan, atan2: 4096 ULP, 5 ULP.
    {kAtan, 32, 1, 0, 0, kPi / 4, 4096 * 0x1p-24},
    {kAtan, 16, 1, 0, 0, kPi / 4, 5 * 0x1p-11},
    {kAtan2, 32, 1, -1, 0, 3 * kPi / 4, 4096 * 0x1p-22},
    {kAtan2, 16, 1, -1, 0, 3 * kPi / 4, 5 * 0x1p-9},
    {kAtan2, 32, 0, -1, 0, kPi, 2 * kPi + 4096 * 0x1p-22},  // the sign of zero may be lost
    // x - y trunc(x/y): 6/2 may come out below 3.
    {kRem, 32, 5.5, 2, 0, 1.5, 0},
    {kRem, 32, 6, 2, 0, 0, 2},
    {kMod, 32, 6, 2, 0, 0, 2},
    {kMod, 32, -1, 4, 0, 3, 0},
    // The product rounded up is 2^-23 above the one rounded down, and subtracting 1 is exact.
    {kFma, 32, 0x1.000002p0, 0x1.000002p0, -1, 0x1p-22, 0x1p-23},
    {kFma, 32, 3, 5, -15, 0, 0},
    // log2(2) is off by 2^-21, three times that moves 8 by 8 ln 2 * 3 * 2^-21, and exp2 of 3 and a
    // little adds 9 ULP above 8.
    {kPow, 32, 2, 3, 0, 8, 24 * 0.6931472 * 0x1p-21 + 9 * 0x1p-20},
    // inversesqrt(4) is 0.5 +- 2^-24, its inverse 2 +- 2^-22, and 2.5 ULP above 2.
    {kSqrt, 32, 4, 0, 0, 2, 3.5 * 0x1p-22},
    {kSqrt, 16, 4, 0, 0, 2, 3.5 * 0x1p-9},
    {kSqrt, 32, 0, 0, 0, 0, 0},
    // The constant may be 0x1.ca5dc0p5 or 0x1.ca5dc2p5, the first is farther off.
    {kDegrees, 32, 1, 0, 0, 0x1.ca5dc1a63c1f8p5, 0x1.a63c1f8p-19},
    // 0x1.1df46ap-6 or 0x1.1df46cp-6; 64 times them is exact.
    {kRadians, 32, 64, 0, 0, 0x1.1df46a2529d39p0, 0x1.dad62c7p-24},
    {kTan, 32, 0, 0, 0, 0, 0x1p-11 / (1 - 0x1p-11)},
    {kTan, 32, 1.5707963705062866, 0, 0, -22877332.428856459, kInfinity},
    {kAsin, 32, 0, 0, 0, 0, 4096 * 0x1p-149},
    {kAcos, 32, 0, 0, 0, kPi / 2, 4096 * 0x1p-23},
    // exp(0) is 1 +- 3 * 2^-24, as is exp(-0).
    {kSinh, 32, 0, 0, 0, 0, 3 * 0x1p-24},
    {kCosh, 32, 0, 0, 0, 1, 4 * 0x1p-24},  // 2 + 6 * 2^-24 rounded up is 2 + 8 * 2^-24
    {kTanh, 32, 0, 0, 0, 0, 3 * 0x1p-24},
    {kTanh, 32, 100, 0, 0, 1, kInfinity},  // infinity by infinity on the way
    // sqrt(1) is at most 1 + 3.5 * 2^-23, rounded by the addition to 1 + 2^-21, and log adds 2^-21.
    {kAsinh, 32, 0, 0, 0, 0, 0x1p-20},
    {kAcosh, 32, 1, 0, 0, 0, 0x1p-21},
    // The quotient is 1 +- 2.5 * 2^-24.
    {kAtanh, 32, 0, 0, 0, 0, (2.5 * 0x1p-24 + 0x1p-21) / 2},
    {kMix, 32, 1, 3, 0.5, 2, 0},
    // 1 - a is a multiple of 2^-27 and 3 of them above a float; the sum reaches 1 + 5 of them.
    {kMix, 32, 1, 1, 0x1.99999ap-4, 1, 0x1p-23},
    // t is at most 2.5 * 2^-149, its square rounded up 2^-149, and that is taken three times.
    {kSmoothStep, 32, 0, 1, 0, 0, 3 * 0x1p-149},
    {kSmoothStep, 32, 1, 1, 1, 1, kInfinity},
};

TEST(Precision, EveryRowOfTheTables) {
  std::set<FloatOp> seen;
  for (const Row& row : kRows) {
    seen.insert(row.op);
    const Range range = PermittedRange(row.op, row.width, row.x, row.y, row.z);
    const double allowed = ErrorOf(range, row.result);
    if (row.allowed == 0 || row.allowed == kInfinity) {
      EXPECT_EQ(allowed, row.allowed) << NameOf(row.op) << " of " << row.x;
    } else {
      EXPECT_NEAR(allowed / row.allowed, 1, 1e-3) << NameOf(row.op) << " of " << row.x;
    }
    // The same, unless the result may have been rounded.
    const double quick = AllowedError(row.op, row.width, row.result, row.x, row.y, row.z);
    EXPECT_GE(quick * (1 + 1e-9), allowed) << NameOf(row.op) << " of " << row.x;
    if (allowed < kInfinity) {
      EXPECT_LE(quick, (allowed + Ulp(row.result, row.width) / 2) * (1 + 1e-9));
    }
  }
  EXPECT_EQ(seen.size(), static_cast<size_t>(kFloatOps));
}

TEST(Precision, DenormalsMayBeForbiddenToFlush) {
  EXPECT_EQ(AllowedError(kFloor, 32, -1, -0x1p-140, 0, 0, false), 0);
  EXPECT_EQ(AllowedError(kAbs, 32, 0x1p-140, -0x1p-140, 0, 0, false), 0);
  EXPECT_EQ(AllowedError(kAdd, 32, 0x1p-139, 0x1p-140, 0x1p-140, 0, false), 0);
  EXPECT_EQ(AllowedError(kAdd, 32, 0x1p-139, 0x1p-140, 0x1p-140, 0), 0x1p-139);
  EXPECT_EQ(AllowedError(kMul, 32, 0x1p-139, 0x1p-70, 0x1p-69), 0x1p-139);
}

TEST(Precision, NotANumberPromisesNothing) {
  for (int op = 0; op < kFloatOps; ++op) {
    EXPECT_EQ(AllowedError(static_cast<FloatOp>(op), 32, 1, kNan), kInfinity);
    EXPECT_EQ(AllowedError(static_cast<FloatOp>(op), 32, 1, 1, kInfinity), kInfinity);
  }
  EXPECT_EQ(AllowedError(kAdd, 32, kInfinity, 0x1p127, 0x1p127), kInfinity);
}

// smoothstep(0, 1, 0.5): t is off by d = 2.5 * 2^-25 and its slope is 1.5; the bounds of t t and
// 3 t are taken apart from each other, and some roundings come on top.
TEST(Precision, SmoothStepInTheMiddle) {
  const double d = 2.5 * 0x1p-25;
  const double allowed = AllowedError(kSmoothStep, 32, 0.5, 0, 1, 0.5);
  EXPECT_GT(allowed, 1.5 * d);
  EXPECT_LT(allowed, 6 * d);
}

// Bounds that a row states itself are not evaluated again; they are what the ranges say.
TEST(Precision, QuickBoundsAreThoseOfTheRanges) {
  struct Function {
    FloatOp op;
    double (*value)(double, double);
  };
  const Function functions[] = {{kDiv, [](double x, double y) { return x / y; }},
                                {kExp, [](double x, double) { return Exp(x); }},
                                {kExp2, [](double x, double) { return Exp2(x); }},
                                {kLog, [](double x, double) { return Log(x); }},
                                {kLog2, [](double x, double) { return Log2(x); }},
                                {kInverseSqrt, [](double x, double) { return InverseSqrt(x); }},
                                {kSin, [](double x, double) { return Sin(x); }},
                                {kCos, [](double x, double) { return Cos(x); }},
                                {kAtan, [](double x, double) { return Atan(x); }},
                                {kAtan2, [](double x, double y) { return Atan2(x, y); }}};
  Random random(12);
  for (int i = 0; i < 60000; ++i) {
    const Function& f = functions[static_cast<size_t>(i) % std::size(functions)];
    const int width = i % 3 == 0 ? 16 : i % 3 == 1 ? 32 : 64;
    const double scale = std::ldexp(1.0, static_cast<int>(random.Below(24)) - 12);
    const double x =
        RoundToWidth((static_cast<double>(random.Below(4000)) - 1000) * 1e-3 * scale, width);
    const double y = RoundToWidth(static_cast<double>(random.Below(4000)) * 1e-3 / scale, width);
    const double exact = f.value(x, y);
    const double allowed = ErrorOf(PermittedRange(f.op, width, x, y), exact);
    const double quick = AllowedError(f.op, width, exact, x, y);
    if (!IsFinite(exact) || allowed == kInfinity) {
      ASSERT_EQ(quick, kInfinity) << NameOf(f.op) << " of " << x << ", " << y;
      continue;
    }
    const double ulp = Ulp(exact, width);
    const double half = IsRepresentable(exact, width) ? ulp / 2 : 0;
    ASSERT_NEAR(quick, allowed, half + 1e-9 * allowed) << NameOf(f.op) << " of " << x << ", " << y;
    const double rounded = RoundToWidth(exact, width);
    if (IsInfinite(rounded)) continue;
    const double from_rounded = AllowedError(f.op, width, rounded, x, y);
    ASSERT_GE(from_rounded * (1 + 1e-9), ErrorOf(PermittedRange(f.op, width, x, y), rounded))
        << NameOf(f.op) << " of " << x << ", " << y;
  }
}

// Ranges are the permitted ones also away from zero: larger for larger arguments.
TEST(Precision, InheritedErrorsGrow) {
  EXPECT_LT(AllowedError(kSinh, 32, Sinh(1), 1), AllowedError(kSinh, 32, Sinh(10), 10));
  EXPECT_LT(AllowedError(kPow, 32, Pow(3, 2), 3, 2), AllowedError(kPow, 32, Pow(3, 9), 3, 9));
  EXPECT_LT(AllowedError(kAsinh, 32, Asinh(1), 1), AllowedError(kAsinh, 32, Asinh(-30), -30));
  EXPECT_EQ(AllowedError(kAsinh, 32, Asinh(-10000), -10000), kInfinity);  // log of zero
  EXPECT_LT(AllowedError(kAsin, 32, Asin(0.5), 0.5), 1e-3);
  EXPECT_LT(AllowedError(kAcos, 32, Acos(-0.5), -0.5), 2e-3);
  EXPECT_LT(AllowedError(kAtanh, 32, Atanh(0.5), 0.5), 1e-6);
  EXPECT_LT(AllowedError(kAcosh, 32, Acosh(3), 3), 1e-5);
}

TEST(Precision, WhereResultsAreDefined) {
  struct Case {
    FloatOp op;
    double x, y, z;
    bool defined;
  };
  const Case cases[] = {{kAsin, 1, 0, 0, true},         {kAsin, 1.5, 0, 0, false},
                        {kAcos, -1.5, 0, 0, false},     {kLog, 0, 0, 0, false},
                        {kLog, 1, 0, 0, true},          {kLog2, -1, 0, 0, false},
                        {kPow, 0, 0, 0, false},         {kPow, 0, 1, 0, true},
                        {kPow, -1, 2, 0, false},        {kPow, 2, -1, 0, true},
                        {kSqrt, -1, 0, 0, false},       {kSqrt, 0, 0, 0, true},
                        {kInverseSqrt, 0, 0, 0, false}, {kInverseSqrt, 1, 0, 0, true},
                        {kAtan2, 0, 0, 0, false},       {kAtan2, 0, -1, 0, true},
                        {kAcosh, 0.5, 0, 0, false},     {kAcosh, 1, 0, 0, true},
                        {kAtanh, 1, 0, 0, false},       {kAtanh, 0.5, 0, 0, true},
                        {kSmoothStep, 1, 1, 0, false},  {kSmoothStep, 0, 1, 5, true},
                        {kClamp, 0, 2, 1, false},       {kClamp, 0, 1, 1, true},
                        {kNClamp, 0, 2, 1, false},      {kNClamp, kNan, 1, 2, true},
                        {kClamp, kNan, 1, 2, false},    {kMin, kNan, 1, 0, false},
                        {kNMin, kNan, 1, 0, true},      {kMax, 1, kNan, 0, false},
                        {kNMax, 1, kNan, 0, true},      {kRem, 1, 0, 0, false},
                        {kMod, 1, 0, 0, false},         {kMod, 1, 2, 0, true},
                        {kDiv, 1, 0, 0, true},          {kLdexp, 1, 129, 0, false},
                        {kLdexp, 1, 127, 0, true},      {kLdexp, 4, 127, 0, false},
                        {kLdexp, 0, 128, 0, true},      {kFrexpSignificand, kInfinity, 0, 0, false},
                        {kSin, 1e30, 0, 0, true}};
  for (const Case& c : cases) {
    EXPECT_EQ(IsDefined(c.op, 32, c.x, c.y, c.z), c.defined)
        << NameOf(c.op) << " of " << c.x << ", " << c.y << ", " << c.z;
  }
}

TEST(Precision, VectorsByHand) {
  using V = std::vector<double>;
  const auto error = [](const Range& range, double result) { return ErrorOf(range, result); };
  EXPECT_EQ(error(DotRange(V{1, 2}, V{3, 4}, 32), 11), 0);
  // Two roundings of 1 + 2^-30 in either direction are allowed, one unit at most.
  EXPECT_NEAR(error(DotRange(V{1, 1}, V{1, 0x1p-30}, 32), 1), 0x1p-23, 0x1p-29);
  // inversesqrt(25) is 0.2 +- 2^-25; 5 is off by 25 * 2^-25 and 2.5 * 2^-21.
  EXPECT_NEAR(error(LengthRange(V{3, 4}, 32), 5) / (65 * 0x1p-25), 1, 1e-4);
  EXPECT_NEAR(error(DistanceRange(V{4, 5}, V{1, 1}, 32), 5) / (65 * 0x1p-25), 1, 1e-4);
  EXPECT_EQ(error(LengthRange(V{0, 0, 0}, 32), 0), 0);
  const double unit = error(NormalizeRanges(V{3, 4}, 32)[0], 0.6);
  EXPECT_GE(unit, 3 * 0x1p-25);
  EXPECT_LE(unit, 3 * 0x1p-25 + 0x1p-24);
  EXPECT_EQ(error(NormalizeRanges(V{0, 0}, 32)[0], 0), kInfinity);
  EXPECT_EQ(CrossRanges(V{1, 2, 3}, V{4, 5, 6}, 32),
            (std::vector<Range>{{-3, -3}, {6, 6}, {-3, -3}}));
  EXPECT_EQ(ReflectRanges(V{1, -1}, V{0, 1}, 32), (std::vector<Range>{{1, 1}, {1, 1}}));
  EXPECT_EQ(FaceForwardRanges(V{2}, V{1}, V{1}, 32), (std::vector<Range>{{-2, -2}}));
  EXPECT_EQ(FaceForwardRanges(V{2}, V{1}, V{-1}, 32), (std::vector<Range>{{2, 2}}));
  // A dot product whose sign is uncertain.
  EXPECT_EQ(FaceForwardRanges(V{2, 0}, V{0x1.000002p0, 0x1.000004p0}, V{0x1.000002p0, -1}, 32)[0],
            (Range{-2, 2}));
  // k = 1 and its root is at most 1 + 3.5 * 2^-23; 1 added, that is rounded to four units.
  const std::vector<Range> straight = RefractRanges(V{0, -1}, V{0, 1}, 1, 32);
  EXPECT_EQ(error(straight[0], 0), 0);
  EXPECT_NEAR(error(straight[1], -1), 0x1p-21, 0x1p-30);
  EXPECT_EQ(RefractRanges(V{1, 0}, V{0, 1}, 2, 32), (std::vector<Range>{{0, 0}, {0, 0}}));
}

float AnyModerate(Random& random) {
  const double mantissa = 1 + static_cast<double>(random.Below(1 << 23)) * 0x1p-23;
  const double value = std::ldexp(mantissa, static_cast<int>(random.Below(16)) - 8);
  return static_cast<float>(random.Percent(50) ? value : -value);
}

// What the hardware makes of the formulas in float is permitted.
TEST(Precision, HardwareIsAnImplementation) {
  Random random(3);
  const auto expect = [](FloatOp op, float ours, double result, double x, double y, double z) {
    ASSERT_LE(Absolute(ours - result), AllowedError(op, 32, result, x, y, z))
        << NameOf(op) << " of " << x << ", " << y << ", " << z;
  };
  for (int i = 0; i < 20000; ++i) {
    const float x = AnyModerate(random);
    const float y = AnyModerate(random);
    const float z = AnyModerate(random);
    const float a = static_cast<float>(random.Below(1 << 24)) * 0x1p-24f;
    const double dx = x;
    const double dy = y;
    expect(kAdd, x + y, dx + y, x, y, 0);
    expect(kMul, x * y, dx * y, x, y, 0);
    expect(kDiv, x / y, dx / y, x, y, 0);
    expect(kRem, x - y * std::trunc(x / y), std::fmod(dx, dy), x, y, 0);
    expect(kMod, x - y * std::floor(x / y), dx - dy * std::floor(dx / dy), x, y, 0);
    expect(kFma, x * y + z, std::fma(dx, dy, z), x, y, z);
    expect(kMix, x * (1 - a) + y * a, dx * (1 - static_cast<double>(a)) + dy * a, x, y, a);
    expect(kMix, x + (y - x) * a, dx * (1 - static_cast<double>(a)) + dy * a, x, y, a);
    expect(kSqrt, std::sqrt(std::fabs(x)), std::sqrt(std::fabs(dx)), std::fabs(x), 0, 0);
    expect(kRadians, x * 0.017453292f, dx * (kPi / 180), x, 0, 0);
    if (x < y) {
      const float t = std::clamp((z - x) / (y - x), 0.0f, 1.0f);
      const double exact = std::clamp((z - dx) / (dy - dx), 0.0, 1.0);
      expect(kSmoothStep, t * t * (3 - 2 * t), exact * exact * (3 - 2 * exact), x, y, z);
    }
  }
}

TEST(Precision, HardwareIsAnImplementationOfVectors) {
  Random random(4);
  for (int i = 0; i < 5000; ++i) {
    float v[4];
    float w[4];
    for (int c = 0; c < 4; ++c) {
      v[c] = AnyModerate(random);
      w[c] = AnyModerate(random);
    }
    const std::vector<double> x(v, v + 4);
    const std::vector<double> y(w, w + 4);
    float dot = 0;
    float self = 0;
    for (int c = 3; c >= 0; --c) {
      dot += v[c] * w[c];
      self += v[c] * v[c];
    }
    ASSERT_TRUE(DotRange(x, y, 32).Contains(dot));
    ASSERT_TRUE(LengthRange(x, 32).Contains(std::sqrt(self)));
    ASSERT_TRUE(NormalizeRanges(x, 32)[1].Contains(v[1] * (1 / std::sqrt(self))));
    ASSERT_TRUE(ReflectRanges(x, y, 32)[2].Contains(v[2] - 2 * dot * w[2]));
    const float eta = 0.25f;
    const float k = 1 - eta * eta * (1 - dot * dot);
    const float bent = k < 0 ? 0 : eta * v[3] - (eta * dot + std::sqrt(k)) * w[3];
    ASSERT_TRUE(RefractRanges(x, y, eta, 32)[3].Contains(bent));
  }
}

}  // namespace
}  // namespace refract::math
