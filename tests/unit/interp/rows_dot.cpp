// SPDX-License-Identifier: Apache-2.0
// Integer dot products, packed or not, with and without accumulation that saturates.
#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

using Wide = __int128;
using Unsigned = unsigned __int128;

struct Dot {
  std::string name;  // OpSDot, OpUDot, OpSUDot
  bool signed_a, signed_b;
};

// "If any of the multiplications or additions, with the exception of the final accumulation,
// overflow or underflow, the result of the instruction is undefined."
Want Value(const Dot& dot, const std::vector<uint64_t>& a, const std::vector<uint64_t>& b, int from,
           int to, const uint64_t* accumulator) {
  const auto part = [from](uint64_t bits, bool is_signed) {
    return is_signed ? Wide{SignExtended(bits, from)} : Wide{bits};
  };
  const Wide low = dot.signed_a ? -(Wide{1} << (to - 1)) : 0;
  const Wide high = (Wide{1} << (dot.signed_a ? to - 1 : to)) - 1;
  const auto fits = [&](Wide value) { return value >= low && value <= high; };
  Wide sum = 0;
  bool lost = false;
  for (size_t i = 0; i < a.size(); ++i) {
    // What is too large for 128 bits with a sign comes out negative, which does not fit either.
    const auto x = static_cast<Unsigned>(part(a[i], dot.signed_a));
    const auto product = static_cast<Wide>(x * static_cast<Unsigned>(part(b[i], dot.signed_b)));
    sum = static_cast<Wide>(static_cast<Unsigned>(sum) + static_cast<Unsigned>(product));
    lost = lost || !fits(product) || !fits(sum);
  }
  if (accumulator != nullptr) {
    if (lost) return Want::Undefined();
    sum += dot.signed_a ? Wide{SignExtended(*accumulator, to)} : Wide{*accumulator};
    sum = sum < low ? low : sum > high ? high : sum;
  }
  return Want::Value({Masked(static_cast<uint64_t>(sum), to)});
}

TableRow Base(const Dot& dot, bool saturates) {
  TableRow row;
  row.instruction = dot.name + (saturates ? "AccSat" : "");
  row.capabilities =
      "OpCapability DotProduct\nOpCapability DotProductInputAll\n"
      "OpCapability DotProductInput4x8Bit\n"
      "OpCapability DotProductInput4x8BitPacked\n"
      "OpExtension \"SPV_KHR_integer_dot_product\"\n";
  row.exact = true;
  return row;
}

void AddVectors(const Dot& dot, bool saturates, int from, int to, size_t n,
                std::vector<TableRow>* rows) {
  TableRow row = Base(dot, saturates);
  const auto type = [n](bool is_signed, int width) {
    return format("v{}{}{}", n, is_signed ? 'i' : 'u', width);
  };
  row.result = format("{}{}", dot.signed_a ? 'i' : 'u', to);
  row.operands = {type(dot.signed_a, from), type(dot.signed_b, from)};
  if (saturates) row.operands.push_back(row.result);
  const Bits values = IntegerExtremes(from), sums = FewIntegers(to);
  for (size_t round = 0; round < 2 * values.size(); ++round) {
    Bits tuple;
    for (size_t i = 0; i < 2 * n; ++i) {
      tuple.push_back(values[(round * (1 + i % 3) + i * i) % values.size()]);
    }
    if (saturates) tuple.push_back(sums[round % sums.size()]);
    row.tuples.push_back(std::move(tuple));
  }
  row.want = [=](const Bits& in) {
    const auto half = in.begin() + static_cast<ptrdiff_t>(n);
    return Value(dot, Bits(in.begin(), half), Bits(half, half + static_cast<ptrdiff_t>(n)), from,
                 to, saturates ? &in.back() : nullptr);
  };
  rows->push_back(std::move(row));
}

void AddPacked(const Dot& dot, bool saturates, std::vector<TableRow>* rows) {
  TableRow row = Base(dot, saturates);
  row.result = dot.signed_a ? "i32" : "u32";
  row.operands = {"u32", "u32"};
  if (saturates) row.operands.push_back(row.result);
  const Bits words = {0, 0xffffffff, 0x80808080, 0x7f7f7f7f, 0x80017fff, 0x12345678};
  row.tuples = saturates ? Cross({words, words, {0, 0x7fffffff, 0x80000000, 0xffffff00}})
                         : Cross({words, words});
  row.body = format("$r = {} %{} $0 $1{} PackedVectorFormat4x8Bit", row.instruction, row.result,
                    saturates ? " $2" : "");
  row.want = [=](const Bits& in) {
    std::vector<Bits> parts(2);
    for (size_t i = 0; i < 2; ++i) {
      for (int k = 0; k < 4; ++k) parts[i].push_back(in[i] >> (8 * k) & 0xff);
    }
    return Value(dot, parts[0], parts[1], 8, 32, saturates ? &in[2] : nullptr);
  };
  rows->push_back(std::move(row));
}

}  // namespace

std::vector<TableRow> DotRows() {
  std::vector<TableRow> rows;
  for (const Dot& dot :
       {Dot{"OpSDot", true, true}, Dot{"OpUDot", false, false}, Dot{"OpSUDot", true, false}}) {
    for (const bool saturates : {false, true}) {
      AddVectors(dot, saturates, 8, 32, 4, &rows);
      AddVectors(dot, saturates, 8, 8, 4, &rows);
      AddVectors(dot, saturates, 16, 32, 2, &rows);
      AddVectors(dot, saturates, 32, 32, 3, &rows);
      AddVectors(dot, saturates, 32, 64, 2, &rows);
      AddVectors(dot, saturates, 64, 64, 2, &rows);
      AddPacked(dot, saturates, &rows);
    }
  }
  return rows;
}

}  // namespace refract
