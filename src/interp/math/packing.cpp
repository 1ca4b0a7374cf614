// SPDX-License-Identifier: Apache-2.0
#include "interp/math/packing.h"

#include <algorithm>
#include <bit>
#include <cstddef>

#include "interp/math/rounded_arithmetic.h"
#include "interp/math/rounding.h"

namespace refract {
inline namespace interp {
namespace math {
namespace {

// round(clamp(c, low, 1) * scale) for each component, in fields of equal width.
template <size_t kCount>
Packed PackNormalised(std::span<const double, kCount> v, double low, double scale) {
  constexpr uint32_t kWidth = 32 / kCount;
  constexpr uint32_t kMask = (uint32_t{1} << kWidth) - 1;
  Packed packed;
  for (size_t i = 0; i < kCount; ++i) {
    if (IsNan(v[i])) {
      packed.ambiguous = true;
      continue;
    }
    const double product = std::clamp(v[i], low, 1.0) * scale;  // exact: 24 + 16 bits
    const auto whole = static_cast<int32_t>(RoundEven(product));
    packed.bits |= (static_cast<uint32_t>(whole) & kMask) << (kWidth * i);
    // An implementation may round the product to the float below or above, and then halves in
    // either direction.
    const double below = IsRepresentable(product, 32) ? product : NextDown(product, 32);
    const double above = IsRepresentable(product, 32) ? product : NextUp(product, 32);
    if (Round(below).down != Round(above).up) packed.ambiguous = true;
  }
  return packed;
}

// clamp(field / scale, -1, 1); the fields are signed if `is_signed`.
template <size_t kCount>
std::array<double, kCount> UnpackNormalised(uint32_t bits, bool is_signed, double scale) {
  constexpr uint32_t kWidth = 32 / kCount;
  constexpr uint32_t kMask = (uint32_t{1} << kWidth) - 1;
  std::array<double, kCount> v{};
  for (size_t i = 0; i < kCount; ++i) {
    const uint32_t field = (bits >> (kWidth * i)) & kMask;
    const bool negative = is_signed && (field >> (kWidth - 1)) != 0;
    const double value = negative ? static_cast<double>(field) - kMask - 1 : field;
    v[i] = std::max(Div(value, scale, 32), -1.0);
  }
  return v;
}

}  // namespace

Packed PackSnorm4x8(std::span<const double, 4> v) {
  return PackNormalised(v, -1, 127);
}
Packed PackUnorm4x8(std::span<const double, 4> v) {
  return PackNormalised(v, 0, 255);
}
Packed PackSnorm2x16(std::span<const double, 2> v) {
  return PackNormalised(v, -1, 32767);
}
Packed PackUnorm2x16(std::span<const double, 2> v) {
  return PackNormalised(v, 0, 65535);
}

Packed PackHalf2x16(std::span<const double, 2> v, Rounding rounding) {
  Packed packed;
  for (size_t i = 0; i < 2; ++i) {
    packed.bits |= static_cast<uint32_t>(HalfFromDouble(v[i], rounding)) << (16 * i);
    packed.ambiguous = packed.ambiguous || IsNan(v[i]) || !IsRepresentable(v[i], 16);
  }
  return packed;
}

std::array<double, 4> UnpackSnorm4x8(uint32_t bits) {
  return UnpackNormalised<4>(bits, true, 127);
}
std::array<double, 4> UnpackUnorm4x8(uint32_t bits) {
  return UnpackNormalised<4>(bits, false, 255);
}
std::array<double, 2> UnpackSnorm2x16(uint32_t bits) {
  return UnpackNormalised<2>(bits, true, 32767);
}
std::array<double, 2> UnpackUnorm2x16(uint32_t bits) {
  return UnpackNormalised<2>(bits, false, 65535);
}
std::array<double, 2> UnpackHalf2x16(uint32_t bits) {
  return {DoubleFromHalf(static_cast<uint16_t>(bits & 0xffff)),
          DoubleFromHalf(static_cast<uint16_t>(bits >> 16))};
}

int32_t FindILsb(uint32_t value) {
  return value == 0 ? -1 : std::countr_zero(value);
}
int32_t FindUMsb(uint32_t value) {
  return 31 - std::countl_zero(value);
}
int32_t FindSMsb(int32_t value) {
  return FindUMsb(static_cast<uint32_t>(value < 0 ? ~value : value));
}

}  // namespace math
}  // namespace interp
}  // namespace refract
