// SPDX-License-Identifier: Apache-2.0
// Specialisation constants of every type with and without given values, and what is computed from
// them before the shader runs.
#include <gtest/gtest.h>

#include <bit>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

struct Spec {
  const char* type;
  const char* literal;  ///< the default, "true" or "false" for booleans
  uint64_t by_default, given;
};

const Spec kSpecs[] = {
    {"u8", "200", 200, 7},
    {"i8", "-3", 0xfd, 0x80},
    {"u16", "60000", 60000, 1},
    {"i16", "-2", 0xfffe, 0x8000},
    {"u32", "4000000000", 4000000000u, 5},
    {"i32", "-1", 0xffffffff, 0x80000001},
    {"u64", "12345678901234", 12345678901234, 0xfedcba9876543210},
    {"i64", "-2", 0xfffffffffffffffe, 0x8000000000000000},
    {"f16", "1.5", 0x3e00, 0xc000},
    {"f32", "0.5", 0x3f000000, 0xc0400000},
    {"f64", "-2.5", 0xc004000000000000, 0x3ff8000000000000},
    {"b", "true", 1, 0},
    {"b", "false", 0, 1},
};

TEST(SpecConstants, Given) {
  for (const Spec& spec : kSpecs) {
    const std::string type = spec.type;
    TableRow row;
    row.instruction = "OpSpecConstant";
    row.result = "v2" + type;
    row.types = type;
    row.decorations = "OpDecorate %one SpecId 3\n";
    if (type == "b") {
      row.globals = format("%one = OpSpecConstant{} %b\n", spec.by_default != 0 ? "True" : "False");
    } else {
      row.globals = format("%one = OpSpecConstant %{} {}\n", type, spec.literal);
    }
    row.globals += format("%both = OpSpecConstantComposite %v2{} %one %one\n", type);
    row.body = format("$r = OpCopyObject %v2{} %both", type);
    const auto module = Assembled(RowAssembly(row, {{}}, RowForm::kBuffers), 3);
    ASSERT_TRUE(module) << type;
    for (const bool given : {false, true}) {
      Bindings bindings;
      bindings.buffers = {StorageBuffer(0, std::string(4, '\0')),
                          StorageBuffer(1, std::string(4 * ResultWords(row), '\0'))};
      const uint64_t value = given ? spec.given : spec.by_default;
      const auto width = static_cast<uint32_t>(type == "b" ? 32 : ParseType(type).width);
      if (given) bindings.constants.push_back({.id = 3, .width = width, .bits = value});
      std::vector<uint32_t> want;
      for (int i = 0; i < 2; ++i) {
        want.push_back(static_cast<uint32_t>(value));
        if (width == 64) want.push_back(static_cast<uint32_t>(value >> 32));
      }
      CheckOutput(format("constant of {}{}", type, given ? ", given" : ""), *module, bindings,
                  want);
    }
  }
}

// Each is computed twice: as a constant, and by the instruction itself when the shader runs.
TEST(SpecConstants, Operations) {
  const char* words[] = {"SNegate %a",
                         "Not %a",
                         "IAdd %a %d",
                         "ISub %a %d",
                         "IMul %a %d",
                         "UDiv %a %d",
                         "SDiv %a %d",
                         "UMod %a %d",
                         "SRem %d %c",
                         "SMod %c %d",
                         "ShiftRightLogical %a %s",
                         "ShiftRightArithmetic %a %s",
                         "ShiftLeftLogical %a %s",
                         "BitwiseOr %a %d",
                         "BitwiseXor %a %d",
                         "BitwiseAnd %a %d",
                         "Select %t %a %d",
                         "Select %f %a %d",
                         "CompositeExtract %v 1"};
  const char* booleans[] = {
      "LogicalOr %t %f",      "LogicalAnd %t %f",        "LogicalNot %t",
      "LogicalEqual %t %f",   "LogicalNotEqual %t %f",   "IEqual %a %d",
      "INotEqual %a %d",      "ULessThan %a %d",         "SLessThan %a %d",
      "UGreaterThan %a %d",   "SGreaterThan %a %d",      "ULessThanEqual %a %d",
      "SLessThanEqual %a %d", "UGreaterThanEqual %a %d", "SGreaterThanEqual %a %d"};
  const char* vectors[] = {"VectorShuffle %v %v 3 0", "CompositeInsert %d %v 0", "IAdd %v %v",
                           "BitwiseXor %v %w"};
  TableRow row;
  row.instruction = "OpSpecConstantOp";
  row.result = "u32";
  row.version = 4;  // OpUConvert of constants
  row.types = "u16 i64 i16";
  row.decorations = "OpDecorate %a SpecId 0\nOpDecorate %d SpecId 1\nOpDecorate %t SpecId 2\n";
  row.globals = R"(%a = OpSpecConstant %u32 1
%d = OpSpecConstant %u32 1
%c = OpSpecConstant %u32 7
%s = OpSpecConstant %u32 5
%t = OpSpecConstantFalse %b
%f = OpSpecConstantFalse %b
%v = OpSpecConstantComposite %v2u32 %a %d
%w = OpSpecConstantComposite %v2u32 %d %s
%quarter = OpSpecConstant %f32 0.3333
)";
  size_t place = 1, number = 0;
  std::string body;
  const auto store = [&](const std::string& id) {
    row.globals += format("%at{} = OpConstant %u32 {}\n", place, place);
    body += format("%p{0} = OpAccessChain %p_word %out %c_u32_0 %at{0}\nOpStore %p{0} {1}\n", place,
                   id);
    ++place;
  };
  const auto add = [&](const std::string& type, const std::string& text) {
    const std::string constant = format("%k{}", number), value = format("%n{}", number);
    ++number;
    row.globals += format("{} = OpSpecConstantOp %{} {}\n", constant, type, text);
    const size_t space = text.find(' ');
    body += format("{} = Op{} %{}{}\n", value, text.substr(0, space), type, text.substr(space));
    for (const std::string& id : {constant, value}) {
      if (type == "b") {
        body += format("{0}w = OpSelect %u32 {0} %c_u32_1 %c_u32_0\n", id);
        store(id + "w");
      } else if (type == "v2u32") {
        body += format(
            "{0}x = OpCompositeExtract %u32 {0} 0\n{0}y = OpCompositeExtract %u32 {0} 1\n"
            "{0}s = OpShiftLeftLogical %u32 {0}y %s\n{0}w = OpBitwiseXor %u32 {0}x {0}s\n",
            id);
        store(id + "w");
      } else if (type == "f32") {
        body += format("{0}w = OpBitcast %u32 {0}\n", id);
        store(id + "w");
      } else if (type == "u16") {
        body += format("{0}w = OpUConvert %u32 {0}\n", id);
        store(id + "w");
      } else {
        store(id);
      }
    }
  };
  for (const char* text : words) add("u32", text);
  for (const char* text : booleans) add("b", text);
  for (const char* text : vectors) add("v2u32", text);
  add("u16", "UConvert %a");
  row.globals += "%i = OpSpecConstantOp %i64 SConvert %i_a\n";
  row.globals.insert(row.globals.find("%v = "), "%i_a = OpSpecConstant %i32 -5\n");
  body += "%il = OpSConvert %i32 %i\n%iw = OpBitcast %u32 %il\n%jw = OpBitcast %u32 %i_a\n";
  store("%iw");
  store("%jw");
  add("f32", "QuantizeToF16 %quarter");
  row.body = body + "$r = OpIAdd %u32 %c_u32_0 %c_u32_1";
  const std::string text = RowAssembly(row, {{}}, RowForm::kBuffers);
  const auto module = Assembled(text, row.version);
  ASSERT_TRUE(module);
  for (const auto& [a, b] :
       {std::pair<uint32_t, uint32_t>{100, 7}, {0xfffffff9, 3}, {0x80000000, 0x7fffffff}, {5, 5}}) {
    Bindings bindings;
    bindings.buffers = {StorageBuffer(0, std::string(4, '\0')),
                        StorageBuffer(1, std::string(4 * place, '\0'))};
    bindings.constants = {{0, 32, a}, {1, 32, b}, {2, 32, 1}};
    const auto program = ProgramOf(*module, bindings);
    ASSERT_TRUE(program);
    const RunReport report = refract::Run(*program);
    ASSERT_FALSE(report.trap) << report.trap->message;
    const std::vector<uint32_t> out = WordsOf(report.outputs.buffers.at(1).bytes);
    for (size_t i = 1; i < out.size(); i += 2) {
      EXPECT_EQ(out[i], out[i + 1]) << "operation " << i / 2 << " of " << a << " and " << b;
    }
    EXPECT_EQ(out[5], a + b);
    EXPECT_EQ(out[7], a - b);
    EXPECT_EQ(out[9], a * b);
    EXPECT_EQ(out[11], a / b);
    for (const std::string& driver : DriverNames()) {
      std::string why;
      const auto outputs = RunOnDriver(driver, module->words, bindings, &why);
      if (!outputs) continue;
      std::vector<uint32_t> theirs = WordsOf(outputs->buffers.at(1).bytes);
      // The last word is off by a rounding.
      for (const size_t i : {out.size() - 2, out.size() - 1}) theirs[i] = out[i];
      EXPECT_EQ(theirs, out) << driver;
    }
  }
}

}  // namespace
}  // namespace refract
