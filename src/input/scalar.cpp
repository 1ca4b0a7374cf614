// SPDX-License-Identifier: Apache-2.0
#include "input/scalar.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "base/check.h"
#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

constexpr double kHalfMax = 65504;
constexpr double kHalfUlpAtMax = 32;

// Rounds to a multiple of 2^exponent, ties to even. The quotient must have less than 53 bits.
double RoundToMultiple(double value, int exponent) {
  const double scaled = std::ldexp(value, -exponent);
  double floor = std::floor(scaled);
  const double rest = scaled - floor;
  if (rest > 0.5 || (rest == 0.5 && std::fmod(floor, 2) != 0)) floor += 1;
  return std::ldexp(floor, exponent);
}

// Rounds a double, which is the nearest one to a decimal, to a half. A decimal of more than 17
// digits close to the middle between two halves may be rounded twice, with an error of half a unit
// in 2^42.
bool DoubleToHalf(double value, uint64_t* bits) {
  const double magnitude = std::fabs(value);
  if (magnitude >= kHalfMax + kHalfUlpAtMax / 2) return false;
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  int exponent = 0;
  std::frexp(magnitude, &exponent);  // magnitude = [0.5, 1) * 2^exponent
  const int ulp = exponent - 11 < -24 ? -24 : exponent - 11;
  const double rounded = RoundToMultiple(magnitude, ulp);
  if (rounded > kHalfMax) return false;
  // The bits of a half count its values from zero upwards: denormals first, then 1024 for each
  // exponent.
  if (rounded < std::ldexp(1.0, -14)) {
    *bits = sign | static_cast<uint64_t>(std::ldexp(rounded, 24));
    return true;
  }
  std::frexp(rounded, &exponent);
  const uint64_t mantissa = static_cast<uint64_t>(std::ldexp(rounded, 11 - exponent)) - 1024;
  *bits = sign | static_cast<uint64_t>(exponent + 14) << 10 | mantissa;
  return true;
}

template <class Float>
bool Parse(std::string_view text, Float* value) {
  const char* end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, *value);
  if (parsed != end || error == std::errc::invalid_argument) return false;
  if (error == std::errc::result_out_of_range) {
    const double wide = std::strtod(std::string(text).c_str(), nullptr);
    if (std::fabs(wide) > 1) return false;
    *value = static_cast<Float>(wide);  // if it is too small, this is zero
  }
  return std::isfinite(*value);
}

template <class Float>
std::string Shortest(Float value) {
  char buffer[64];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, value);
  CHECK(error == std::errc());
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

}  // namespace

bool ParseFloat(std::string_view text, uint32_t width, uint64_t* bits) {
  if (width == 32) {
    float value = 0;
    if (!Parse(text, &value)) return false;
    *bits = std::bit_cast<uint32_t>(value);
    return true;
  }
  double value = 0;
  if (!Parse(text, &value)) return false;
  if (width == 16) return DoubleToHalf(value, bits);
  *bits = std::bit_cast<uint64_t>(value);
  return true;
}

std::string FloatText(uint64_t bits, uint32_t width) {
  CHECK(IsFinite(bits, width));
  if (width == 64) return Shortest(std::bit_cast<double>(bits));
  if (width == 32) return Shortest(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  return Shortest(HalfToFloat(static_cast<uint16_t>(bits)));
}

bool IsFinite(uint64_t bits, uint32_t width) {
  const uint64_t mask = width == 64 ? 0x7ff0000000000000u : width == 32 ? 0x7f800000u : 0x7c00u;
  return (bits & mask) != mask;
}

float HalfToFloat(uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  float value = 0;
  if (exponent == 31) {
    value = mantissa == 0 ? INFINITY : NAN;
  } else if (exponent == 0) {
    value = std::ldexp(static_cast<float>(mantissa), -24);
  } else {
    value = std::ldexp(static_cast<float>(mantissa + 1024), exponent - 25);
  }
  return (half & 0x8000) != 0 ? -value : value;
}

}  // namespace input
}  // namespace refract
