// SPDX-License-Identifier: Apache-2.0
// Integer arithmetic, shifts, bits, bit fields, comparisons, two results (SPIR-V 3.49.13, 3.49.14,
// 3.49.15), each computed again in 128 bits or bit by bit.
#include <bit>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

using Wide = __int128;

struct Number {
  int width = 32;
  int64_t Signed(uint64_t bits) const { return SignExtended(bits, width); }
  uint64_t Cut(uint64_t bits) const { return Masked(bits, width); }
};

class Integers {
 public:
  explicit Integers(int width)
      : width_(width), number_{width}, u_(format("u{}", width)), i_(format("i{}", width)) {}
  std::vector<TableRow> Rows() {
    Arithmetic();
    Divisions();
    Bitwise();
    Shifts();
    Comparisons();
    Extended();
    if (width_ == 32) Fields();  // Vulkan has them of 32 bits only
    if (width_ == 32) Counting();
    return std::move(rows_);
  }

 private:
  TableRow& Add(const std::string& instruction, const std::string& result,
                std::vector<std::string> operands, std::vector<Bits> lists,
                std::function<Want(const Bits&)> want) {
    TableRow row;
    row.instruction = instruction;
    row.result = result;
    row.operands = std::move(operands);
    row.tuples = Cross(lists);
    row.want = std::move(want);
    row.exact = true;
    row.by_component = true;
    rows_.push_back(std::move(row));
    return rows_.back();
  }
  // Of operands of both kinds: what they mean is the instruction's matter.
  template <class F>
  void Binary(const std::string& instruction, F value) {
    const Bits all = IntegerExtremes(width_);
    const auto want = [number = number_, value](const Bits& in) {
      return Want::Value({number.Cut(value(in[0], in[1]))});
    };
    Add(instruction, u_, {u_, u_}, {all, all}, want);
    const Bits few = FewIntegers(width_);
    Add(instruction, i_, {i_, u_}, {few, few}, want);
    Add(instruction, i_, {i_, i_}, {few, few}, want);
  }

  void Arithmetic() {
    Binary("OpIAdd", [](uint64_t a, uint64_t b) { return a + b; });
    Binary("OpISub", [](uint64_t a, uint64_t b) { return a - b; });
    Binary("OpIMul", [](uint64_t a, uint64_t b) { return a * b; });
    const auto negate = [number = number_](const Bits& in) {
      return Want::Value({number.Cut(uint64_t{0} - in[0])});
    };
    Add("OpSNegate", i_, {i_}, {IntegerExtremes(width_)}, negate);
    Add("OpSNegate", u_, {u_}, {IntegerExtremes(width_)}, negate);
  }

  void Divisions() {
    const Bits all = IntegerExtremes(width_);
    const auto by_zero = [](const Bits& in) { return in[1] == 0; };
    for (const bool modulo : {false, true}) {
      Add(modulo ? "OpUMod" : "OpUDiv", u_, {u_, u_}, {all, all}, [=](const Bits& in) {
        if (by_zero(in)) return Want::Trapped();
        return Want::Value({modulo ? in[0] % in[1] : in[0] / in[1]});
      });
    }
    for (const std::string name : {"OpSDiv", "OpSRem", "OpSMod"}) {
      const auto want = [number = number_, name, by_zero](const Bits& in) {
        const Wide a = number.Signed(in[0]), b = number.Signed(in[1]);
        const Wide lowest = -(Wide{1} << (number.width - 1));
        if (by_zero(in) || (a == lowest && b == -1)) return Want::Trapped();
        // Vulkan: of a remainder "if either operand is negative the result is undefined".
        if (name != "OpSDiv" && (a < 0 || b < 0)) return Want::Undefined();
        const Wide result = name == "OpSDiv" ? a / b : a % b;
        return Want::Value({number.Cut(static_cast<uint64_t>(result))});
      };
      // docs/bugs.md: spirv-opt folds OpSMod with a sum that overflows.
      const auto wrong = [number = number_](const std::string& who, const Bits& in) {
        const Wide a = number.Signed(in[0]), b = number.Signed(in[1]);
        return who == "folded" && b != 0 && a % b != 0;
      };
      TableRow& row = Add(name, i_, {i_, i_}, {all, all}, want);
      if (name == "OpSMod") row.wrong = wrong;
      TableRow& other = Add(name, u_, {u_, u_}, {FewIntegers(width_), FewIntegers(width_)}, want);
      if (name == "OpSMod") other.wrong = wrong;
    }
  }

  void Bitwise() {
    Binary("OpBitwiseAnd", [](uint64_t a, uint64_t b) { return a & b; });
    Binary("OpBitwiseOr", [](uint64_t a, uint64_t b) { return a | b; });
    Binary("OpBitwiseXor", [](uint64_t a, uint64_t b) { return a ^ b; });
    Add("OpNot", u_, {u_}, {IntegerExtremes(width_)},
        [number = number_](const Bits& in) { return Want::Value({number.Cut(~in[0])}); });
    Add("OpNot", i_, {u_}, {IntegerExtremes(width_)},
        [number = number_](const Bits& in) { return Want::Value({number.Cut(~in[0])}); });
  }

  void Shifts() {
    const auto size = static_cast<uint64_t>(width_);
    const Bits amounts = {0, 1, 3, size / 2, size - 1, size, size + 1, number_.Cut(~uint64_t{0})};
    for (const std::string name :
         {"OpShiftLeftLogical", "OpShiftRightLogical", "OpShiftRightArithmetic"}) {
      const auto want = [number = number_, name, size](const Bits& in) {
        const uint64_t by = in[1];
        if (by >= size) return Want::Undefined();
        uint64_t bits = in[0] << by;
        if (name == "OpShiftRightLogical") bits = in[0] >> by;
        if (name == "OpShiftRightArithmetic") {
          bits = static_cast<uint64_t>(number.Signed(in[0]) >> by);
        }
        return Want::Value({number.Cut(bits)});
      };
      Add(name, u_, {u_, u_}, {IntegerExtremes(width_), amounts}, want);
      Add(name, i_, {i_, i_}, {IntegerExtremes(width_), amounts}, want);
      if (width_ != 32) {
        Bits of_32 = amounts;
        of_32.back() = 0x100;  // not to be cut to the width
        Add(name, u_, {u_, "u32"}, {FewIntegers(width_), of_32}, want);
      }
      if (width_ == 32) {
        const Bits bytes = {0, 1, 31, 32, 0x81, 0xff};
        Add(name, u_, {u_, "u8"}, {FewIntegers(width_), bytes}, want);
        Add(name, u_, {u_, "i8"}, {FewIntegers(width_), bytes}, want);
      }
    }
  }

  void Comparisons() {
    const Bits all = IntegerExtremes(width_);
    struct Comparison {
      const char* name;
      bool (*is)(Wide a, Wide b);
      bool is_signed;
    };
    const auto equal = [](Wide a, Wide b) { return a == b; };
    const auto differ = [](Wide a, Wide b) { return a != b; };
    const auto less = [](Wide a, Wide b) { return a < b; };
    const auto at_most = [](Wide a, Wide b) { return a <= b; };
    const auto more = [](Wide a, Wide b) { return a > b; };
    const auto at_least = [](Wide a, Wide b) { return a >= b; };
    const Comparison comparisons[] = {{"OpIEqual", equal, false},
                                      {"OpINotEqual", differ, false},
                                      {"OpULessThan", less, false},
                                      {"OpSLessThan", less, true},
                                      {"OpULessThanEqual", at_most, false},
                                      {"OpSLessThanEqual", at_most, true},
                                      {"OpUGreaterThan", more, false},
                                      {"OpSGreaterThan", more, true},
                                      {"OpUGreaterThanEqual", at_least, false},
                                      {"OpSGreaterThanEqual", at_least, true}};
    for (const Comparison& comparison : comparisons) {
      const std::string& type = comparison.is_signed ? i_ : u_;
      Add(comparison.name, "b", {type, type}, {all, all},
          [number = number_, comparison](const Bits& in) {
            const Wide a = comparison.is_signed ? Wide{number.Signed(in[0])} : Wide{in[0]};
            const Wide b = comparison.is_signed ? Wide{number.Signed(in[1])} : Wide{in[1]};
            return Want::Value({comparison.is(a, b) ? uint64_t{1} : 0});
          });
    }
  }

  void Extended() {
    const Bits all = IntegerExtremes(width_);
    const std::string two = u_ + " " + u_, signed_two = i_ + " " + i_;
    using Unsigned = unsigned __int128;
    Add("OpIAddCarry", two, {u_, u_}, {all, all}, [number = number_](const Bits& in) {
      const Unsigned sum = Unsigned{in[0]} + in[1];
      return Want::Value(
          {number.Cut(static_cast<uint64_t>(sum)), static_cast<uint64_t>(sum >> number.width)});
    });
    Add("OpISubBorrow", two, {u_, u_}, {all, all}, [number = number_](const Bits& in) {
      return Want::Value({number.Cut(in[0] - in[1]), in[0] < in[1] ? uint64_t{1} : 0});
    });
    Add("OpUMulExtended", two, {u_, u_}, {all, all}, [number = number_](const Bits& in) {
      const Unsigned product = Unsigned{in[0]} * in[1];
      return Want::Value({number.Cut(static_cast<uint64_t>(product)),
                          number.Cut(static_cast<uint64_t>(product >> number.width))});
    });
    Add("OpSMulExtended", signed_two, {i_, i_}, {all, all}, [number = number_](const Bits& in) {
      const Wide product = Wide{number.Signed(in[0])} * number.Signed(in[1]);
      return Want::Value({number.Cut(static_cast<uint64_t>(product)),
                          number.Cut(static_cast<uint64_t>(product >> number.width))});
    });
  }

  // Bit by bit.
  void Fields() {
    const Bits places = {0, 1, 7, 31, 32, 33}, values = {0, ~0u, 0x80000000, 0x5a5a5a5a, 0x1234567};
    const auto defined = [](uint64_t offset, uint64_t count) { return offset + count <= 32; };
    for (const bool sign : {false, true}) {
      const std::string& type = sign ? i_ : u_;
      TableRow& row =
          Add(sign ? "OpBitFieldSExtract" : "OpBitFieldUExtract", type, {type, "u32", "i32"},
              {values, places, places}, [=, number = number_](const Bits& in) {
                if (!defined(in[1], in[2])) return Want::Undefined();
                uint64_t bits = 0;
                for (uint64_t i = 0; i < in[2]; ++i) {
                  bits |= (in[0] >> (in[1] + i) & 1) << i;
                }
                if (sign && in[2] > 0) {
                  bits = static_cast<uint64_t>(SignExtended(bits, static_cast<int>(in[2])));
                }
                return Want::Value({number.Cut(bits)});
              });
      row.by_component = false;  // offset and count are scalars
    }
    TableRow& row =
        Add("OpBitFieldInsert", "u32", {"u32", "u32", "i32", "u32"},
            {{0, ~0u, 0x5a5a5a5a}, {0, ~0u, 0x1234567}, places, places}, [=](const Bits& in) {
              if (!defined(in[2], in[3])) return Want::Undefined();
              uint64_t bits = in[0];
              for (uint64_t i = 0; i < in[3]; ++i) {
                const uint64_t bit = uint64_t{1} << (in[2] + i);
                bits = (in[1] >> i & 1) != 0 ? bits | bit : bits & ~bit;
              }
              return Want::Value({bits});
            });
    row.by_component = false;
    for (const char* name : {"OpBitFieldInsert", "OpBitFieldUExtract", "OpBitFieldSExtract"}) {
      TableRow vector;
      vector.instruction = name;
      const bool insert = vector.instruction == "OpBitFieldInsert";
      vector.result = "v3u32";
      vector.operands = {"v3u32", "u32", "u32"};
      if (insert) vector.operands.insert(vector.operands.begin(), "v3u32");
      for (const uint64_t offset : {0u, 5u, 24u}) {
        Bits tuple = {0x12345678, 0xffffffff, 0x80f0c0a0};
        if (insert) tuple.insert(tuple.end(), {0x1b, 0x3f, 0xaa});
        tuple.insert(tuple.end(), {offset, 7});
        vector.tuples.push_back(std::move(tuple));
      }
      vector.exact = true;
      rows_.push_back(std::move(vector));
    }
  }

  void Counting() {
    const Bits all = IntegerExtremes(32);
    Add("OpBitReverse", "u32", {"u32"}, {all}, [](const Bits& in) {
      uint64_t bits = 0;
      for (int i = 0; i < 32; ++i) bits |= (in[0] >> i & 1) << (31 - i);
      return Want::Value({bits});
    });
    for (const char* type : {"u32", "i32"}) {
      Add("OpBitCount", type, {"u32"}, {all}, [](const Bits& in) {
        uint64_t count = 0;
        for (int i = 0; i < 32; ++i) count += in[0] >> i & 1;
        return Want::Value({count});
      });
    }
  }

  const int width_;
  const Number number_;
  const std::string u_, i_;
  std::vector<TableRow> rows_;
};

}  // namespace

std::vector<TableRow> IntegerRows(int width) {
  return Integers(width).Rows();
}

}  // namespace refract
