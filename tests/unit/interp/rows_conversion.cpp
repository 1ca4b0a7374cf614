// SPDX-License-Identifier: Apache-2.0
// Conversions between all widths of integers and floats, and bit casts.
#include <cmath>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

using math::FloatOp;

class Conversions {
 public:
  std::vector<TableRow> Rows() {
    Integers();
    for (const int width : {16, 32, 64}) {
      for (const int bits : {8, 16, 32, 64}) {
        for (const bool is_signed : {false, true}) {
          FromInteger(bits, width, is_signed);
          ToInteger(width, bits, is_signed);
        }
      }
      for (const int to : {16, 32, 64}) {
        if (to != width) Floats(width, to);
      }
    }
    Quantize();
    Casts();
    return std::move(rows_);
  }

 private:
  TableRow& Add(const std::string& instruction, const std::string& result,
                const std::string& operand, std::vector<Bits> tuples,
                std::function<Want(const Bits&)> want) {
    TableRow row;
    row.instruction = instruction;
    row.result = result;
    row.operands = {operand};
    row.tuples = std::move(tuples);
    row.want = std::move(want);
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  void Integers() {
    for (const int from : {8, 16, 32, 64}) {
      for (const int to : {8, 16, 32, 64}) {
        if (from == to) continue;
        TableRow& plain = Add("OpUConvert", format("u{}", to), format("u{}", from),
                              Cross({IntegerExtremes(from)}),
                              [to](const Bits& in) { return Want::Value({Masked(in[0], to)}); });
        plain.exact = plain.by_component = true;
        TableRow& sign = Add("OpSConvert", format("i{}", to), format("i{}", from),
                             Cross({IntegerExtremes(from)}), [from, to](const Bits& in) {
                               const int64_t value = SignExtended(in[0], from);
                               return Want::Value({Masked(static_cast<uint64_t>(value), to)});
                             });
        sign.exact = sign.by_component = true;
      }
    }
  }

  void FromInteger(int bits, int width, bool is_signed) {
    Bits values = IntegerExtremes(bits);
    for (const uint64_t value : {0x1000001ull, 0x1000003ull, 2049ull, 2051ull, 65519ull, 65520ull,
                                 0x20000000000001ull, 0x20000000000003ull, 0x8000008000000001ull}) {
      values.push_back(Masked(value, bits));
    }
    TableRow& row =
        Add(is_signed ? "OpConvertSToF" : "OpConvertUToF", format("f{}", width),
            format("{}{}", is_signed ? 'i' : 'u', bits), Cross({values}), [=](const Bits& in) {
              const int64_t value = SignExtended(in[0], bits);
              uint64_t to = 0;
              if (width == 32) {
                to = EncodeFloat(static_cast<double>(is_signed ? static_cast<float>(value)
                                                               : static_cast<float>(in[0])),
                                 32);
              } else {  // halves are coarser than what double loses
                to = EncodeFloat(
                    is_signed ? static_cast<double>(value) : static_cast<double>(in[0]), width);
              }
              if (!std::isfinite(DecodeFloat(to, width))) return Want();
              return Want::Value({to});
            });
    row.by_component = true;
    row.allowed = [=](const Bits& in, size_t) {
      const double value =
          is_signed ? static_cast<double>(SignExtended(in[0], bits)) : static_cast<double>(in[0]);
      const double gap = 1.01 * GapAt(value, width);
      if (std::fabs(value) > 65504 && width == 16) return math::Range::Anything();
      return math::Range{value - gap, value + gap};
    };
  }

  void ToInteger(int width, int bits, bool is_signed) {
    Bits values = FloatExtremes(width);
    for (const int exponent : {7, 8, 15, 16, 31, 32, 63, 64}) {
      const double power = std::ldexp(1, exponent);
      for (const double value : {power, -power, power - 1, -power - 1, power / 2 + 0.5}) {
        const uint64_t encoded = EncodeFloat(value, width);
        if (std::isfinite(DecodeFloat(encoded, width))) values.push_back(encoded);
      }
    }
    TableRow& row = Add(
        is_signed ? "OpConvertFToS" : "OpConvertFToU", format("{}{}", is_signed ? 'i' : 'u', bits),
        format("f{}", width), Cross({values}), [=](const Bits& in) {
          const double whole = std::trunc(DecodeFloat(in[0], width));
          const double low = is_signed ? -std::ldexp(1, bits - 1) : 0;
          const double high = std::ldexp(1, is_signed ? bits - 1 : bits);
          if (!(whole >= low && whole < high)) return Want::Undefined();
          const uint64_t to = whole < 0 ? static_cast<uint64_t>(static_cast<int64_t>(whole))
                                        : static_cast<uint64_t>(whole);
          return Want::Value({Masked(to, bits)});
        });
    row.by_component = true;
    row.exact = true;
  }

  void Floats(int from, int to) {
    Bits values = FloatExtremes(from);
    const Bits more = FloatsOf({2049, 2051, 65504, 65519, 1e-5, 6e-8, 1e-40, 1 + 0x1p-12,
                                1 + 0x1p-11, 1 + 3 * 0x1p-11, 1 + 0x1p-24, 1 + 3 * 0x1p-24},
                               from);
    values.insert(values.end(), more.begin(), more.end());
    TableRow& row = Add("OpFConvert", format("f{}", to), format("f{}", from), Cross({values}),
                        [from, to](const Bits& in) {
                          const double value = DecodeFloat(in[0], from);
                          const uint64_t bits = EncodeFloat(value, to);
                          if (!std::isfinite(value) || !std::isfinite(DecodeFloat(bits, to))) {
                            return Want();
                          }
                          return Want::Value({bits});
                        });
    row.by_component = true;
    row.allowed = [=](const Bits& in, size_t) {
      const double value = DecodeFloat(in[0], from);
      // Of denormals of the operand, too, zero may be read.
      return math::Hull(math::PermittedRange(FloatOp::kConvert, to, value),
                        std::fabs(value) < (from == 16   ? 0x1p-14
                                            : from == 32 ? 0x1p-126
                                                         : 0x1p-1022)
                            ? math::Range::Exactly(0)
                            : math::PermittedRange(FloatOp::kConvert, to, value));
    };
  }

  void Quantize() {
    const Bits values =
        FloatsOf({0.0,     -0.0,       1,      0.1,   -0.3,        2049,           2051,
                  65504,   65519,      -65519, 65520, 1e6,         -1e30,          0x1p-14,
                  0x1p-15, -0x1.8p-16, 1e-20,  1e-40, 1 + 0x1p-11, 1 + 3 * 0x1p-11},
                 32);
    TableRow& row = Add("OpQuantizeToF16", "f32", "f32", Cross({values}), [](const Bits& in) {
      const double value = DecodeFloat(in[0], 32);
      if (std::fabs(value) < 0x1p-14) return Want::Value({EncodeFloat(value * 0, 32)});
      const double half = DecodeFloat(EncodeFloat(value, 16), 16);
      if (!std::isfinite(half)) return Want();
      return Want::Value({EncodeFloat(half, 32)});
    });
    row.by_component = true;
    row.allowed = [](const Bits& in, size_t) {
      const double value = DecodeFloat(in[0], 32), gap = GapAt(value, 16);
      if (std::fabs(value) > 65504) return math::Range::Anything();
      if (std::fabs(value) < 0x1p-14) return math::Range::Exactly(0);
      return math::Range{value - gap, value + gap};
    };
  }

  // Bits stay where they are, the first component lowest.
  void Casts() {
    const std::vector<std::pair<std::string, std::string>> casts = {
        {"i32", "u32"},     {"u32", "i32"},     {"f32", "u32"},    {"u32", "f32"},
        {"f32", "i32"},     {"i8", "u8"},       {"f16", "u16"},    {"i16", "f16"},
        {"f64", "u64"},     {"i64", "f64"},     {"v2u32", "u64"},  {"u64", "v2u32"},
        {"f64", "v2u32"},   {"v2f32", "u64"},   {"v2u16", "u32"},  {"u32", "v2u16"},
        {"f32", "v2f16"},   {"v4u8", "u32"},    {"v4u16", "u64"},  {"u64", "v4u16"},
        {"v3u32", "v3f32"}, {"v4f32", "v2u64"}, {"v2f64", "v4u32"}};
    for (const auto& [to, from] : casts) {
      const TableType source = ParseType(from), target = ParseType(to);
      const Bits pattern = {0x3f9d70a43f800000, 0x4008f5c23c003555, 0x7654321076543210,
                            0x4080c0e0bfd12345};
      std::vector<Bits> tuples;
      for (size_t i = 0; i < pattern.size(); ++i) {
        Bits tuple;
        for (size_t k = 0; k < source.scalars(); ++k) {
          tuple.push_back(Masked(pattern[(i + k) % 4] >> (8 * (k % 2)), source.width));
        }
        tuples.push_back(std::move(tuple));
      }
      TableRow& row = Add("OpBitcast", to, from, tuples, [source, target](const Bits& in) {
        const auto bit = [&](size_t at) {
          const auto width = static_cast<size_t>(source.width);
          return in[at / width] >> (at % width) & 1;
        };
        Want want = Want::Value({});
        for (size_t i = 0; i < target.scalars(); ++i) {
          uint64_t bits = 0;
          for (int k = 0; k < target.width; ++k) {
            bits |= bit(i * static_cast<size_t>(target.width) + static_cast<size_t>(k)) << k;
          }
          want.bits.push_back(bits);
        }
        return want;
      });
      row.exact = !target.is_float() && !source.is_float();
    }
  }

  std::vector<TableRow> rows_;
};

}  // namespace

std::vector<TableRow> ConversionRows() {
  return Conversions().Rows();
}

}  // namespace refract
