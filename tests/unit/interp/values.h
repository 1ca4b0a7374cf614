// SPDX-License-Identifier: Apache-2.0
// Types and values of the tables of instructions: a type is written "u8", "i64", "f16", "b",
// "v3f32" or "m3x2f32" (three columns of two), a value is its scalars' bits one after the other.
// What is computed here asks nothing of the interpreter, so that it can be its witness.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace refract {

struct TableType {
  char kind = 'u';  ///< u, i, f or b
  int width = 32;   ///< of a scalar; 1 of booleans
  int rows = 1;     ///< components of a vector or column
  int columns = 1;

  size_t scalars() const { return static_cast<size_t>(rows) * static_cast<size_t>(columns); }
  size_t words() const { return scalars() * (width == 64 ? 2 : 1); }
  bool is_float() const { return kind == 'f'; }
  TableType Scalar() const { return {kind, width, 1, 1}; }
  TableType Column() const { return {kind, width, rows, 1}; }
  std::string Name() const;  ///< as it is written; with a % before it, its id
};
TableType ParseType(std::string_view text);

/// Scalars' bits.
using Bits = std::vector<uint64_t>;

uint64_t Masked(uint64_t bits, int width);
int64_t SignExtended(uint64_t bits, int width);

double DecodeFloat(uint64_t bits, int width);
/// Rounded to nearest even.
uint64_t EncodeFloat(double value, int width);
/// The next larger and smaller numbers' distance, the larger of the two.
double GapAt(double value, int width);

/// Values that are likely to go wrong.
Bits IntegerExtremes(int width);
Bits FewIntegers(int width);
/// No NaN, no infinity; with zeros of both signs, denormals, halves, the largest.
Bits FloatExtremes(int width);
/// Of everyday size: small whole numbers, halves, thirds.
Bits PlainFloats(int width);
Bits FloatsOf(const std::vector<double>& values, int width);
Bits Extremes(const TableType& type);

/// All combinations of a scalar of each list.
std::vector<Bits> Cross(const std::vector<Bits>& lists);

}  // namespace refract
