// SPDX-License-Identifier: Apache-2.0
// Subgroup operations and integer dot products of the interpreter.
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

RunOptions Four() {
  RunOptions options;
  options.schedule.subgroup_size = 4;
  return options;
}

struct GroupCase {
  const char* name;
  const char* expression;  // of 8 invocations in two subgroups, i = 0..7
  std::vector<uint32_t> values;
};

class EachGroupOperation : public testing::TestWithParam<GroupCase> {};

TEST_P(EachGroupOperation, GivesWhatItShould) {
  const InterpRun run =
      InterpretCompute(std::string("data[i] = uint(") + GetParam().expression + ");", Four());
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(run.word(i), GetParam().values[i]) << i;
  EXPECT_TRUE(run.report.Exact());
}

constexpr uint32_t kMinus1 = 0xffffffff;

INSTANTIATE_TEST_SUITE_P(
    Interp, EachGroupOperation,
    testing::Values(
        GroupCase{"Elect", "subgroupElect()", {1, 0, 0, 0, 1, 0, 0, 0}},
        GroupCase{"All", "subgroupAll(i < 7)", {1, 1, 1, 1, 0, 0, 0, 0}},
        GroupCase{"Any", "subgroupAny(i == 2)", {1, 1, 1, 1, 0, 0, 0, 0}},
        GroupCase{"AllEqual", "subgroupAllEqual(uvec2(i / 4, i / 5))", {1, 1, 1, 1, 0, 0, 0, 0}},
        GroupCase{"AllEqualZeros",
                  "subgroupAllEqual(i == 1 ? uintBitsToFloat(0x80000000u) : float(i / 5))",
                  {1, 1, 1, 1, 0, 0, 0, 0}},
        GroupCase{"Broadcast", "subgroupBroadcast(i, 2)", {2, 2, 2, 2, 6, 6, 6, 6}},
        GroupCase{"BroadcastFirst", "subgroupBroadcastFirst(i + 1)", {1, 1, 1, 1, 5, 5, 5, 5}},
        GroupCase{"Ballot",
                  "subgroupBallot((i & 1) == 1).x + subgroupBallot(true).y",
                  {10, 10, 10, 10, 10, 10, 10, 10}},
        GroupCase{
            "InverseBallot", "subgroupInverseBallot(uvec4(6, 0, 0, 0))", {0, 1, 1, 0, 0, 1, 1, 0}},
        GroupCase{"BitExtract",
                  "subgroupBallotBitExtract(uvec4(6, 0, 0, 0), i % 4)",
                  {0, 1, 1, 0, 0, 1, 1, 0}},
        GroupCase{
            "BitCount", "subgroupBallotBitCount(uvec4(0xfe, 0, 0, 0))", {3, 3, 3, 3, 3, 3, 3, 3}},
        GroupCase{"BitCountInclusive",
                  "subgroupBallotInclusiveBitCount(uvec4(5, 0, 0, 0))",
                  {1, 1, 2, 2, 1, 1, 2, 2}},
        GroupCase{"BitCountExclusive",
                  "subgroupBallotExclusiveBitCount(uvec4(5, 0, 0, 0))",
                  {0, 1, 1, 2, 0, 1, 1, 2}},
        GroupCase{"FindLSB", "subgroupBallotFindLSB(uvec4(12, 0, 0, 0))", {2, 2, 2, 2, 2, 2, 2, 2}},
        GroupCase{
            "FindMSB", "subgroupBallotFindMSB(uvec4(0xf6, 0, 0, 0))", {2, 2, 2, 2, 2, 2, 2, 2}},
        GroupCase{"Shuffle", "subgroupShuffle(i, 3 - i % 4)", {3, 2, 1, 0, 7, 6, 5, 4}},
        GroupCase{"ShuffleXor", "subgroupShuffleXor(i, 1)", {1, 0, 3, 2, 5, 4, 7, 6}},
        GroupCase{"ShuffleUp", "subgroupShuffleUp(i, i % 4 / 2)", {0, 1, 1, 2, 4, 5, 5, 6}},
        GroupCase{
            "ShuffleDown", "subgroupShuffleDown(i, (3 - i % 4) / 2)", {1, 2, 2, 3, 5, 6, 6, 7}},
        GroupCase{"QuadBroadcast", "subgroupQuadBroadcast(i, 3)", {3, 3, 3, 3, 7, 7, 7, 7}},
        GroupCase{"QuadHorizontal", "subgroupQuadSwapHorizontal(i)", {1, 0, 3, 2, 5, 4, 7, 6}},
        GroupCase{"QuadVertical", "subgroupQuadSwapVertical(i)", {2, 3, 0, 1, 6, 7, 4, 5}},
        GroupCase{"QuadDiagonal", "subgroupQuadSwapDiagonal(i)", {3, 2, 1, 0, 7, 6, 5, 4}}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    InterpArithmetic, EachGroupOperation,
    testing::Values(
        GroupCase{"IAdd", "subgroupAdd(i)", {6, 6, 6, 6, 22, 22, 22, 22}},
        GroupCase{"IAddInclusive", "subgroupInclusiveAdd(i)", {0, 1, 3, 6, 4, 9, 15, 22}},
        GroupCase{"IAddExclusive", "subgroupExclusiveAdd(i)", {0, 0, 1, 3, 0, 4, 9, 15}},
        GroupCase{"IAddClustered", "subgroupClusteredAdd(i, 2)", {1, 1, 5, 5, 9, 9, 13, 13}},
        GroupCase{"IMul", "subgroupMul(i + 1)", {24, 24, 24, 24, 1680, 1680, 1680, 1680}},
        GroupCase{"IMulExclusive", "subgroupExclusiveMul(i + 1)", {1, 1, 2, 6, 1, 5, 30, 210}},
        GroupCase{"SMin",
                  "subgroupMin(int(i) - 2)",
                  {kMinus1 - 1, kMinus1 - 1, kMinus1 - 1, kMinus1 - 1, 2, 2, 2, 2}},
        GroupCase{"SMinExclusive",
                  "subgroupExclusiveMin(int(i) - 2)",
                  {0x7fffffff, kMinus1 - 1, kMinus1 - 1, kMinus1 - 1, 0x7fffffff, 2, 2, 2}},
        GroupCase{"SMaxInclusive",
                  "subgroupInclusiveMax(1 - int(i))",
                  {1, 1, 1, 1, kMinus1 - 2, kMinus1 - 2, kMinus1 - 2, kMinus1 - 2}},
        GroupCase{"SMaxExclusive",
                  "subgroupExclusiveMax(-1)",
                  {0x80000000, kMinus1, kMinus1, kMinus1, 0x80000000, kMinus1, kMinus1, kMinus1}},
        GroupCase{"UMin", "subgroupMin(i - 1)", {0, 0, 0, 0, 3, 3, 3, 3}},
        GroupCase{"UMaxExclusive", "subgroupExclusiveMax(i)", {0, 0, 1, 2, 0, 4, 5, 6}},
        GroupCase{"And", "subgroupAnd(i | 8)", {8, 8, 8, 8, 12, 12, 12, 12}},
        GroupCase{"Or", "subgroupInclusiveOr(1u << i)", {1, 3, 7, 15, 16, 48, 112, 240}},
        GroupCase{"Xor", "subgroupXor(i == 3 ? 9u : 1u)", {8, 8, 8, 8, 0, 0, 0, 0}},
        GroupCase{"LogicalAnd", "subgroupAnd(i < 7)", {1, 1, 1, 1, 0, 0, 0, 0}},
        GroupCase{"LogicalOr", "subgroupOr(i == 7)", {0, 0, 0, 0, 1, 1, 1, 1}},
        GroupCase{"LogicalXor", "subgroupInclusiveXor(true)", {1, 0, 1, 0, 1, 0, 1, 0}},
        GroupCase{"FAdd", "subgroupAdd(float(i))", {6, 6, 6, 6, 22, 22, 22, 22}},
        GroupCase{"FMul", "subgroupMul(float(i))", {0, 0, 0, 0, 840, 840, 840, 840}},
        GroupCase{"FMin", "subgroupMin(float(i) + 1.0)", {1, 1, 1, 1, 5, 5, 5, 5}},
        GroupCase{"FMax", "subgroupInclusiveMax(8.0 - float(i))", {8, 8, 8, 8, 4, 4, 4, 4}}),
    [](const auto& info) { return info.param.name; });

TEST(InterpSubgroups, OnlyTheActiveTakePart) {
  const InterpRun run = InterpretCompute(
      "if (i % 2 == 1) { data[i] = subgroupAdd(i); data[8 + i] = uint(subgroupElect()); }", Four());
  EXPECT_EQ(run.word(1), 4u);
  EXPECT_EQ(run.word(3), 4u);
  EXPECT_EQ(run.word(7), 12u);
  EXPECT_EQ(run.word(9), 1u);
  EXPECT_EQ(run.word(11), 0u);
}

TEST(InterpSubgroups, TheSizeIsTheSchedules) {
  const std::string body = "data[i] = subgroupAdd(1u) * 100 + gl_SubgroupSize;";
  RunOptions options = Four();
  EXPECT_EQ(InterpretCompute(body, options).word(0), 404u);
  options.schedule.subgroup_size = 8;
  EXPECT_EQ(InterpretCompute(body, options).word(0), 808u);
  options.schedule.subgroup_size = 128;
  EXPECT_EQ(InterpretCompute("data[i % 64] = subgroupBallot(i >= 96).w;", options, "", 64).word(0),
            0u);
}

TEST(InterpSubgroups, ReconvergenceDecidesWhoIsActive) {
  // After a branch that part of them took, they are together again at once or only at the end of
  // what was uniform.
  const std::string body =
      "uint n = 0; if (i < 6) { if (i < 2) n = 1; data[i] = subgroupAdd(1u) + n; }";
  RunOptions options;
  options.schedule.subgroup_size = 8;
  const InterpRun early = InterpretCompute(body, options);
  options.schedule.late_reconvergence = true;
  const InterpRun late = InterpretCompute(body, options);
  EXPECT_EQ(early.word(0), 7u);
  EXPECT_EQ(late.word(0), 3u);
  EXPECT_EQ(late.word(2), 4u);
}

// --- undefined values and behaviour

class UndefinedInSubgroups : public testing::TestWithParam<const char*> {};

TEST_P(UndefinedInSubgroups, MayNotSteer) {
  const InterpRun run = InterpretCompute(
      std::string("if (i != 3) { if (uint(") + GetParam() + ") > 1) data[0] = 1; }", Four());
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.trapped("the condition or selector is undefined")) << run.trap();
}

INSTANTIATE_TEST_SUITE_P(Interp, UndefinedInSubgroups,
                         testing::Values("subgroupShuffle(i, 3)",        // is not active
                                         "subgroupShuffle(i, 4)",        // is not there
                                         "subgroupShuffleXor(i, 4)",     //
                                         "subgroupShuffleUp(i, 1)",      // of the first
                                         "subgroupShuffleDown(i, 2)",    // of the last
                                         "subgroupBroadcast(i, 3)",      //
                                         "subgroupQuadBroadcast(i, 3)",  //
                                         "subgroupQuadSwapHorizontal(i)",
                                         "subgroupBallotFindLSB(uvec4(0xf0, 0, 0, 0))",
                                         "subgroupBallotFindMSB(uvec4(0))",
                                         "subgroupBallotBitExtract(uvec4(15), 4)",
                                         "subgroupInverseBallot(uvec4(i))"));

TEST(InterpSubgroups, BroadcastsHaveToBeUniform) {
  EXPECT_TRUE(InterpretCompute("data[i] = subgroupBroadcast(i, i % 4);", Four())
                  .trapped("the number of the invocation to read from is not dynamically uniform"));
  EXPECT_TRUE(InterpretCompute("data[i] = subgroupQuadBroadcast(i, i % 4);", Four())
                  .trapped("the number of the invocation to read from is not dynamically uniform"));
  EXPECT_TRUE(InterpretCompute("uint u; data[i] = subgroupShuffle(i, u);", Four())
                  .trapped("the number of the invocation to read from is undefined"));
  EXPECT_TRUE(
      InterpretCompute("uint u; data[i] = uint(subgroupBallotBitExtract(uvec4(1), u));", Four())
          .trapped("the index is undefined"));
}

TEST(InterpSubgroups, ClustersHaveToFit) {
  EXPECT_TRUE(InterpretCompute("data[i] = subgroupClusteredAdd(i, 8);", Four())
                  .trapped("the cluster is larger than the subgroup"));
}

TEST(InterpSubgroups, OneUndefinedOperandMakesTheResultUndefined) {
  for (const char* body :
       {"uint u; if (i < 3) u = i; if (subgroupAdd(u) > 1) data[i] = 1;",
        "float u; if (i < 3) u = i; if (subgroupAdd(u) > 1.0) data[i] = 1;",
        "float u; if (i < 3) u = i; if (subgroupMax(u) > 1.0) data[i] = 1;",
        "bool u; if (i < 3) u = true; if (subgroupAny(u)) data[i] = 1;",
        "bool u; if (i < 3) u = true; if (subgroupBallot(u).x > 1) data[i] = 1;"}) {
    EXPECT_TRUE(InterpretCompute(body, Four()).trapped("the condition or selector is undefined"))
        << body;
  }
}

// --- floats

TEST(InterpSubgroups, SumsThatRoundInSomeOrderAreApproximate) {
  const InterpRun run = InterpretCompute(
      "data[i] = floatBitsToUint(subgroupAdd(i == 0 ? 16777216.0 : i == 1 ? -16777216.0 : 0.5));"
      "data[8 + i] = floatBitsToUint(subgroupAdd(i == 0 ? 4194304.0 : 0.5));"
      "data[16 + i] = floatBitsToUint(subgroupMin(1.0 / float(i + 3)));",
      Four());
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.shadow(0), 1);
  EXPECT_EQ(run.shadow(8), 0);
  EXPECT_EQ(run.number(8), 4194305.5f);
  EXPECT_EQ(run.shadow(16), 1);
}

TEST(InterpSubgroups, InFragmentShadersNothingIsExactButQuads) {
  Bindings bindings;
  bindings.width = bindings.height = 4;
  bindings.float_target = spv::ImageFormat::Rgba32f;
  const InterpRun run = Interpret(
      GlslStage::kFragment,
      "#version 450\n#extension GL_KHR_shader_subgroup_arithmetic : enable\n"
      "#extension GL_KHR_shader_subgroup_quad : enable\n"
      "layout(location = 0) out vec4 colour;\n"
      "void main() { float x = gl_FragCoord.x;\n"
      "colour = vec4(subgroupAdd(1.0), subgroupQuadSwapHorizontal(x), subgroupMax(x), 1); }\n",
      bindings);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.pixel_shadow(0, 0, 0), 1);
  EXPECT_EQ(run.pixel(0, 0, 1), 1.5f);
  EXPECT_EQ(run.pixel_shadow(0, 0, 1), 0);
  EXPECT_EQ(run.pixel_shadow(0, 0, 2), 1);
}

// --- the older instructions, refusals and dot products: as assembly

InterpRun RunBody(const std::string& capabilities, const std::string& constants,
                  const std::string& body) {
  const std::string text = "OpCapability Shader\n" + capabilities + R"(
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index %data
               OpExecutionMode %main LocalSize 8 1 1
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %array ArrayStride 4
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %bool = OpTypeBool
        %int = OpTypeInt 32 1
       %uint = OpTypeInt 32 0
      %uvec4 = OpTypeVector %uint 4
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
         %u3 = OpConstant %uint 3
      %array = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %array
      %p_blk = OpTypePointer StorageBuffer %block
     %p_uint = OpTypePointer StorageBuffer %uint
       %p_in = OpTypePointer Input %uint
       %data = OpVariable %p_blk StorageBuffer
      %index = OpVariable %p_in Input
)" + constants + R"(
       %main = OpFunction %void None %fn
      %label = OpLabel
          %i = OpLoad %uint %index
          %d = OpAccessChain %p_uint %data %u0 %i
)" + body + R"(
               OpStore %d %r
               OpReturn
               OpFunctionEnd
)";
  InterpRun run;
  const auto words = Assemble(text, TargetEnvironment::kUniversal16);
  if (!words) {
    run.error = words.error().message;
    return run;
  }
  return InterpretWords(*words, ComputeBindings(), Four());
}

TEST(InterpSubgroups, OlderInstructions) {
  const std::string capabilities =
      "OpCapability SubgroupBallotKHR\nOpCapability SubgroupVoteKHR\n"
      "OpExtension \"SPV_KHR_shader_ballot\"\nOpExtension \"SPV_KHR_subgroup_vote\"\n";
  const InterpRun run = RunBody(capabilities, "", R"(
      %odd = OpUMod %uint %i %u2
      %p = OpIEqual %bool %odd %u1
      %ballot = OpSubgroupBallotKHR %uvec4 %p
      %x = OpCompositeExtract %uint %ballot 0
      %first = OpSubgroupFirstInvocationKHR %uint %i
      %third = OpSubgroupReadInvocationKHR %uint %i %u3
      %all = OpSubgroupAllKHR %bool %p
      %any = OpSubgroupAnyKHR %bool %p
      %equal = OpSubgroupAllEqualKHR %bool %p
      %a = OpSelect %uint %all %u1 %u0
      %b = OpSelect %uint %any %u2 %u0
      %c = OpSelect %uint %equal %u3 %u0
      %s1 = OpIAdd %uint %x %first
      %s2 = OpIMul %uint %third %s1
      %s3 = OpIAdd %uint %a %b
      %s4 = OpIAdd %uint %s3 %c
      %r = OpIAdd %uint %s2 %s4)");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 3 * 10 + 2u);
  EXPECT_EQ(run.word(7), 7 * 14 + 2u);
  const InterpRun uneven =
      RunBody(capabilities, "", "%r = OpSubgroupReadInvocationKHR %uint %i %i");
  EXPECT_TRUE(
      uneven.trapped("an undefined value is stored to memory that other invocations can read"))
      << uneven.trap() << uneven.error;
}

TEST(InterpSubgroups, RefusedByName) {
  const InterpRun clock =
      RunBody("OpCapability ShaderClockKHR\nOpExtension \"SPV_KHR_shader_clock\"",
              "%uvec2 = OpTypeVector %uint 2",
              "%t = OpReadClockKHR %uvec2 %u3\n"
              "%r = OpCompositeExtract %uint %t 0");
  EXPECT_NE(clock.error.find("OpReadClockKHR"), std::string::npos) << clock.error;
  const InterpRun wide = RunBody("OpCapability GroupNonUniform", "",
                                 "%e = OpGroupNonUniformElect %bool %u2\n"
                                 "%r = OpSelect %uint %e %u1 %u0");
  EXPECT_NE(wide.error.find("OpGroupNonUniformElect"), std::string::npos) << wide.error;
  const InterpRun slope = RunBody("OpCapability DerivativeControl",
                                  "%float = OpTypeFloat 32\n%f1 = OpConstant %float 1",
                                  "%s = OpDPdxFine %float %f1\n%r = OpConvertFToU %uint %s");
  EXPECT_NE(slope.error.find("DerivativeGroupLinear"), std::string::npos) << slope.error;
}

struct DotCase {
  const char* instruction;  // %a, %b: packed words, %c: the accumulator
  uint32_t a, b, c, result;
  bool undefined = false;
};

TEST(InterpDot, PackedProducts) {
  const DotCase cases[] = {
      {"OpUDot %uint %a %b PackedVectorFormat4x8Bit", 0x04030201, 0x01010101, 0, 10},
      {"OpUDot %uint %a %b PackedVectorFormat4x8Bit", 0xffffffff, 0xffffffff, 0, 4 * 255 * 255},
      {"OpSDot %uint %a %b PackedVectorFormat4x8Bit", 0xffffffff, 0x02020202, 0, 0u - 8},
      {"OpSDot %uint %a %b PackedVectorFormat4x8Bit", 0x80808080, 0x80808080, 0, 4 * 128 * 128},
      {"OpSUDot %uint %a %b PackedVectorFormat4x8Bit", 0xffffffff, 0xffffffff, 0, 0u - 1020},
      {"OpSDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit", 0x01010101, 0x01010101, 0x7ffffffd,
       0x7fffffff},
      {"OpSDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit", 0xffffffff, 0x01010101, 0x80000001,
       0x80000000},
      {"OpSDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit", 0x01010101, 0x01010101, 5, 9},
      {"OpUDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit", 0x01010101, 0x01010101, 0xfffffffd,
       0xffffffff},
      {"OpSUDotAccSat %uint %a %b %c PackedVectorFormat4x8Bit", 0xffffffff, 0x01010101, 3, kMinus1},
  };
  for (const DotCase& c : cases) {
    const auto constant = [](const char* name, uint32_t value) {
      return std::string(name) + " = OpConstant %uint " + std::to_string(value) + "\n";
    };
    const InterpRun run =
        RunBody("OpCapability DotProduct\nOpCapability DotProductInput4x8BitPacked\n",
                constant("%a", c.a) + constant("%b", c.b) + constant("%c", c.c),
                std::string("%r = ") + c.instruction);
    EXPECT_EQ(run.error, "") << c.instruction;
    EXPECT_EQ(run.trap(), "") << c.instruction;
    EXPECT_EQ(run.word(0), c.result) << c.instruction << ' ' << c.a;
  }
}

TEST(InterpDot, OfVectors) {
  const std::string capabilities = "OpCapability DotProduct\nOpCapability DotProductInputAll\n";
  const std::string constants =
      "%m = OpConstant %uint 0xffffffff\n"
      "%v = OpConstantComposite %uvec4 %u1 %u2 %u3 %m\n"
      "%big = OpConstantComposite %uvec4 %m %m %m %m\n";
  const InterpRun plain = RunBody(capabilities, constants, "%r = OpUDot %uint %v %v");
  EXPECT_EQ(plain.error, "");
  EXPECT_EQ(plain.word(0), 15u);  // the lower 32 bits
  // A product that overflows before the accumulator is added: the result is undefined.
  const InterpRun lost = RunBody(capabilities, constants, "%r = OpUDotAccSat %uint %big %big %u1");
  EXPECT_TRUE(
      lost.trapped("an undefined value is stored to memory that other invocations can read"))
      << lost.error;
  const InterpRun kept = RunBody(capabilities, constants, "%r = OpSDotAccSat %uint %big %big %u1");
  EXPECT_EQ(kept.word(0), 5u);
}

}  // namespace
}  // namespace refract
