// SPDX-License-Identifier: Apache-2.0
#include "ir/grammar/operand_rules.h"

#include <gtest/gtest.h>

#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

constexpr std::string_view kShader = R"(OpCapability Shader
OpCapability Int64
%1 = OpExtInstImport "GLSL.std.450"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %2 "main"
OpExecutionMode %2 OriginUpperLeft
%3 = OpTypeVoid
%4 = OpTypeFunction %3
%5 = OpTypeFloat 32
%6 = OpTypeInt 32 1
%7 = OpTypeInt 64 0
%8 = OpConstant %6 1
%9 = OpConstant %7 7
%10 = OpConstant %6 4
%11 = OpTypeArray %5 %10
%12 = OpTypeStruct %5 %11
%13 = OpTypePointer Private %12
%14 = OpTypePointer Private %5
%15 = OpVariable %13 Private
%16 = OpConstant %5 2
%17 = OpTypeImage %5 2D 0 0 0 1 Unknown
%18 = OpTypePointer UniformConstant %17
%19 = OpVariable %18 UniformConstant
%20 = OpTypeFunction %5 %14 %6
%2 = OpFunction %3 None %4
%30 = OpLabel
%31 = OpAccessChain %14 %15 %8 %10
%32 = OpLoad %5 %31
%33 = OpExtInst %5 %1 FMin %32 %16
%34 = OpCopyObject %14 %31
%35 = OpLoad %17 %19
%36 = OpCopyObject %17 %35
%37 = OpFunctionCall %5 %40 %15 %8
OpSelectionMerge %38 None
OpSwitch %9 %38 7 %38
%38 = OpLabel
OpReturn
OpFunctionEnd
%40 = OpFunction %5 None %20
%41 = OpFunctionParameter %14
%42 = OpFunctionParameter %6
%43 = OpLabel
OpReturnValue %16
OpFunctionEnd
)";

class OperandRules : public testing::Test {
 protected:
  void SetUp() override {
    const auto words = Assemble(kShader, TargetEnvironment::kUniversal10);
    ASSERT_TRUE(words) << words.error().message;
    auto module = ReadModule(*words, "test");
    ASSERT_TRUE(module) << module.error().message;
    module_ = std::move(*module);
  }
  Inst At(uint64_t id) const { return module_.Find(Name{0, id}); }
  OperandRole Role(Inst inst, uint32_t index) const {
    return RuleOfOperand(module_, inst, index).role;
  }
  Module module_;
};

TEST_F(OperandRules, RolesOfIndicesDependOnTheType) {
  EXPECT_EQ(Role(At(31), 0), OperandRole::kPointer);
  EXPECT_EQ(Role(At(31), 1), OperandRole::kConstant);  // a member of the struct
  EXPECT_EQ(Role(At(31), 2), OperandRole::kValue);     // an element of the array
  EXPECT_TRUE(RuleOfOperand(module_, At(31), 2).sign_agnostic);
  EXPECT_FALSE(TakesAnyValue(module_, At(31), 1));
  EXPECT_TRUE(TakesAnyValue(module_, At(31), 2));
}

TEST_F(OperandRules, RolesOfValuesDependOnTheType) {
  EXPECT_EQ(Role(At(34), 0), OperandRole::kPointer);
  EXPECT_EQ(Role(At(36), 0), OperandRole::kOpaque);
  EXPECT_EQ(Role(At(37), 0), OperandRole::kFunction);
  EXPECT_EQ(Role(At(37), 1), OperandRole::kArgument);
  EXPECT_EQ(Role(At(37), 2), OperandRole::kValue);
}

TEST_F(OperandRules, ExtendedInstructionsHaveRoles) {
  EXPECT_EQ(ExtInstSetOf(module_, At(33)), ExtInstSet::kGlsl);
  EXPECT_EQ(&PropertiesOf(module_, At(33)), &PropertiesOfGlsl(*GlslByName("FMin")));
  EXPECT_EQ(&PropertiesOf(module_, At(32)), &PropertiesOf(spv::Op::OpLoad));
  EXPECT_EQ(Role(At(33), 0), OperandRole::kDeclaration);
  EXPECT_EQ(Role(At(33), 1), OperandRole::kLiteral);
  EXPECT_TRUE(TakesAnyValue(module_, At(33), 2) && TakesAnyValue(module_, At(33), 3));
  EXPECT_EQ(StringAt(module_, At(1), 0), "GLSL.std.450");
}

TEST_F(OperandRules, AWideSwitchHasRoles) {
  const Inst terminator = module_.Terminator(module_.BlockOf(At(31)));
  ASSERT_EQ(module_.Opcode(terminator), spv::Op::OpSwitch);
  ASSERT_EQ(module_.OperandCount(terminator), 5u);
  EXPECT_EQ(Role(terminator, 0), OperandRole::kValue);
  EXPECT_EQ(Role(terminator, 2), OperandRole::kLiteral);
  EXPECT_EQ(Role(terminator, 3), OperandRole::kLiteral);
  EXPECT_EQ(Role(terminator, 4), OperandRole::kLabel);
}

/// The walker and SPIRV-Tools' parser agree on which words are ids.
TEST_F(OperandRules, WalkerAgreesWithTheParser) {
  for (uint32_t i = 0; i < module_.instruction_slots(); ++i) {
    const auto inst = static_cast<Inst>(i);
    if (module_[inst].removed) continue;
    for (uint32_t k = 0; k < module_.OperandCount(inst); ++k) {
      EXPECT_EQ(module_.IsId(inst, k), RuleOfOperand(module_, inst, k).is_id())
          << NameOf(module_.Opcode(inst)) << " operand " << k;
    }
  }
}

}  // namespace
}  // namespace refract
