// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/text.h"
#include "ir/grammar/properties.h"
#include "ir/tools.h"

namespace refract {
namespace {

using spv::Op;

/// The roles of all words as letters; in capitals if the rule depends on the words.
std::string Roles(Op op, std::vector<uint32_t> words, ExtInstSet set = ExtInstSet::kOther,
                  uint32_t switch_words = 1) {
  std::string letters;
  for (uint32_t i = 0; i < words.size(); ++i) {
    const OperandRule rule = RuleOfOperand(op, words, i, set, switch_words);
    char letter = "-vcipaotfldx"[static_cast<int>(rule.role)];
    if (letter == 'v' && rule.sign_agnostic) letter = 's';
    if (letter == 'v' && rule.dynamically_uniform) letter = 'u';
    if (letter == 'c' && rule.sign_agnostic) letter = 'k';
    letters += letter;
    // Without the words, the rule is the same or unknown.
    const OperandRule alone = RuleOfOperand(op, i);
    EXPECT_TRUE(alone == rule || alone == OperandRule()) << NameOf(op) << " operand " << i;
  }
  return letters;
}

TEST(OperandRule, PlainOperandsHaveRoles) {
  EXPECT_EQ(Roles(Op::OpIAdd, {1, 2}), "ss");
  EXPECT_EQ(Roles(Op::OpUDiv, {1, 2}), "vv");
  EXPECT_EQ(Roles(Op::OpAccessChain, {1, 2, 3, 4}), "piii");
  EXPECT_EQ(Roles(Op::OpFunctionCall, {1, 2, 3}), "faa");
  EXPECT_EQ(Roles(Op::OpPhi, {1, 2, 3, 4}), "vlvl");
  EXPECT_EQ(Roles(Op::OpCompositeInsert, {1, 2, 3, 4}), "vv--");
  EXPECT_EQ(Roles(Op::OpControlBarrier, {1, 2, 3}), "kkk");
  EXPECT_EQ(Roles(Op::OpAtomicIAdd, {1, 2, 3, 4}), "pkkv");
  EXPECT_EQ(Roles(Op::OpTypeArray, {1, 2}), "tx");
  EXPECT_EQ(RuleOfOperand(Op::OpIAdd, 1), (OperandRule{OperandRole::kValue, true, false}));
}

TEST(OperandRule, OperandsAfterMasksAndStringsHaveRoles) {
  EXPECT_EQ(Roles(Op::OpLoad, {1, 2, 4}), "p--");
  EXPECT_EQ(Roles(Op::OpLoad, {1, 2 | 0x10, 4, 9}), "p--k");
  EXPECT_EQ(Roles(Op::OpImageSampleImplicitLod, {1, 2, 1 | 8, 3, 4}), "ov-vc");
  EXPECT_EQ(Roles(Op::OpImageSampleExplicitLod, {1, 2, 4, 3, 4}), "ov-vv");
  EXPECT_EQ(Roles(Op::OpImageGather, {1, 2, 3, 0x20, 4}), "ovc-c");
  EXPECT_EQ(Roles(Op::OpEntryPoint, {4, 4, 0x6e69616d, 0, 8, 9}), "-f--dd");
  EXPECT_EQ(Roles(Op::OpName, {4, 0x6e69616d, 0}), "d--");
  EXPECT_EQ(Roles(Op::OpExecutionModeId, {4, 38, 1, 2, 3}), "f-ccc");  // LocalSizeId
}

TEST(OperandRule, RolesOfSwitchSpecConstantAndExtendedInstructions) {
  EXPECT_EQ(Roles(Op::OpSwitch, {1, 2, 7, 3, 8, 4}), "vl-l-l");
  EXPECT_EQ(Roles(Op::OpSwitch, {1, 2, 7, 0, 3}, ExtInstSet::kOther, 2), "vl--l");
  const auto word = [](Op op) { return static_cast<uint32_t>(op); };
  EXPECT_EQ(Roles(Op::OpSpecConstantOp, {word(Op::OpIAdd), 1, 2}), "-kk");
  EXPECT_EQ(Roles(Op::OpSpecConstantOp, {word(Op::OpSelect), 1, 2, 3}), "-ccc");
  EXPECT_EQ(Roles(Op::OpSpecConstantOp, {word(Op::OpCompositeExtract), 1, 2}), "-c-");
  EXPECT_EQ(Roles(Op::OpSpecConstantOp, {word(Op::OpAccessChain), 1, 2}), "-xx");
  EXPECT_EQ(Roles(Op::OpExtInst, {1, *GlslByName("FClamp"), 2, 3, 4}, ExtInstSet::kGlsl), "d-vvv");
  EXPECT_EQ(Roles(Op::OpExtInst, {1, *GlslByName("UMin"), 2, 3}, ExtInstSet::kGlsl), "d-ss");
  EXPECT_EQ(Roles(Op::OpExtInst, {1, *GlslByName("Modf"), 2, 3}, ExtInstSet::kGlsl), "d-vp");
  EXPECT_EQ(Roles(Op::OpExtInst, {1, 1, 2}), "d-x");
}

/// A module that executes `body` once; the result of `body` is %result.
std::string Around(const std::string& body) {
  return "OpCapability Shader\nOpCapability Int64\n%glsl = OpExtInstImport \"GLSL.std.450\"\n"
         "OpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n"
         "OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n"
         "%function = OpTypeFunction %void\n%bool = OpTypeBool\n%float = OpTypeFloat 32\n"
         "%int = OpTypeInt 32 1\n%uint = OpTypeInt 32 0\n%int_v = OpConstant %int 1\n"
         "%long = OpTypeInt 64 1\n%ulong = OpTypeInt 64 0\n%uint_v = OpConstant %uint 1\n%vec2 = "
         "OpTypeVector %float 2\n"
         "%vec4 = OpTypeVector %float 4\n%float_v = OpConstant %float 1\n%true = OpConstantTrue "
         "%bool\n"
         "%main = OpFunction %void None %function\n%label = OpLabel\n" +
         body + "\nOpReturn\nOpFunctionEnd\n";
}

bool IsValid(const std::string& body) {
  const auto words = Assemble(Around(body), TargetEnvironment::kVulkan11);
  EXPECT_TRUE(words) << body << ": " << words.error().message;
  return words && Validate(*words, TargetEnvironment::kVulkan11);
}

/// Tests every sign-agnostic operand: where int operands are valid, the validator must accept uint
/// for each 's' of the letters, and the other way round. Returns whether anything was tried.
bool TrySigns(const std::string& instruction, std::string_view letters) {
  bool tried = false;
  for (const std::string result :
       {"%int", "%uint", "%long", "%ulong", "%bool", "%float", "%vec2", "%vec4"}) {
    for (const bool is_signed : {false, true}) {
      // All operands have one signedness, but 'v' is a float if the result is one (Ldexp).
      const auto body = [&](size_t flipped) {
        std::string text = format("%result = {}", format(fmt::runtime(instruction), result));
        for (size_t i = 0; i < letters.size(); ++i) {
          const bool as_float = letters[i] == 'v' && result == "%float";
          text += as_float ? " %float_v" : (is_signed != (i == flipped)) ? " %int_v" : " %uint_v";
        }
        return text;
      };
      if (!IsValid(body(letters.size()))) continue;
      for (size_t i = 0; i < letters.size(); ++i) {
        if (letters[i] != 's') continue;
        tried = true;
        EXPECT_TRUE(IsValid(body(i))) << body(i);
      }
    }
  }
  return tried;
}

TEST(OperandRule, TheValidatorRefusesTheOtherSignElsewhere) {
  // Shows that the next test is meaningful: these operands have no 's', and the validator refuses
  // them.
  EXPECT_TRUE(IsValid("%result = OpUDiv %uint %uint_v %uint_v"));
  EXPECT_FALSE(IsValid("%result = OpUDiv %uint %int_v %uint_v"));
  EXPECT_FALSE(IsValid("%result = OpSelect %int %true %int_v %uint_v"));
  EXPECT_FALSE(IsValid("%result = OpBitFieldInsert %int %int_v %uint_v %int_v %int_v"));
  EXPECT_FALSE(IsValid("%result = OpBitReverse %int %uint_v"));
}

TEST(OperandRule, TheValidatorAcceptsEitherSignForSignAgnosticOperands) {
  int tried = 0;
  for (const OpcodeGrammar& opcode : AllOpcodes()) {
    const std::string_view letters = PropertiesOf(opcode.op).operands;
    if (letters.find('s') == std::string_view::npos) continue;
    if (letters.find_first_not_of("vs") != std::string_view::npos) continue;
    if (opcode.op == Op::OpVectorExtractDynamic || opcode.op == Op::OpVectorInsertDynamic) continue;
    EXPECT_TRUE(TrySigns(std::string(opcode.name) + " {}", letters)) << opcode.name;
    ++tried;
  }
  for (const GlslGrammar& instruction : AllGlsl()) {
    const std::string_view letters = PropertiesOfGlsl(instruction.number).operands;
    if (letters.find('s') == std::string_view::npos || letters[0] == 'x') continue;
    EXPECT_TRUE(TrySigns(format("OpExtInst {{}} %glsl {}", instruction.name), letters))
        << instruction.name;
    ++tried;
  }
  EXPECT_GE(tried, 45);
}

}  // namespace
}  // namespace refract
