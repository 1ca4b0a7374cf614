// SPDX-License-Identifier: Apache-2.0
// Atomics of the interpreter: values, order, races, undefined and approximate operands.
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

RunOptions Ordered(Schedule::Order order) {
  RunOptions options;
  options.schedule.order = order;
  return options;
}

struct AtomicCase {
  const char* name;
  const char* statement;  // by each of 8 invocations, i = 0..7
  uint32_t start, end;
};

class EachAtomic : public testing::TestWithParam<AtomicCase> {};

TEST_P(EachAtomic, LeavesInMemoryWhatItShould) {
  Bindings bindings = ComputeBindings();
  std::memcpy(bindings.buffers[0].bytes.data(), &GetParam().start, 4);
  const InterpRun run = InterpretCompute(GetParam().statement, {}, "", 8, bindings);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), GetParam().end);
  EXPECT_EQ(run.shadow(0), 0);
}

INSTANTIATE_TEST_SUITE_P(
    Interp, EachAtomic,
    testing::Values(AtomicCase{"IAdd", "atomicAdd(data[0], i);", 5, 33},
                    AtomicCase{"IAddWraps", "atomicAdd(data[0], 0x20000000u);", 7, 7},
                    AtomicCase{"UMin", "atomicMin(data[0], i + 3);", 0xffffffff, 3},
                    AtomicCase{"UMinKeeps", "atomicMin(data[0], i + 3);", 1, 1},
                    AtomicCase{"UMax", "atomicMax(data[0], i);", 3, 7},
                    AtomicCase{"And", "atomicAnd(data[0], ~(1u << i));", 0xfff, 0xf00},
                    AtomicCase{"Or", "atomicOr(data[0], 1u << i);", 0x100, 0x1ff},
                    AtomicCase{"Xor", "atomicXor(data[0], 1u << i);", 0xf, 0xf0},
                    AtomicCase{"Exchange", "atomicExchange(data[0], i + 1);", 0, 8},
                    AtomicCase{"CompareExchange", "atomicCompSwap(data[0], i, i + 1);", 0, 8},
                    AtomicCase{"CompareExchangeFails", "atomicCompSwap(data[0], 9, i);", 8, 8}),
    [](const auto& info) { return info.param.name; });

TEST(InterpAtomics, SignedMinimumAndMaximum) {
  const InterpRun run = InterpretCompute(
      "atomicMin(least, int(i) - 4); atomicMax(most, 3 - int(i)); barrier();"
      "if (i == 0) { data[0] = uint(least); data[1] = uint(most); }",
      {}, "shared int least; shared int most;");
  EXPECT_TRUE(run.trapped("the atomic instruction changes memory that was never written"))
      << run.trap() << run.error;
  const InterpRun begun = InterpretCompute(
      "if (i == 0) { least = 100; most = -100; } barrier();"
      "atomicMin(least, int(i) - 4); atomicMax(most, 3 - int(i)); barrier();"
      "if (i == 0) { data[0] = uint(least); data[1] = uint(most); }",
      {}, "shared int least; shared int most;");
  EXPECT_EQ(begun.trap(), "");
  EXPECT_EQ(static_cast<int32_t>(begun.word(0)), -4);
  EXPECT_EQ(static_cast<int32_t>(begun.word(1)), 3);
}

// OpAtomicIIncrement, IDecrement, ISub, Load and Store: GLSL has no words for the first three.
constexpr const char* kCounters = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main" %index
               OpExecutionMode %main LocalSize 8 1 1
               OpDecorate %index BuiltIn LocalInvocationIndex
               OpDecorate %array ArrayStride 4
               OpDecorate %block BufferBlock
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %data DescriptorSet 0
               OpDecorate %data Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %uint = OpTypeInt 32 0
         %u0 = OpConstant %uint 0
         %u1 = OpConstant %uint 1
         %u2 = OpConstant %uint 2
         %u3 = OpConstant %uint 3
         %u4 = OpConstant %uint 4
         %u8 = OpConstant %uint 8
        %u40 = OpConstant %uint 40
      %array = OpTypeRuntimeArray %uint
      %block = OpTypeStruct %array
      %p_blk = OpTypePointer Uniform %block
     %p_uint = OpTypePointer Uniform %uint
       %p_in = OpTypePointer Input %uint
       %data = OpVariable %p_blk Uniform
      %index = OpVariable %p_in Input
       %main = OpFunction %void None %fn
      %label = OpLabel
          %i = OpLoad %uint %index
         %d0 = OpAccessChain %p_uint %data %u0 %u0
         %d1 = OpAccessChain %p_uint %data %u0 %u1
         %d2 = OpAccessChain %p_uint %data %u0 %u2
         %d3 = OpAccessChain %p_uint %data %u0 %u3
         %di = OpIAdd %uint %i %u8
         %d8 = OpAccessChain %p_uint %data %u0 %di
          %a = OpAtomicIIncrement %uint %d0 %u1 %u0
          %b = OpAtomicIDecrement %uint %d1 %u1 %u0
          %c = OpAtomicISub %uint %d2 %u1 %u0 %i
               OpAtomicStore %d3 %u1 %u0 %i
          %e = OpAtomicLoad %uint %d0 %u1 %u0
               OpStore %d8 %a
               OpReturn
               OpFunctionEnd
)";

InterpRun RunAssembly(const std::string& text, const RunOptions& options = {}) {
  const auto words = Assemble(text, TargetEnvironment::kUniversal13);
  if (!words) {
    InterpRun run;
    run.error = words.error().message;
    return run;
  }
  return InterpretWords(*words, ComputeBindings(), options);
}

TEST(InterpAtomics, CountersGiveWhatWasThereBefore) {
  const InterpRun forward = RunAssembly(kCounters);
  EXPECT_EQ(forward.error, "");
  EXPECT_EQ(forward.trap(), "");
  EXPECT_EQ(forward.word(0), 8u);
  EXPECT_EQ(forward.word(1), 0xfffffff8u);
  EXPECT_EQ(forward.word(2), 0u - 28);
  EXPECT_EQ(forward.word(3), 7u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(forward.word(8 + i), i);
}

// Which of the invocations is first is open, and so is what depends on it.
TEST(InterpAtomics, TakeTheirTurnsInTheOrderOfTheSchedule) {
  const InterpRun backward = RunAssembly(kCounters, Ordered(Schedule::Order::kBackward));
  EXPECT_EQ(backward.word(3), 0u);
  for (uint32_t i = 0; i < 8; ++i) EXPECT_EQ(backward.word(8 + i), 7 - i);
  RunOptions options = Ordered(Schedule::Order::kShuffled);
  options.schedule.seed = 3;
  const InterpRun shuffled = RunAssembly(kCounters, options);
  EXPECT_NE(shuffled.report.outputs, backward.report.outputs);
  EXPECT_NE(shuffled.report.outputs, RunAssembly(kCounters).report.outputs);
  EXPECT_EQ(shuffled.word(0), 8u);
}

TEST(InterpAtomics, SixtyFourBits) {
  const InterpRun run = InterpretCompute(
      "if (i == 0) sum = 0xffffffffUL; barrier(); atomicAdd(sum, 1UL); barrier();"
      "if (i == 0) { data[0] = uint(sum); data[1] = uint(sum >> 32); }",
      {}, "shared uint64_t sum;");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 7u);
  EXPECT_EQ(run.word(1), 1u);
}

TEST(InterpAtomics, RaceWithPlainAccessesOnly) {
  EXPECT_TRUE(
      InterpretCompute("atomicAdd(data[0], 1); data[i + 1] = data[0];").trapped("a data race"));
  EXPECT_TRUE(
      InterpretCompute("if (i == 3) data[0] = 1; atomicAdd(data[0], 1);").trapped("OpAtomicIAdd"));
  // Two workgroups meet in one place: atomics may.
  const InterpRun run =
      InterpretCompute("atomicAdd(data[0], 1);", {}, "", 8, ComputeBindings(64, 5));
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 40u);
}

TEST(InterpAtomics, UndefinedOperandsTrap) {
  EXPECT_TRUE(
      InterpretCompute("uint u; atomicAdd(data[0], u);")
          .trapped("an undefined value is stored to memory that other invocations can read"));
  EXPECT_TRUE(
      InterpretCompute("uint u; atomicCompSwap(data[0], 0, u);")
          .trapped("an undefined value is stored to memory that other invocations can read"));
  EXPECT_TRUE(InterpretCompute("uint u; atomicCompSwap(data[0], u, 1);").trapped("the comparator"));
  EXPECT_TRUE(InterpretCompute("atomicAdd(data[i * 10], 1);")
                  .trapped("index 70 is out of range: the array has 64 elements"));
}

TEST(InterpAtomics, WhatIsNeverWrittenIsUndefined) {
  const std::string memory = "shared uint word;";
  EXPECT_TRUE(InterpretCompute("data[i] = atomicAdd(word, 1);", {}, memory)
                  .trapped("the atomic instruction changes memory that was never written"));
  EXPECT_TRUE(
      InterpretCompute("data[i] = atomicExchange(word, 1);", {}, memory).trapped("OpStore after"));
}

TEST(InterpAtomics, ApproximateValuesMakeMemoryApproximate) {
  const InterpRun run = InterpretCompute(
      "float x = 1.0 / (3.0 + float(data[7])); atomicMax(data[0], floatBitsToUint(x));"
      "atomicMax(data[1], i);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.shadow(0), 1);
  EXPECT_EQ(run.shadow(1), 0);
  EXPECT_FALSE(run.report.approximate_control);
  const InterpRun compared = InterpretCompute(
      "float x = 1.0 / (3.0 + float(data[7])); atomicCompSwap(data[0], floatBitsToUint(x), 1);");
  EXPECT_TRUE(compared.report.approximate_control);
  EXPECT_EQ(compared.shadow(0), 1);
}

TEST(InterpAtomics, SumsOfFloatsDependOnTheOrder) {
  const InterpRun run = InterpretCompute(
      "if (i == 0) sum = 0.0; barrier(); atomicAdd(sum, 0.5); barrier();"
      "if (i == 0) data[0] = floatBitsToUint(sum);",
      {}, "shared float sum;");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 4.0f);
  EXPECT_EQ(run.shadow(0), 1);
}

TEST(InterpAtomics, HelperInvocationsDoNothing) {
  Bindings bindings = ComputeBindings();
  bindings.width = bindings.height = 3;  // 4 quads, 7 helper invocations
  const InterpRun run = Interpret(GlslStage::kFragment,
                                  "#version 450\n"
                                  "layout(binding = 0) buffer Data { uint data[]; };\n"
                                  "layout(location = 0) out vec4 colour;\n"
                                  "void main() { atomicAdd(data[0], 1); colour = vec4(1); }\n",
                                  bindings);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.word(0), 9u);
  // What one gets is undefined: it may not steer.
  const InterpRun steered =
      Interpret(GlslStage::kFragment,
                "#version 450\n"
                "layout(binding = 0) buffer Data { uint data[]; };\n"
                "layout(location = 0) out vec4 colour;\n"
                "void main() { colour = vec4(1); if (atomicAdd(data[0], 1) > 4) colour.x = 0; }\n",
                bindings);
  EXPECT_TRUE(steered.trapped("the condition or selector is undefined")) << steered.trap();
}

}  // namespace
}  // namespace refract
