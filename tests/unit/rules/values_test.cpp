// SPDX-License-Identifier: Apache-2.0
#include "rules/values.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/binary.h"
#include "ir/tools.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/known_values.h"
#include "rules/legality/memory.h"
#include "rules/uses.h"

namespace refract {
namespace {

// A uniform block (variable 20), an old storage buffer (22), an array of blocks (24), push
// constants (26) and a private variable (28). Both entry points reach function 60; one uses 20 and
// the other 26.
constexpr std::string_view kShader = R"(OpCapability Geometry
OpCapability StorageUniform16
OpExtension "SPV_KHR_16bit_storage"
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %1 "one"
OpEntryPoint Vertex %2 "two"
OpExecutionMode %1 OriginUpperLeft
OpDecorate %10 Block
OpMemberDecorate %10 0 Offset 0
OpMemberDecorate %10 1 Offset 16
OpMemberDecorate %10 2 Offset 32
OpMemberDecorate %10 3 Offset 48
OpMemberDecorate %10 3 RelaxedPrecision
OpDecorate %11 BufferBlock
OpMemberDecorate %11 0 Offset 0
OpDecorate %12 ArrayStride 16
OpDecorate %20 DescriptorSet 1
OpDecorate %20 Binding 2
OpDecorate %22 DescriptorSet 0
OpDecorate %22 Binding 0
OpDecorate %24 DescriptorSet 0
OpDecorate %24 Binding 1
OpDecorate %70 NonUniform
%3 = OpTypeVoid
%4 = OpTypeFunction %3
%5 = OpTypeInt 32 1
%6 = OpTypeFloat 32
%7 = OpTypeVector %6 4
%8 = OpTypeInt 16 1
%9 = OpConstant %5 2
%12 = OpTypeArray %5 %9
%13 = OpTypeArray %7 %9
%14 = OpTypeStruct %5 %7
%10 = OpTypeStruct %7 %12 %5 %6
%11 = OpTypeStruct %5
%15 = OpTypeArray %10 %9
%16 = OpTypePointer Uniform %10
%17 = OpTypePointer Uniform %11
%18 = OpTypePointer Uniform %15
%19 = OpTypePointer PushConstant %10
%20 = OpVariable %16 Uniform
%22 = OpVariable %17 Uniform
%24 = OpVariable %18 Uniform
%26 = OpVariable %19 PushConstant
%27 = OpTypePointer Private %13
%28 = OpVariable %27 Private
%29 = OpTypePointer Private %6
%30 = OpTypePointer Uniform %5
%31 = OpTypePointer PushConstant %5
%32 = OpConstant %5 0
%33 = OpConstant %5 1
%34 = OpConstant %5 300
%35 = OpTypeArray %5 %34
%36 = OpTypePointer Uniform %10
%37 = OpTypeStruct %8
%38 = OpTypePointer Function %5
%39 = OpTypeFunction %5 %38 %5
%40 = OpTypeArray %13 %9
%1 = OpFunction %3 None %4
%41 = OpLabel
%42 = OpVariable %38 Function
%43 = OpAccessChain %30 %20 %9
%44 = OpLoad %5 %43
%45 = OpFunctionCall %5 %60 %42 %44
%46 = OpAccessChain %36 %24 %33
%47 = OpAccessChain %29 %28 %33 %44
%48 = OpAccessChain %30 %22 %32
%49 = OpAccessChain %30 %20 %33 %34
%50 = OpUndef %5
%51 = OpAccessChain %30 %20 %33 %33
%70 = OpIAdd %5 %44 %45
OpReturn
OpFunctionEnd
%2 = OpFunction %3 None %4
%52 = OpLabel
%53 = OpVariable %38 Function
%54 = OpAccessChain %31 %26 %9
%55 = OpLoad %5 %54
%56 = OpFunctionCall %5 %60 %53 %55
OpReturn
OpFunctionEnd
%60 = OpFunction %5 None %39
%61 = OpFunctionParameter %38
%62 = OpFunctionParameter %5
%63 = OpLabel
%64 = OpLoad %5 %61
%65 = OpIAdd %5 %62 %64
%66 = OpSLessThan %67 %65 %33
OpSelectionMerge %68 None
OpBranchConditional %66 %69 %68
%69 = OpLabel
OpStore %61 %65
OpBranch %68
%68 = OpLabel
%71 = OpPhi %5 %65 %63 %64 %69
OpReturnValue %71
OpFunctionEnd
)";

class Values : public testing::Test {
 protected:
  void SetUp() override { Load(kShader); }

  void Load(std::string_view text) {
    std::string source(text);
    // Declared last so that the numbers above stay readable.
    if (const size_t at = source.find("%1 = OpFunction"); at != std::string::npos) {
      source.insert(at, "%67 = OpTypeBool\n");
    }
    const auto words = Assemble(source, TargetEnvironment::kUniversal13);
    ASSERT_TRUE(words) << words.error().message;
    auto module = ReadModule(*words, "values");
    ASSERT_TRUE(module) << module.error().message;
    context_.module = std::move(*module);
  }

  const Module& module() const { return context_.module; }
  Id At(uint64_t number) const { return module().FindId(Name{0, number}); }
  Inst InstAt(uint64_t number) const { return module().Definition(At(number)); }
  Function FunctionAt(uint64_t number) const { return module().FunctionOfId(At(number)); }
  bool MayBeAny(uint64_t number, uint32_t operand) const {
    return MayBeAnyValue(module(), {InstAt(number), operand});
  }
  std::string Reason(const CheckResult& check_result) const {
    return check_result ? "" : check_result.reason();
  }

  Context context_;
};

TEST_F(Values, CapabilitiesAreImplied) {
  EXPECT_TRUE(HasCapability(module(), spv::Capability::Geometry));
  EXPECT_TRUE(HasCapability(module(), spv::Capability::Shader));
  EXPECT_TRUE(HasCapability(module(), spv::Capability::Matrix));
  EXPECT_FALSE(HasCapability(module(), spv::Capability::Kernel));
  EXPECT_FALSE(HasCapability(module(), spv::Capability::Int16));
}

TEST_F(Values, NarrowNumbersNeedTheirCapability) {
  EXPECT_TRUE(IsOrdinary(module(), At(14)));
  EXPECT_FALSE(IsOrdinary(module(), At(8)));
  EXPECT_FALSE(IsOrdinary(module(), At(37)));
  EXPECT_FALSE(IsOrdinary(module(), At(16)));
  EXPECT_FALSE(IsDeclarableHere(module(), ScalarConstant(IntType(16, false), 1)));
  EXPECT_TRUE(IsDeclarableHere(module(), ScalarConstant(IntType(32, false), 1)));
}

TEST_F(Values, KnowsTypesOfVariables) {
  EXPECT_TRUE(MayBeVariable(module(), At(5)));
  EXPECT_TRUE(MayBeVariable(module(), At(13)));
  EXPECT_TRUE(MayBeVariable(module(), At(14)));
  EXPECT_FALSE(MayBeVariable(module(), At(10)));  // a block
  EXPECT_FALSE(MayBeVariable(module(), At(12)));  // has a stride
  EXPECT_FALSE(MayBeVariable(module(), At(35)));  // 300 ints
  EXPECT_EQ(ScalarCount(module(), At(40)), 16u);
}

TEST_F(Values, KnowsTypesOfVariablesByValue) {
  message::Type array;
  array.kind = message::Type::Kind::kArray;
  array.count = 64;
  array.parts = {Describe(module(), At(7))};
  EXPECT_TRUE(MayBeVariable(module(), array));
  array.count = 65;
  EXPECT_FALSE(MayBeVariable(module(), array));
  EXPECT_FALSE(
      MayBeVariable(module(), PointerType(spv::StorageClass::Function, IntType(32, true))));
  EXPECT_FALSE(MayBeVariable(module(), Describe(module(), At(10))));
  EXPECT_FALSE(MayBeVariable(module(), IntType(16, true)));
}

TEST_F(Values, KnowsStorageClassesOfVariables) {
  EXPECT_TRUE(MayHaveVariables(module(), static_cast<uint32_t>(spv::StorageClass::Function)));
  EXPECT_TRUE(MayHaveVariables(module(), static_cast<uint32_t>(spv::StorageClass::Private)));
  EXPECT_FALSE(MayHaveVariables(module(), static_cast<uint32_t>(spv::StorageClass::Workgroup)));
  Load(
      "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\n"
      "OpMemoryModel Physical64 OpenCL\n%5 = OpTypeInt 32 0\n");
  EXPECT_FALSE(MayHaveVariables(module(), static_cast<uint32_t>(spv::StorageClass::Private)));
  EXPECT_FALSE(IsDeclarableHere(module(), IntType(32, true)));
  EXPECT_TRUE(IsDeclarableHere(module(), IntType(32, false)));
}

TEST_F(Values, MayHaveSynonymsExplainsItsRefusals) {
  const View view(context_);
  EXPECT_TRUE(MayHaveSynonym(view, At(44)));
  EXPECT_EQ(Reason(MayHaveSynonym(view, At(50))), "the value is an OpUndef");
  EXPECT_EQ(Reason(MayHaveSynonym(view, At(43))), "copying values of this type is not supported");
  EXPECT_EQ(Reason(MayHaveSynonym(view, At(70))), "a decoration on the value forbids the change");
  context_.facts.SetIrrelevant(At(44), {1});
  EXPECT_EQ(Reason(MayHaveSynonym(view, At(44))), "the value is marked as irrelevant");
}

TEST_F(Values, ListsTheNearestValuesFirst) {
  const std::vector<Id> near =
      ValuesNear(module(), module().Terminator(module().BlockOf(InstAt(68))), 8);
  // The phi's inputs are not available after it; 66 and 65 from the block above are.
  ASSERT_GE(near.size(), 3u);
  EXPECT_EQ(near[0], At(71));
  EXPECT_EQ(near[1], At(66));
  EXPECT_NE(std::find(near.begin(), near.end(), At(65)), near.end());
  EXPECT_EQ(std::find(near.begin(), near.end(), At(61)), near.end());
  EXPECT_LE(ValuesNear(module(), InstAt(65), 1).size(), 1u);
}

TEST_F(Values, KnowsEntryPointsThatUseAVariable) {
  EXPECT_TRUE(IsUsedByEntriesReaching(module(), At(20), FunctionAt(1)));
  EXPECT_FALSE(IsUsedByEntriesReaching(module(), At(20), FunctionAt(2)));
  // Both entry points reach the function, and only one of them uses the block.
  EXPECT_FALSE(IsUsedByEntriesReaching(module(), At(20), FunctionAt(60)));
  EXPECT_FALSE(MayBeUsedIn(module(), At(26), FunctionAt(60)));
  EXPECT_TRUE(MayBeUsedIn(module(), At(28), FunctionAt(60)));
  EXPECT_TRUE(MayBeUsedIn(module(), At(61), FunctionAt(60)));
}

TEST_F(Values, KnowsUsesThatMayBeAnyValue) {
  EXPECT_TRUE(MayBeAny(70, 0));
  EXPECT_FALSE(MayBeAny(43, 0));  // a pointer
  EXPECT_FALSE(MayBeAny(43, 1));  // selects a member
  EXPECT_TRUE(MayBeAny(51, 2));   // an element of an array in a block
  EXPECT_FALSE(MayBeAny(46, 1));  // one of several descriptors
  EXPECT_TRUE(MayBeAny(47, 1));
  EXPECT_TRUE(MayBeAny(47, 2));
  EXPECT_FALSE(MayBeAny(45, 0));  // the callee
  EXPECT_FALSE(MayBeAny(45, 1));  // an argument that is a pointer
  EXPECT_TRUE(MayBeAny(45, 2));
  EXPECT_TRUE(MayBeAny(71, 0));
  EXPECT_FALSE(MayBeAny(71, 1));  // the predecessor
}

TEST_F(Values, KnowsPointersThatAreAlwaysGood) {
  EXPECT_TRUE(IsAlwaysValid(module(), At(20)));
  EXPECT_TRUE(IsAlwaysValid(module(), At(61)));
  EXPECT_TRUE(IsAlwaysValid(module(), At(51)));
  EXPECT_FALSE(IsAlwaysValid(module(), At(49)));  // out of range
  EXPECT_FALSE(IsAlwaysValid(module(), At(47)));  // unknown index
  EXPECT_TRUE(IsPartOfVariable(module(), At(47)));
  EXPECT_FALSE(IsPartOfVariable(module(), At(44)));
}

TEST_F(Values, KnowsMemoryThatMayBeReadAndWritten) {
  EXPECT_TRUE(MayLoad(module(), At(43), false));
  EXPECT_EQ(Reason(MayLoad(module(), At(48), false)), "other invocations may write to this memory");
  EXPECT_EQ(Reason(MayLoad(module(), At(48), true)),
            "no instruction reads the memory, so the inputs may have no value for it");
  EXPECT_TRUE(MayStore(module(), At(61)));
  EXPECT_TRUE(MayStore(module(), At(47)));
  EXPECT_EQ(Reason(MayStore(module(), At(43))), "storing to this storage class is not supported");
}

TEST_F(Values, FindsThePlaceOfAnInput) {
  KnownValue input;
  input.set = 1;
  input.binding = 2;
  input.path = {2};
  std::optional<InputPlace> place = FindInput(module(), input);
  ASSERT_TRUE(place);
  EXPECT_EQ(place->variable, At(20));
  EXPECT_EQ(place->type, At(5));
  input.path = {0, 3};
  ASSERT_TRUE(place = FindInput(module(), input));
  EXPECT_EQ(place->type, At(6));
  input.path = {0};  // a vector, as a whole
  ASSERT_TRUE(place = FindInput(module(), input));
  EXPECT_TRUE(IsVector(module(), place->type));
  for (const std::vector<uint32_t>& path :
       {std::vector<uint32_t>{}, {0, 4}, {4}, {2, 0}, {1, 2}, {3}}) {  // 3 may be rounded
    input.path = path;
    EXPECT_FALSE(FindInput(module(), input)) << testing::PrintToString(path);
  }
  input.path = {2};
  input.binding = 3;
  EXPECT_FALSE(FindInput(module(), input));
  input.push_constant = true;
  ASSERT_TRUE(place = FindInput(module(), input));
  EXPECT_EQ(place->variable, At(26));
  // The content of a storage buffer is not a fixed input.
  KnownValue buffer;
  buffer.path = {0};
  EXPECT_FALSE(FindInput(module(), buffer));
  // In an array of blocks, the path begins with the element.
  buffer.binding = 1;
  buffer.path = {0};
  EXPECT_FALSE(FindInput(module(), buffer)) << "a whole block";
  buffer.path = {0, 0};
  EXPECT_TRUE(FindInput(module(), buffer));
}

TEST(KnownValues, PlainFloatsExcludeDenormalsInfinitiesAndNans) {
  EXPECT_TRUE(IsPlainFloat(32, 0x3f800000));
  EXPECT_TRUE(IsPlainFloat(32, 0x80000000));
  EXPECT_TRUE(IsPlainFloat(32, 0x00800000));
  EXPECT_FALSE(IsPlainFloat(32, 0x007fffff));  // a denormal
  EXPECT_FALSE(IsPlainFloat(32, 0x7f800000));  // infinity
  EXPECT_FALSE(IsPlainFloat(32, 0xffc00000));  // a NaN
  EXPECT_TRUE(IsPlainFloat(16, 0x3c00));
  EXPECT_FALSE(IsPlainFloat(16, 0x0001));
  EXPECT_FALSE(IsPlainFloat(16, 0x7c01));
  EXPECT_TRUE(IsPlainFloat(64, 0x3ff0000000000000));
  EXPECT_FALSE(IsPlainFloat(64, 0x000fffffffffffff));
  EXPECT_FALSE(IsPlainFloat(64, 0xfff0000000000000));
}

}  // namespace
}  // namespace refract
