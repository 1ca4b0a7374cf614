// SPDX-License-Identifier: Apache-2.0
// Float arithmetic and comparisons of 16, 32 and 64 bits.
#include <cmath>
#include <limits>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

using math::FloatOp;

class Floats {
 public:
  explicit Floats(int width) : width_(width), f_(format("f{}", width)) {}
  std::vector<TableRow> Rows() {
    Arithmetic();
    Remainders();
    Comparisons();
    Special();
    return std::move(rows_);
  }

 private:
  using Value = double (*)(double a, double b);
  TableRow& Add(const std::string& instruction, size_t operands, Value value, FloatOp op) {
    TableRow row;
    row.instruction = instruction;
    row.result = f_;
    row.operands.assign(operands, f_);
    row.tuples = Cross(std::vector<Bits>(operands, FloatExtremes(width_)));
    row.by_component = true;
    row.want = [value, width = width_](const Bits& in) {
      const double a = DecodeFloat(in[0], width);
      const double b = in.size() > 1 ? DecodeFloat(in[1], width) : 0;
      const double result = value(a, b);
      if (!std::isfinite(result)) return Want();
      return Want::Value({EncodeFloat(result, width)});
    };
    row.allowed = [op, width = width_](const Bits& in, size_t) {
      return math::PermittedRange(op, width, DecodeFloat(in[0], width),
                                  in.size() > 1 ? DecodeFloat(in[1], width) : 0);
    };
    rows_.push_back(std::move(row));
    return rows_.back();
  }

  // In double, which rounds innocuously for what is less wide.
  void Arithmetic() {
    Add(
        "OpFAdd", 2, [](double a, double b) { return a + b; }, FloatOp::kAdd);
    Add(
        "OpFSub", 2, [](double a, double b) { return a - b; }, FloatOp::kSub);
    Add(
        "OpFMul", 2, [](double a, double b) { return a * b; }, FloatOp::kMul);
    for (int i = 3; i > 0; --i) {
      TableRow strict = rows_[rows_.size() - 3];
      strict.no_contraction = true;
      rows_.push_back(std::move(strict));
    }
    Add(
        "OpFDiv", 2, [](double a, double b) { return a / b; }, FloatOp::kDiv)
        .approximate = true;
    TableRow& negate = Add(
        "OpFNegate", 1, [](double a, double) { return -a; }, FloatOp::kSub);
    negate.allowed = [width = width_](const Bits& in, size_t) {
      return math::PermittedRange(FloatOp::kSub, width, 0, DecodeFloat(in[0], width));
    };
  }

  void Remainders() {
    for (const bool modulo : {false, true}) {
      TableRow& row =
          Add(modulo ? "OpFMod" : "OpFRem", 2, nullptr, modulo ? FloatOp::kMod : FloatOp::kRem);
      row.approximate = true;
      row.want = [modulo, width = width_](const Bits& in) {
        const double a = DecodeFloat(in[0], width), b = DecodeFloat(in[1], width);
        if (b == 0) return Want::Undefined();
        double rest = std::fmod(a, b);
        if (modulo && rest != 0 && (rest < 0) != (b < 0)) rest += b;
        return Want::Value({EncodeFloat(rest, width)});
      };
    }
  }

  void Comparisons() {
    struct Comparison {
      const char* name;
      bool (*is)(double a, double b);
    };
    const Comparison comparisons[] = {
        {"Equal", [](double a, double b) { return a == b; }},
        {"NotEqual", [](double a, double b) { return a < b || a > b; }},
        {"LessThan", [](double a, double b) { return a < b; }},
        {"GreaterThan", [](double a, double b) { return a > b; }},
        {"LessThanEqual", [](double a, double b) { return a <= b; }},
        {"GreaterThanEqual", [](double a, double b) { return a >= b; }}};
    const double infinity = std::numeric_limits<double>::infinity();
    const Bits special = FloatsOf({std::nan(""), infinity, -infinity, 0.0, -0.0, 1, -2}, width_);
    for (const Comparison& comparison : comparisons) {
      for (const bool unordered : {false, true}) {
        TableRow& row = Add(format("OpF{}{}", unordered ? "Unord" : "Ord", comparison.name), 2,
                            nullptr, FloatOp::kAdd);
        row.result = "b";
        row.allowed = nullptr;
        row.want = [comparison, unordered, width = width_](const Bits& in) {
          const double a = DecodeFloat(in[0], width), b = DecodeFloat(in[1], width);
          const bool holds = std::isnan(a) || std::isnan(b) ? unordered : comparison.is(a, b);
          return Want::Value({holds ? uint64_t{1} : 0});
        };
        TableRow preserving = row;
        Preserve(&preserving, Cross({special, special}));
        rows_.push_back(std::move(preserving));
      }
    }
  }

  void Preserve(TableRow* row, std::vector<Bits> tuples) const {
    row->tuples = std::move(tuples);
    row->exact = true;
    row->capabilities =
        "OpCapability SignedZeroInfNanPreserve\n"
        "OpExtension \"SPV_KHR_float_controls\"\n";
    row->modes = format("OpExecutionMode %main SignedZeroInfNanPreserve {}\n", width_);
    // spirv-opt folds as if there were no such mode in some cases; the drivers are asked.
    row->fold = false;
  }

  void Special() {
    const double infinity = std::numeric_limits<double>::infinity();
    for (const bool nan : {false, true}) {
      TableRow& row = Add(nan ? "OpIsNan" : "OpIsInf", 1, nullptr, FloatOp::kAdd);
      row.result = "b";
      row.allowed = nullptr;
      row.want = [nan, width = width_](const Bits& in) {
        const double a = DecodeFloat(in[0], width);
        return Want::Value({(nan ? std::isnan(a) : std::isinf(a)) ? uint64_t{1} : 0});
      };
      row.tuples =
          Cross({FloatsOf({0.0, -0.0, 1, -1000, 0.1, infinity, -infinity, std::nan("")}, width_)});
      TableRow preserving = row;
      Preserve(&preserving, row.tuples);
      rows_.push_back(std::move(preserving));
    }
  }

  const int width_;
  const std::string f_;
  std::vector<TableRow> rows_;
};

}  // namespace

std::vector<TableRow> FloatRows(int width) {
  return Floats(width).Rows();
}

}  // namespace refract
