// SPDX-License-Identifier: Apache-2.0
// Sine and related functions. The argument reduction is that of Payne and Hanek (1983): the
// mantissa of the argument is multiplied by the relevant bits of 2/pi, in integers. Arguments of
// any size are therefore reduced in the same way and with negligible error.
#include <cmath>
#include <cstddef>

#include "interp/math/double_double.h"
#include "interp/math/elementary.h"
#include "interp/math/float_formats.h"
#include "interp/math/series.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

__extension__ using Uint128 = unsigned __int128;

constexpr Pair kHalfPi = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

// 2/pi in binary after 64 zeros, which stand for the bits before the point.
constexpr uint64_t kTwoOverPi[] = {
    0x0000000000000000, 0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041,
    0xfe5163abdebbc561, 0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e,
    0xe88235f52ebb4484, 0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b,
    0x1ff897ffde05980f, 0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d,
    0x7527bac7ebe5f17b, 0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

// 64 bits of the table from `position` on.
uint64_t TableBits(size_t position) {
  const size_t word = position / 64;
  const size_t shift = position % 64;
  if (shift == 0) return kTwoOverPi[word];
  return (kTwoOverPi[word] << shift) | (kTwoOverPi[word + 1] >> (64 - shift));
}

// The coefficients of the series of sine and cosine: 1 / n!, negative for n = 2 and 3 modulo 4.
constexpr auto kSignedFactorial = [] {
  auto table = kInverseFactorial;
  for (size_t n = 0; n < table.size(); ++n) {
    if ((n & 2) != 0) table[n] = -table[n];
  }
  return table;
}();

// 128 bits, the upper half first.
struct Fraction {
  uint64_t upper;
  uint64_t lower;
};

// A 128-bit integer whose top bit is set, times 2^(exponent - 128), with 106 bits.
Pair ToPair(Fraction bits, int exponent) {
  const auto head = static_cast<double>(bits.upper >> 11);
  const uint64_t rest = (bits.upper << 53) | (bits.lower >> 11);
  const auto tail = static_cast<double>(rest >> 11);
  return FastTwoSum(std::ldexp(head, exponent - 53), std::ldexp(tail, exponent - 106));
}

// The signed fraction of quarter turns, in [-1/2, 1/2], from 190 bits in units of 2^-190. The two
// highest bits of `words` (whose last element is the most significant) are the quadrant and have
// been cleared.
Pair SignedFraction(uint64_t words[3]) {
  const bool negative = (words[2] >> 61) != 0;
  if (negative) {          // the fraction minus one, as its two's complement
    words[0] = ~words[0];  // the omitted carry of one unit is below the error
    words[1] = ~words[1];
    words[2] = ~words[2] & 0x3fffffffffffffff;
  }
  int exponent = 2;  // 192 bits represent [0, 4)
  while ((words[2] >> 63) == 0 && exponent > -126) {
    const int shift = words[2] == 0 ? 63 : __builtin_clzll(words[2]);
    words[2] = (words[2] << shift) | (words[1] >> (64 - shift));
    words[1] = (words[1] << shift) | (words[0] >> (64 - shift));
    words[0] <<= shift;
    exponent -= shift;
  }
  const Pair fraction = ToPair({words[2], words[1]}, exponent);
  return negative ? Negated(fraction) : fraction;
}

// |x| = quadrant * pi/2 + rest, where |rest| <= pi/4 and the quadrant is modulo 4.
struct Reduced {
  int quadrant;
  Pair rest;
};

// With |x| = mantissa * 2^e, the reduction uses 192 bits of 2/pi, starting at the one with the
// value 2^(1-e). Earlier bits contribute whole turns, later ones less than 2^53 * 2^-190. No double
// is closer than 2^-62 to a multiple of pi/2 (Muller, Elementary Functions, section 11.2.2), so the
// relative error of the rest is at most 2^-75.
Reduced Reduce(double x) {
  const double magnitude = Absolute(x);
  if (magnitude <= 0.78) return {0, {magnitude, 0}};
  const uint64_t bits = std::bit_cast<uint64_t>(magnitude);
  const uint64_t mantissa = (bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1} << 52);
  const int e = static_cast<int>(bits >> 52) - 1023 - 52;
  const auto position = static_cast<size_t>(e - 2 + 64);
  const Uint128 low = static_cast<Uint128>(mantissa) * TableBits(position + 128);
  const Uint128 middle = static_cast<Uint128>(mantissa) * TableBits(position + 64) + (low >> 64);
  uint64_t words[3] = {static_cast<uint64_t>(low), static_cast<uint64_t>(middle),
                       mantissa * TableBits(position) + static_cast<uint64_t>(middle >> 64)};
  auto quadrant = static_cast<int>(words[2] >> 62);
  words[2] &= 0x3fffffffffffffff;
  if ((words[2] >> 61) != 0) ++quadrant;
  return {quadrant & 3, PairProduct(kHalfPi, SignedFraction(words))};
}

// sin r for |r| <= pi/4: r - r^3 (1/3! - r^2/5! + ...) + tail cos r. The omitted terms are below
// 2^-70 (r^21/21!).
double SinReduced(const Pair& r) {
  const double square = r.head * r.head;
  const double cube = r.head * square * Series(kSignedFactorial, square, 3, 19, 2);
  return r.head + (r.tail * (1 - square / 2) + cube);
}

// cos r = 1 - r^2/2 + (r^4 (1/4! - r^2/6! + ...) - tail r). The omitted terms are below 2^-70
// (r^22/22!).
double CosReduced(const Pair& r) {
  const double square = r.head * r.head;
  const double fourth = square * square * Series(kSignedFactorial, square, 4, 20, 2);
  const Pair sum = FastTwoSum(1, -square / 2);
  return sum.head + (sum.tail + (fourth - r.tail * r.head));
}

// atan(i / 8).
constexpr Pair kAtan[] = {{0, 0},
                          {0x1.fd5ba9aac2f6ep-4, -0x1.cd37686760c17p-59},
                          {0x1.f5b75f92c80ddp-3, 0x1.8ab6e3cf7afbdp-57},
                          {0x1.6f61941e4def1p-2, -0x1.c63aae6f6e918p-56},
                          {0x1.dac670561bb4fp-2, 0x1.a2b7f222f65e2p-56},
                          {0x1.1e00babdefeb4p-1, -0x1.928df287a668fp-58},
                          {0x1.4978fa3269ee1p-1, 0x1.2419a87f2a458p-56},
                          {0x1.700a7c5784634p-1, -0x1.8c34d25aadef6p-56},
                          {0x1.921fb54442d18p-1, 0x1.1a62633145c07p-55}};

// atan x for x in [0, 1]: atan c + atan t, where c = i / 8 is the nearest and t = (x - c) / (1 + x
// c), |t| <= 1/16. The series is t - t^3/3 + ... - t^15/15; the omitted terms are below t^17/17 <
// 2^-70 (relative: t^16/17).
Pair AtanUnit(double x) {
  const auto i = static_cast<size_t>(x * 8 + 0.5);
  const double c = static_cast<double>(i) / 8;
  const double t = i == 0 ? x : (x - c) / (1 + x * c);
  const double square = t * t;
  const double sum = Series(kInverse, -square, 3, 15, 2);
  const Pair whole = TwoSum(kAtan[i].head, t);
  return {whole.head, whole.tail + (kAtan[i].tail - t * square * sum)};
}

}  // namespace

double Sin(double x) {
  if (!IsFinite(x)) return kNan;
  if (Absolute(x) < 0x1p-27) return x;
  const Reduced reduced = Reduce(x);
  const double value =
      (reduced.quadrant & 1) != 0 ? CosReduced(reduced.rest) : SinReduced(reduced.rest);
  return (reduced.quadrant >= 2) != HasSign(x) ? -value : value;
}

double Cos(double x) {
  if (!IsFinite(x)) return kNan;
  const Reduced reduced = Reduce(x);
  const double value =
      (reduced.quadrant & 1) != 0 ? SinReduced(reduced.rest) : CosReduced(reduced.rest);
  return reduced.quadrant == 1 || reduced.quadrant == 2 ? -value : value;
}

double Tan(double x) {
  if (!IsFinite(x)) return kNan;
  if (Absolute(x) < 0x1p-27) return x;
  const Reduced reduced = Reduce(x);
  const double sine = SinReduced(reduced.rest);
  const double cosine = CosReduced(reduced.rest);
  const double value = (reduced.quadrant & 1) != 0 ? -cosine / sine : sine / cosine;
  return HasSign(x) ? -value : value;
}

double Atan(double x) {
  if (IsNan(x)) return kNan;
  return Atan2(x, 1);
}

double Atan2(double y, double x) {
  if (IsNan(x) || IsNan(y)) return kNan;
  const double height = Absolute(y);
  const double base = Absolute(x);
  Pair angle{};
  if (height == 0 && base == 0) {
    angle = {0, 0};
  } else if (height == base) {  // also infinities
    angle = kAtan[8];
  } else if (height < base) {
    angle = AtanUnit(height / base);
  } else {
    angle = PairSum(kHalfPi, Negated(AtanUnit(base / height)));
  }
  if (HasSign(x)) angle = PairSum({2 * kHalfPi.head, 2 * kHalfPi.tail}, Negated(angle));
  return WithSignOf(angle.Value(), y);
}

// sqrt(1 - x^2) as sqrt((1 - x) (1 + x)), which does not cancel because one factor is exact.
double Asin(double x) {
  if (IsNan(x) || Absolute(x) > 1) return kNan;
  if (Absolute(x) < 0x1p-27) return x;
  return Atan2(x, std::sqrt((1 - x) * (1 + x)));
}

double Acos(double x) {
  if (IsNan(x) || Absolute(x) > 1) return kNan;
  return Atan2(std::sqrt((1 - x) * (1 + x)), x);
}

}  // namespace math
}  // namespace interp
}  // namespace refract
