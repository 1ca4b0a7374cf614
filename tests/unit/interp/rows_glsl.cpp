// SPDX-License-Identifier: Apache-2.0
// GLSL.std.450, component by component: floats computed in double with the C library's functions,
// integers, and floats taken apart.
#include <algorithm>
#include <bit>
#include <cmath>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

using math::FloatOp;

struct Mathematics {
  const char* name;
  FloatOp op;
  size_t operands;
  double (*value)(double x, double y, double z);
  /// Where the value is defined; nullptr: everywhere.
  bool (*defined)(double x, double y, double z);
  std::vector<double> more = {};  ///< values beside the extremes
};

constexpr double kPi = 3.14159265358979323846;

const std::vector<Mathematics>& Functions() {
  static const std::vector<double> angles = {kPi, kPi / 2, -kPi / 4, 3, 0.001};
  static const std::vector<double> halves = {3.5, 4.5, -0.5, -1.5, 1e6, 0.49999997};
  static const std::vector<Mathematics> functions = {
      {"Round",
       FloatOp::kRound,
       1,
       [](double x, double, double) {
         return x - std::floor(x) < 0.5 ? std::floor(x) : std::ceil(x);
       },
       nullptr,
       {3.5, 4.5, -1.5, 1e6}},
      {"RoundEven", FloatOp::kRoundEven, 1,
       [](double x, double, double) { return std::nearbyint(x); }, nullptr, halves},
      {"Trunc", FloatOp::kTrunc, 1, [](double x, double, double) { return std::trunc(x); }, nullptr,
       halves},
      {"FAbs", FloatOp::kAbs, 1, [](double x, double, double) { return std::fabs(x); }, nullptr},
      {"FSign", FloatOp::kSign, 1,
       [](double x, double, double) { return x > 0   ? 1.0
                                             : x < 0 ? -1.0
                                                     : 0.0; }, nullptr},
      {"Floor", FloatOp::kFloor, 1, [](double x, double, double) { return std::floor(x); }, nullptr,
       halves},
      {"Ceil", FloatOp::kCeil, 1, [](double x, double, double) { return std::ceil(x); }, nullptr,
       halves},
      {"Fract",
       FloatOp::kFract,
       1,
       [](double x, double, double) { return x - std::floor(x); },
       nullptr,
       {0.75, -0.25, 100.125}},
      {"Radians",
       FloatOp::kRadians,
       1,
       [](double x, double, double) { return x * kPi / 180; },
       nullptr,
       {180, 90}},
      {"Degrees",
       FloatOp::kDegrees,
       1,
       [](double x, double, double) { return x / kPi * 180; },
       nullptr,
       {kPi}},
      {"Sin", FloatOp::kSin, 1, [](double x, double, double) { return std::sin(x); }, nullptr,
       angles},
      {"Cos", FloatOp::kCos, 1, [](double x, double, double) { return std::cos(x); }, nullptr,
       angles},
      {"Tan",
       FloatOp::kTan,
       1,
       [](double x, double, double) { return std::tan(x); },
       nullptr,
       {1, -0.7}},
      {"Asin", FloatOp::kAsin, 1, [](double x, double, double) { return std::asin(x); },
       [](double x, double, double) { return std::fabs(x) <= 1; }},
      {"Acos", FloatOp::kAcos, 1, [](double x, double, double) { return std::acos(x); },
       [](double x, double, double) { return std::fabs(x) <= 1; }},
      {"Atan", FloatOp::kAtan, 1, [](double x, double, double) { return std::atan(x); }, nullptr},
      {"Sinh", FloatOp::kSinh, 1, [](double x, double, double) { return std::sinh(x); }, nullptr},
      {"Cosh", FloatOp::kCosh, 1, [](double x, double, double) { return std::cosh(x); }, nullptr},
      {"Tanh", FloatOp::kTanh, 1, [](double x, double, double) { return std::tanh(x); }, nullptr},
      {"Asinh", FloatOp::kAsinh, 1, [](double x, double, double) { return std::asinh(x); },
       nullptr},
      {"Acosh",
       FloatOp::kAcosh,
       1,
       [](double x, double, double) { return std::acosh(x); },
       [](double x, double, double) { return x >= 1; },
       {2, 10}},
      {"Atanh", FloatOp::kAtanh, 1, [](double x, double, double) { return std::atanh(x); },
       [](double x, double, double) { return std::fabs(x) < 1; }},
      {"Atan2", FloatOp::kAtan2, 2, [](double y, double x, double) { return std::atan2(y, x); },
       [](double y, double x, double) { return x != 0 || y != 0; }},
      {"Pow",
       FloatOp::kPow,
       2,
       [](double x, double y, double) { return std::pow(x, y); },
       [](double x, double y, double) { return x > 0 || (x == 0 && y > 0); },
       {2, 4}},
      {"Exp", FloatOp::kExp, 1, [](double x, double, double) { return std::exp(x); }, nullptr},
      {"Log",
       FloatOp::kLog,
       1,
       [](double x, double, double) { return std::log(x); },
       [](double x, double, double) { return x > 0; },
       {0.75, 2, 3}},
      {"Exp2",
       FloatOp::kExp2,
       1,
       [](double x, double, double) { return std::exp2(x); },
       nullptr,
       {4, 10}},
      {"Log2",
       FloatOp::kLog2,
       1,
       [](double x, double, double) { return std::log2(x); },
       [](double x, double, double) { return x > 0; },
       {0.75, 2, 8}},
      {"Sqrt",
       FloatOp::kSqrt,
       1,
       [](double x, double, double) { return std::sqrt(x); },
       [](double x, double, double) { return x >= 0; },
       {2, 4, 9}},
      {"InverseSqrt",
       FloatOp::kInverseSqrt,
       1,
       [](double x, double, double) { return 1 / std::sqrt(x); },
       [](double x, double, double) { return x > 0; },
       {2, 4, 9}},
      {"FMin", FloatOp::kMin, 2, [](double x, double y, double) { return y < x ? y : x; }, nullptr},
      {"FMax", FloatOp::kMax, 2, [](double x, double y, double) { return x < y ? y : x; }, nullptr},
      {"NMin", FloatOp::kNMin, 2, [](double x, double y, double) { return y < x ? y : x; },
       nullptr},
      {"NMax", FloatOp::kNMax, 2, [](double x, double y, double) { return x < y ? y : x; },
       nullptr},
      {"FClamp", FloatOp::kClamp, 3,
       [](double x, double y, double z) { return x < y   ? y
                                                 : z < x ? z
                                                         : x; },
       [](double, double y, double z) { return y <= z; }},
      {"NClamp", FloatOp::kNClamp, 3,
       [](double x, double y, double z) { return x < y   ? y
                                                 : z < x ? z
                                                         : x; },
       [](double, double y, double z) { return y <= z; }},
      {"Step", FloatOp::kStep, 2,
       [](double edge, double x, double) { return x < edge ? 0.0 : 1.0; }, nullptr},
      {"SmoothStep", FloatOp::kSmoothStep, 3,
       [](double a, double b, double x) {
         const double t = std::clamp((x - a) / (b - a), 0.0, 1.0);
         return t * t * (3 - 2 * t);
       },
       [](double a, double b, double) { return a < b; }},
      {"FMix", FloatOp::kMix, 3, nullptr, nullptr},
      {"Fma", FloatOp::kFma, 3, nullptr, nullptr}};
  return functions;
}

// Vulkan has the others of 16 and 32 bits only.
bool HasDoubles(const std::string& name) {
  const std::vector<std::string> names = {
      "Round",  "RoundEven", "Trunc", "FAbs", "FSign",       "Floor",     "Ceil",
      "Fract",  "Sqrt",      "FMin",  "FMax", "NMin",        "NMax",      "FClamp",
      "NClamp", "Step",      "FMix",  "Fma",  "InverseSqrt", "SmoothStep"};
  return std::find(names.begin(), names.end(), name) != names.end();
}

TableRow RowOf(const Mathematics& function, int width) {
  TableRow row;
  const std::string type = format("f{}", width);
  row.instruction = function.name;
  row.result = type;
  row.operands.assign(function.operands, type);
  row.by_component = true;
  std::vector<Bits> lists(function.operands, FloatExtremes(width));
  for (Bits& list : lists) {
    if (function.operands == 3) list = PlainFloats(width);
    for (const uint64_t bits : FloatsOf(function.more, width)) list.push_back(bits);
  }
  if (function.operands == 3) lists[0].resize(7);
  row.tuples = Cross(lists);
  const auto operands = [width](const Bits& in) {
    std::array<double, 3> values = {};
    for (size_t i = 0; i < in.size(); ++i) values[i] = DecodeFloat(in[i], width);
    return values;
  };
  row.want = [function, width, operands](const Bits& in) {
    const auto [x, y, z] = operands(in);
    if (function.defined != nullptr && !function.defined(x, y, z)) return Want::Undefined();
    if (function.value == nullptr) return Want();
    const uint64_t result = EncodeFloat(function.value(x, y, z), width);
    if (!std::isfinite(DecodeFloat(result, width))) return Want();
    return Want::Value({result});
  };
  row.allowed = [op = function.op, width, operands](const Bits& in, size_t) {
    const auto [x, y, z] = operands(in);
    return math::PermittedRange(op, width, x, y, z);
  };
  // On some processors, lavapipe of Mesa 22.3.6 rounds a 64-bit number in the middle of two whole
  // numbers to the smaller one: 1.5 to 1.
  if (row.instruction == "RoundEven" && width == 64) {
    row.wrong = [](const std::string& who, const Bits& in) {
      const double x = DecodeFloat(in[0], 64);
      return who == "lavapipe" && std::fabs(x - std::trunc(x)) == 0.5;
    };
  }
  if (row.instruction == "Atan2") {  // docs/bugs.md
    row.wrong = [width](const std::string& who, const Bits& in) {
      return who == "swiftshader" && in[0] == EncodeFloat(-0.0, width);
    };
  }
  return row;
}

// --- floats taken apart and put together

void AddParts(int width, std::vector<TableRow>* rows) {
  const std::string type = format("f{}", width);
  const auto modf = [width](const Bits& in) {
    const double x = DecodeFloat(in[0], width), whole = std::trunc(x);
    return Want::Value({EncodeFloat(std::copysign(x - whole, x), width),
                        EncodeFloat(std::copysign(whole, x), width)});
  };
  const auto frexp = [width](const Bits& in) {
    const double x = DecodeFloat(in[0], width);
    int exponent = 0;
    const double significand = std::frexp(x, &exponent);
    return Want::Value(
        {EncodeFloat(significand, width), Masked(static_cast<uint64_t>(exponent), 32)});
  };
  Bits normal;
  for (const uint64_t bits : FloatExtremes(width)) {
    const double value = std::fabs(DecodeFloat(bits, width));
    const double least = width == 16 ? 0x1p-14 : width == 32 ? 0x1p-126 : 0x1p-1022;
    if (value == 0 || value >= least) normal.push_back(bits);
  }
  TableRow row;
  row.operands = {type};
  row.tuples = Cross({normal});
  row.by_component = true;
  row.instruction = "ModfStruct";
  row.result = type + " " + type;
  row.want = modf;
  rows->push_back(row);
  row.instruction = "FrexpStruct";
  row.result = type + " i32";
  row.want = frexp;
  rows->push_back(row);
  // By pointer: the two results are put together again.
  row.by_component = false;
  row.globals =
      format("%p_part = OpTypePointer Function %{}\n%p_exp = OpTypePointer Function %i32", type);
  row.instruction = "Modf";
  row.result = type + " " + type;
  row.want = modf;
  row.locals = "%part = OpVariable %p_part Function";
  row.body = format(R"(%x~ = OpExtInst %{0} %glsl Modf $0 %part
%y~ = OpLoad %{0} %part
$r = OpCompositeConstruct %results %x~ %y~)",
                    type);
  rows->push_back(row);
  row.instruction = "Frexp";
  row.result = type + " i32";
  row.want = frexp;
  row.locals = "%exp = OpVariable %p_exp Function";
  row.body = format(R"(%x~ = OpExtInst %{} %glsl Frexp $0 %exp
%y~ = OpLoad %i32 %exp
$r = OpCompositeConstruct %results %x~ %y~)",
                    type);
  rows->push_back(row);
  TableRow ldexp;
  ldexp.instruction = "Ldexp";
  ldexp.result = type;
  ldexp.operands = {type, "i32"};
  ldexp.by_component = true;
  const int most = width == 16 ? 15 : width == 32 ? 127 : 1023;
  const auto exponent = [](int value) { return Masked(static_cast<uint64_t>(value), 32); };
  ldexp.tuples = Cross({PlainFloats(width),
                        {0, 1, 3, exponent(-1), exponent(-most), exponent(most), exponent(most + 1),
                         exponent(most + 2)}});
  ldexp.want = [width, most](const Bits& in) {
    const int power = static_cast<int>(static_cast<int32_t>(in[1]));
    if (power > most + 1) return Want::Undefined();
    const uint64_t bits = EncodeFloat(std::ldexp(DecodeFloat(in[0], width), power), width);
    if (!std::isfinite(DecodeFloat(bits, width))) return Want();
    return Want::Value({bits});
  };
  ldexp.allowed = [width](const Bits& in, size_t) {
    return math::PermittedRange(FloatOp::kLdexp, width, DecodeFloat(in[0], width),
                                static_cast<double>(static_cast<int32_t>(in[1])));
  };
  rows->push_back(std::move(ldexp));
}

}  // namespace

std::vector<TableRow> GlslFloatRows(int width) {
  std::vector<TableRow> rows;
  for (const Mathematics& function : Functions()) {
    if (width != 64 || HasDoubles(function.name)) rows.push_back(RowOf(function, width));
  }
  AddParts(width, &rows);
  return rows;
}

std::vector<TableRow> GlslIntegerRows() {
  std::vector<TableRow> rows;
  const auto add = [&](const std::string& name, const std::string& type, size_t operands,
                       std::function<Want(const Bits&)> want) {
    TableRow row;
    row.instruction = name;
    row.result = type;
    row.operands.assign(operands, type);
    const int width = ParseType(type).width;
    row.tuples = Cross(
        std::vector<Bits>(operands, operands == 3 ? FewIntegers(width) : IntegerExtremes(width)));
    row.want = std::move(want);
    row.exact = true;
    row.by_component = true;
    rows.push_back(std::move(row));
  };
  for (const int width : {8, 16, 32, 64}) {
    const std::string u = format("u{}", width), i = format("i{}", width);
    const auto of = [width](uint64_t bits) { return SignExtended(bits, width); };
    const auto value = [width](int64_t number) {
      return Want::Value({Masked(static_cast<uint64_t>(number), width)});
    };
    add("SAbs", i, 1, [=](const Bits& in) {
      return Want::Value({Masked(of(in[0]) < 0 ? uint64_t{0} - in[0] : in[0], width)});
    });
    add("SSign", i, 1, [=](const Bits& in) {
      return value(of(in[0]) > 0 ? 1 : of(in[0]) < 0 ? -1 : 0);
    });
    add("UMin", u, 2, [](const Bits& in) { return Want::Value({std::min(in[0], in[1])}); });
    add("UMax", u, 2, [](const Bits& in) { return Want::Value({std::max(in[0], in[1])}); });
    add("SMin", i, 2, [=](const Bits& in) { return value(std::min(of(in[0]), of(in[1]))); });
    add("SMax", i, 2, [=](const Bits& in) { return value(std::max(of(in[0]), of(in[1]))); });
    add("UClamp", u, 3, [](const Bits& in) {
      if (in[1] > in[2]) return Want::Undefined();
      return Want::Value({std::min(std::max(in[0], in[1]), in[2])});
    });
    add("SClamp", i, 3, [=](const Bits& in) {
      if (of(in[1]) > of(in[2])) return Want::Undefined();
      return value(std::min(std::max(of(in[0]), of(in[1])), of(in[2])));
    });
  }
  add("FindILsb", "u32", 1, [](const Bits& in) {
    for (uint64_t i = 0; i < 32; ++i) {
      if ((in[0] >> i & 1) != 0) return Want::Value({i});
    }
    return Want::Value({0xffffffff});
  });
  add("FindUMsb", "u32", 1, [](const Bits& in) {
    for (uint64_t i = 32; i-- > 0;) {
      if ((in[0] >> i & 1) != 0) return Want::Value({i});
    }
    return Want::Value({0xffffffff});
  });
  add("FindSMsb", "i32", 1, [](const Bits& in) {
    for (uint64_t i = 31; i-- > 0;) {
      if ((in[0] >> i & 1) != in[0] >> 31) return Want::Value({i});
    }
    return Want::Value({0xffffffff});
  });
  return rows;
}

}  // namespace refract
