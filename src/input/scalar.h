// SPDX-License-Identifier: Apache-2.0
// Converts scalars of every width that inputs may have between bits and decimal text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract {
inline namespace input {

/// The IEEE value of 16, 32 or 64 bits nearest to the decimal `text`, ties to even. False if `text`
/// is not a number or is too large for the width. Small values become denormals or zero.
bool ParseFloat(std::string_view text, uint32_t width, uint64_t* bits);

/// The shortest decimal text that ParseFloat converts back; it has a point or an exponent. Only for
/// finite values.
std::string FloatText(uint64_t bits, uint32_t width);

/// True if the value is neither infinite nor NaN.
bool IsFinite(uint64_t bits, uint32_t width);

/// The exact value of a 16-bit float.
float HalfToFloat(uint16_t half);

}  // namespace input
}  // namespace refract
