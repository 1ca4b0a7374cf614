// SPDX-License-Identifier: Apache-2.0
// Composites taken apart and put together, and products of vectors and matrices.
#include <cmath>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

// The operands' scalars that the result consists of.
using Places = std::vector<size_t>;

class Composites {
 public:
  std::vector<TableRow> Rows() {
    for (const char* scalar : {"u32", "f32", "u16", "i8", "u64", "f64", "f16", "b"})
      Vectors(scalar);
    Matrices();
    Nested();
    Copies();
    return std::move(rows_);
  }

 private:
  TableRow& Add(const std::string& name, const std::string& result,
                std::vector<std::string> operands, const std::string& body, const Places& places) {
    TableRow row;
    row.instruction = name;
    row.result = result;
    row.operands = std::move(operands);
    row.body = body;
    for (uint64_t round = 0; round < 3; ++round) {
      Bits tuple;
      uint64_t number = 1 + round;
      for (const TableType& type : row.OperandTypes()) {
        for (size_t i = 0; i < type.scalars(); ++i, ++number) {
          tuple.push_back(type.kind == 'b' ? (number * number / 3) % 2
                          : type.is_float()
                              ? EncodeFloat(static_cast<double>(number) * 1.5 - 7, type.width)
                              : Masked(0x9e3779b97f4a7c15 * number, type.width));
        }
      }
      row.tuples.push_back(std::move(tuple));
    }
    row.want = [places](const Bits& in) {
      Want want = Want::Value({});
      for (const size_t place : places) want.bits.push_back(in.at(place));
      return want;
    };
    row.exact = true;
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  void Vectors(const std::string& s) {
    const std::string v2 = "v2" + s, v3 = "v3" + s, v4 = "v4" + s;
    Add("OpCompositeConstruct", v3, {s, v2}, "", {0, 1, 2});
    Add("OpCompositeConstruct", v4, {s, v2, s}, "", {0, 1, 2, 3});
    Add("OpCompositeExtract", s, {v4}, format("$r = OpCompositeExtract %{} $0 2", s), {2});
    Add("OpCompositeInsert", v3, {s, v3}, format("$r = OpCompositeInsert %{} $0 $1 1", v3),
        {1, 0, 3});
    Add("OpVectorShuffle", v4, {v2, v3}, format("$r = OpVectorShuffle %{} $0 $1 4 0 2 1", v4),
        {4, 0, 2, 1});
    Add("OpVectorShuffle", v2, {v4, v2}, format("$r = OpVectorShuffle %{} $0 $1 3 3", v2), {3, 3});
    // One component is nothing at all, and is not looked at.
    TableRow& hole = Add("OpVectorShuffle", v2, {v2, v2},
                         format(R"(%w~ = OpVectorShuffle %{0} $0 $1 1 4294967295 2
%a~ = OpCompositeExtract %{1} %w~ 0
%b~ = OpCompositeExtract %{1} %w~ 2
$r = OpCompositeConstruct %{2} %a~ %b~)",
                                v3, s, v2),
                         {1, 2});
    hole.types = v3;
    for (const char* index : {"u32", "i32"}) {
      TableRow extract = Add("OpVectorExtractDynamic", s, {v4, index}, "", {0});
      rows_.pop_back();
      const auto place = [](const Bits& in, size_t operand) {
        return static_cast<size_t>(in[operand]);
      };
      extract.want = [=](const Bits& in) {
        return in[4] > 3 ? Want::Trapped() : Want::Value({in[place(in, 4)]});
      };
      const Bits some = extract.tuples[0];
      extract.tuples.clear();
      for (const uint64_t i : {0ull, 1ull, 2ull, 3ull, 4ull, 0xffffffffull}) {
        extract.tuples.push_back(some);
        extract.tuples.back()[4] = i;
      }
      rows_.push_back(extract);
      TableRow insert = Add("OpVectorInsertDynamic", v3, {v3, s, index}, "", {0});
      rows_.pop_back();
      insert.want = [=](const Bits& in) {
        if (in[4] > 2) return Want::Trapped();
        Bits changed(in.begin(), in.begin() + 3);
        changed[place(in, 4)] = in[3];
        return Want::Value(changed);
      };
      const Bits other = insert.tuples[0];
      insert.tuples.clear();
      for (const uint64_t i : {0ull, 1ull, 2ull, 3ull, 0x80000000ull}) {
        insert.tuples.push_back(other);
        insert.tuples.back()[4] = i;
      }
      rows_.push_back(insert);
    }
  }

  void Matrices() {
    for (const char* s : {"f32", "f64", "f16"}) {
      const std::string m23 = format("m2x3{}", s), m32 = format("m3x2{}", s);
      const std::string v3 = format("v3{}", s), v2 = format("v2{}", s);
      Add("OpCompositeConstruct", m23, {v3, v3}, "", {0, 1, 2, 3, 4, 5});
      Add("OpTranspose", m32, {m23}, "", {0, 3, 1, 4, 2, 5});
      Add("OpTranspose", format("m4x4{}", s), {format("m4x4{}", s)}, "",
          {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15});
      Add("OpCompositeExtract", v3, {m23}, format("$r = OpCompositeExtract %{} $0 1", v3),
          {3, 4, 5});
      Add("OpCompositeExtract", s, {m23}, format("$r = OpCompositeExtract %{} $0 1 2", s), {5});
      Add("OpCompositeInsert", m32, {v2, m32}, format("$r = OpCompositeInsert %{} $0 $1 2", m32),
          {2, 3, 4, 5, 0, 1});
      Add("OpCompositeInsert", m32, {s, m32}, format("$r = OpCompositeInsert %{} $0 $1 0 1", m32),
          {1, 0, 3, 4, 5, 6});
    }
  }

  // An array of structs of a vector and an array, with scalars of different widths.
  void Nested() {
    TableRow& row = Add("OpCompositeConstruct", "u32 u64", {"u32", "u64", "v2u32", "u64"}, R"(
%ar~ = OpCompositeConstruct %longs $1 $3 $1
%st~ = OpCompositeConstruct %inner $2 %ar~
%tu~ = OpCompositeInsert %inner $0 %st~ 0 1
%ou~ = OpCompositeConstruct %outer %st~ %tu~
%pu~ = OpCompositeInsert %outer $3 %ou~ 1 1 2
%x~ = OpCompositeExtract %u32 %pu~ 1 0 1
%in~ = OpCompositeExtract %inner %pu~ 1
%y~ = OpCompositeExtract %u64 %in~ 1 2
$r = OpCompositeConstruct %results %x~ %y~)",
                        {0, 4});
    row.globals = R"(%c_3 = OpConstant %u32 3
%c_2 = OpConstant %u32 2
%longs = OpTypeArray %u64 %c_3
%inner = OpTypeStruct %v2u32 %longs
%outer = OpTypeArray %inner %c_2)";
  }

  void Copies() {
    for (const char* type : {"u32", "f64", "v3f32", "m2x2f32", "b"}) {
      Places places(ParseType(type).scalars());
      for (size_t i = 0; i < places.size(); ++i) places[i] = i;
      Add("OpCopyObject", type, {type}, "", places);
    }
    TableRow& logical = Add("OpCopyLogical", "u32", {"u32", "v2u32"}, R"(
%ar~ = OpCompositeConstruct %array_a $0 $0
%st~ = OpCompositeConstruct %struct_a $1 %ar~
%co~ = OpCopyLogical %struct_b %st~
$r = OpCompositeExtract %u32 %co~ 1 1)",
                            {0});
    logical.version = 4;
    logical.decorations =
        "OpDecorate %array_b ArrayStride 16\nOpMemberDecorate %struct_b 0 Offset 0\n"
        "OpMemberDecorate %struct_b 1 Offset 16\n";
    logical.globals = R"(%c_2 = OpConstant %u32 2
%array_a = OpTypeArray %u32 %c_2
%array_b = OpTypeArray %u32 %c_2
%struct_a = OpTypeStruct %v2u32 %array_a
%struct_b = OpTypeStruct %v2u32 %array_b)";
  }

  std::vector<TableRow> rows_;
};

// --- products

struct Shape {
  size_t columns = 1, rows = 1;
  size_t size() const { return columns * rows; }
};

// The product as matrices of doubles, of small numbers exact.
std::vector<double> Product(const std::vector<double>& a, Shape of_a, const std::vector<double>& b,
                            Shape of_b) {
  std::vector<double> product;
  for (size_t c = 0; c < of_b.columns; ++c) {
    for (size_t r = 0; r < of_a.rows; ++r) {
      double sum = 0;
      for (size_t k = 0; k < of_a.columns; ++k) {
        sum += a[k * of_a.rows + r] * b[c * of_b.rows + k];
      }
      product.push_back(sum);
    }
  }
  return product;
}

class Linear {
 public:
  explicit Linear(int width) : width_(width) {}
  std::vector<TableRow> Rows() {
    for (const size_t n : {2u, 3u, 4u}) {
      const Shape row{n, 1}, column{1, n}, scalar{1, 1};
      Add("OpDot", row, column, {"v", "v"}, n);
      Add("OpVectorTimesScalar", column, scalar, {"v", "s"}, n);
      Add("OpOuterProduct", column, {n, 1}, {"v", "v"}, n);
      for (const size_t m : {2u, 3u, 4u}) {
        const Shape matrix{m, n};  // m columns of n
        Add("OpMatrixTimesVector", matrix, {1, m}, {"m", "v"}, n);
        Add("OpVectorTimesMatrix", row, matrix, {"v", "m"}, n);
        Add("OpMatrixTimesScalar", matrix, scalar, {"m", "s"}, n);
        Add("OpMatrixTimesMatrix", matrix, {5 - m > 1 ? 5 - m : 2, m}, {"m", "m"}, n);
        Add("OpOuterProduct", {1, n}, {m, 1}, {"v", "v"}, n);
      }
    }
    return std::move(rows_);
  }

 private:
  std::string Type(Shape shape) const {
    const size_t length = std::max(shape.columns, shape.rows);
    if (shape.size() == 1) return format("f{}", width_);
    if (shape.columns == 1 || shape.rows == 1) return format("v{}f{}", length, width_);
    return format("m{}x{}f{}", shape.columns, shape.rows, width_);
  }

  void Add(const std::string& name, Shape a, Shape b, const std::vector<std::string>&, size_t) {
    TableRow row;
    row.instruction = name;
    row.operands = {Type(a), Type(b)};
    const bool by_scalar = b.size() == 1;
    const Shape result = by_scalar ? a : Shape{b.columns, a.rows};
    row.result = Type(result);
    for (const bool whole : {true, false}) {
      for (size_t round = 0; round < 3; ++round) {
        Bits tuple;
        for (size_t i = 0; i < a.size() + b.size(); ++i) {
          const auto number = static_cast<double>((i * (round + 3) + round) % 11) - 4;
          tuple.push_back(EncodeFloat(whole ? number : number / 3, width_));
        }
        row.tuples.push_back(std::move(tuple));
      }
    }
    const auto split = [a, width = width_](const Bits& in) {
      std::pair<std::vector<double>, std::vector<double>> both;
      for (size_t i = 0; i < in.size(); ++i) {
        (i < a.size() ? both.first : both.second).push_back(DecodeFloat(in[i], width));
      }
      return both;
    };
    const auto product = [=](const Bits& in) {
      const auto [x, y] = split(in);
      if (!by_scalar) return Product(x, a, y, b);
      std::vector<double> scaled = x;
      for (double& value : scaled) value *= y[0];
      return scaled;
    };
    row.want = [=, width = width_](const Bits& in) {
      Want want = Want::Value({});
      for (const uint64_t bits : in) {  // whole numbers; of others see `allowed`
        const double value = DecodeFloat(bits, width);
        if (value != std::trunc(value)) return Want();
      }
      for (const double value : product(in)) want.bits.push_back(EncodeFloat(value, width));
      return want;
    };
    // Each partial result is rounded; none is larger than 60.
    const double room = width_ == 16 ? 0x1p-3 : width_ == 32 ? 0x1p-16 : 0x1p-45;
    row.allowed = [=](const Bits& in, size_t i) {
      const double value = product(in)[i];
      return math::Range{value - room, value + room};
    };
    rows_.push_back(std::move(row));
  }

  const int width_;
  std::vector<TableRow> rows_;
};

}  // namespace

std::vector<TableRow> CompositeRows() {
  return Composites().Rows();
}

std::vector<TableRow> LinearRows() {
  std::vector<TableRow> rows = Linear(32).Rows();
  for (const int width : {16, 64}) {
    for (TableRow& row : Linear(width).Rows()) {
      // A few of the other widths: they differ in nothing but the arithmetic.
      if (row.operands[0].find("3x") != std::string::npos) rows.push_back(std::move(row));
    }
  }
  return rows;
}

}  // namespace refract
