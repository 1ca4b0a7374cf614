// SPDX-License-Identifier: Apache-2.0
// Scalars between their bits and their decimal text, of every width inputs may have.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace refract::inline input {

/// Nearest IEEE value of 16, 32 or 64 bits to the decimal `text`, ties to even. False if it is not
/// a number or too large for the width; what is too small becomes zero or a denormal.
bool ParseFloat(std::string_view text, uint32_t width, uint64_t* bits);

/// The shortest decimal text that ParseFloat reads back; has a point or an exponent. Finite only.
std::string FloatText(uint64_t bits, uint32_t width);

/// Neither infinite nor NaN.
bool IsFinite(uint64_t bits, uint32_t width);

/// The value of 16-bit `half`, exactly.
float HalfToFloat(uint16_t half);

}  // namespace refract::inline input
