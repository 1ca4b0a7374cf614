// SPDX-License-Identifier: Apache-2.0
// The packing and bit-searching instructions of GLSL.std.450 on plain numbers. Comments say where
// the specification leaves the result open.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "interp/math/float_formats.h"

namespace refract {
inline namespace interp {
namespace math {

struct Packed {
  uint32_t bits = 0;
  /// Another result is also allowed: the product before rounding may be rounded in either
  /// direction, and so may halves and values that a half cannot represent; or a component is NaN.
  bool ambiguous = false;
};

/// The components are floats; component 0 is in the lowest bits.
Packed PackSnorm4x8(std::span<const double, 4> v);
Packed PackUnorm4x8(std::span<const double, 4> v);
Packed PackSnorm2x16(std::span<const double, 2> v);
Packed PackUnorm2x16(std::span<const double, 2> v);
Packed PackHalf2x16(std::span<const double, 2> v, Rounding rounding = Rounding::kNearestEven);

/// Divisions, rounded to float. AllowedError(FloatOp::kDiv, 32, ...) gives their error.
std::array<double, 4> UnpackSnorm4x8(uint32_t bits);
std::array<double, 4> UnpackUnorm4x8(uint32_t bits);
std::array<double, 2> UnpackSnorm2x16(uint32_t bits);
std::array<double, 2> UnpackUnorm2x16(uint32_t bits);
/// Exact, but denormals may be flushed.
std::array<double, 2> UnpackHalf2x16(uint32_t bits);

/// The index of the lowest set bit; -1 for zero.
int32_t FindILsb(uint32_t value);
/// The index of the highest set bit; -1 for zero.
int32_t FindUMsb(uint32_t value);
/// The index of the highest bit that differs from the sign bit; -1 for 0 and -1.
int32_t FindSMsb(int32_t value);

}  // namespace math
}  // namespace interp
}  // namespace refract
