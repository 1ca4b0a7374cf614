// SPDX-License-Identifier: Apache-2.0
#include "values.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "base/text.h"

namespace refract {
namespace {

// All positive finite halves in order, as doubles.
const std::vector<double>& Halves() {
  static const std::vector<double> halves = [] {
    std::vector<double> values;
    for (int bits = 0; bits < 0x7c00; ++bits) {
      const int exponent = bits >> 10, fraction = bits & 0x3ff;
      values.push_back(exponent == 0 ? std::ldexp(fraction, -24)
                                     : std::ldexp(1024 + fraction, exponent - 25));
    }
    return values;
  }();
  return halves;
}

uint64_t EncodeHalf(double value) {
  const uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::fabs(value);
  if (std::isnan(value)) return 0x7e00;
  if (size >= 65520) return sign | 0x7c00;
  const std::vector<double>& halves = Halves();
  const auto above = std::lower_bound(halves.begin(), halves.end(), size);
  const auto place = static_cast<uint64_t>(above - halves.begin());
  if (above == halves.end()) return sign | 0x7bff;
  if (*above == size || place == 0) return sign | place;
  const double up = *above - size, down = size - halves[place - 1];
  const bool round_up = up < down || (up == down && place % 2 == 0);
  return sign | (round_up ? place : place - 1);
}

}  // namespace

std::string TableType::Name() const {
  const std::string scalar = kind == 'b' ? "b" : format("{}{}", kind, width);
  if (columns > 1) return format("m{}x{}{}", columns, rows, scalar);
  return rows > 1 ? format("v{}{}", rows, scalar) : scalar;
}

TableType ParseType(std::string_view text) {
  TableType type;
  if (text.starts_with("m")) {
    type.columns = text[1] - '0';
    type.rows = text[3] - '0';
    text.remove_prefix(4);
  } else if (text.starts_with("v")) {
    type.rows = text[1] - '0';
    text.remove_prefix(2);
  }
  type.kind = text[0];
  type.width = type.kind == 'b' ? 1 : std::stoi(std::string(text.substr(1)));
  CHECK(type.rows >= 1 && type.rows <= 4 && type.columns >= 1 && type.columns <= 4);
  return type;
}

uint64_t Masked(uint64_t bits, int width) {
  return width == 64 ? bits : bits & ((uint64_t{1} << width) - 1);
}

int64_t SignExtended(uint64_t bits, int width) {
  const int unused = 64 - width;
  return static_cast<int64_t>(bits << unused) >> unused;
}

double DecodeFloat(uint64_t bits, int width) {
  if (width == 64) return std::bit_cast<double>(bits);
  if (width == 32) return static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(bits)));
  const uint64_t size = bits & 0x7fff;
  double value = std::numeric_limits<double>::quiet_NaN();
  if (size == 0x7c00) value = std::numeric_limits<double>::infinity();
  if (size < 0x7c00) value = Halves()[size];
  return (bits & 0x8000) != 0 ? -value : value;
}

uint64_t EncodeFloat(double value, int width) {
  if (width == 64) return std::bit_cast<uint64_t>(value);
  if (width == 32) return std::bit_cast<uint32_t>(static_cast<float>(value));
  return EncodeHalf(value);
}

double GapAt(double value, int width) {
  const int precision = width == 16 ? 11 : width == 32 ? 24 : 53;
  const int lowest = width == 16 ? -24 : width == 32 ? -149 : -1074;
  if (value == 0 || !std::isfinite(value)) return std::ldexp(1, lowest);
  return std::ldexp(1, std::max(std::ilogb(value) - precision + 1, lowest));
}

Bits IntegerExtremes(int width) {
  Bits values;
  for (const int64_t value : {0, 1, 2, 3, 7, -1, -2, -3, -10}) {
    values.push_back(Masked(static_cast<uint64_t>(value), width));
  }
  const uint64_t top = uint64_t{1} << (width - 1);
  for (const uint64_t value : {top, top - 1, top + 1, uint64_t{1} << (width / 2)}) {
    values.push_back(Masked(value, width));
  }
  values.push_back(Masked(0x5a5a5a5a5a5a5a5a, width));
  return values;
}

Bits FewIntegers(int width) {
  const uint64_t top = uint64_t{1} << (width - 1);
  return {0, 1, Masked(~uint64_t{0}, width), top, top - 1, Masked(0x6b5a4c3d2e1f7081, width)};
}

Bits FloatsOf(const std::vector<double>& values, int width) {
  Bits bits;
  for (const double value : values) bits.push_back(EncodeFloat(value, width));
  return bits;
}

Bits FloatExtremes(int width) {
  Bits bits = FloatsOf(
      {0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, 0.1, -7.25, 1000.0, -0.99}, width);
  const int max_exponent = width == 16 ? 15 : width == 32 ? 127 : 1023;
  const int precision = width == 16 ? 11 : width == 32 ? 24 : 53;
  const double max = std::ldexp(2 - std::ldexp(1, 1 - precision), max_exponent);
  for (const double value :
       {max, -max, std::ldexp(1, 1 - max_exponent), std::ldexp(1, -max_exponent),
        std::ldexp(1, 2 - max_exponent - precision), std::ldexp(1, precision) - 1}) {
    bits.push_back(EncodeFloat(value, width));
  }
  return bits;
}

Bits PlainFloats(int width) {
  return FloatsOf({0, 1, -1, 2, -3, 0.5, -0.25, 1.0 / 3, 10, 0.7, -1.75}, width);
}

Bits Extremes(const TableType& type) {
  if (type.kind == 'b') return {0, 1};
  return type.is_float() ? FloatExtremes(type.width) : IntegerExtremes(type.width);
}

std::vector<Bits> Cross(const std::vector<Bits>& lists) {
  std::vector<Bits> tuples = {{}};
  for (const Bits& list : lists) {
    std::vector<Bits> longer;
    for (const Bits& tuple : tuples) {
      for (const uint64_t value : list) {
        longer.push_back(tuple);
        longer.back().push_back(value);
      }
    }
    tuples = std::move(longer);
  }
  return tuples;
}

}  // namespace refract
