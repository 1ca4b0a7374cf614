// SPDX-License-Identifier: Apache-2.0
// Self-check detects changes that no transformation may make and facts that do not hold, and names
// the step to blame.
#include "engine/self_check.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "engine/apply_step.h"
#include "engine/audit.h"
#include "engine/execution_facts.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "ir/tools.h"
#include "message/outline_function.h"
#include "rules/context_editor.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

// A colour that depends on a uniform, an undefined value that no output shows, and a block that is
// never executed if x >= 0.
constexpr const char* kShader = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %coord %colour
               OpExecutionMode %main OriginUpperLeft
               OpName %block "block"
               OpMemberName %block 0 "given"
               OpMemberName %block 1 "other"
               OpDecorate %coord BuiltIn FragCoord
               OpDecorate %colour Location 0
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpMemberDecorate %block 1 Offset 4
               OpDecorate %uniforms DescriptorSet 0
               OpDecorate %uniforms Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
     %float4 = OpTypeVector %float 4
        %int = OpTypeInt 32 1
       %bool = OpTypeBool
      %block = OpTypeStruct %int %int
  %block_ptr = OpTypePointer Uniform %block
    %int_ptr = OpTypePointer Uniform %int
   %in_float4 = OpTypePointer Input %float4
  %out_float4 = OpTypePointer Output %float4
   %uniforms = OpVariable %block_ptr Uniform
      %coord = OpVariable %in_float4 Input
     %colour = OpVariable %out_float4 Output
          %zero = OpConstant %int 0
          %one = OpConstant %int 1
         %f0 = OpConstant %float 0
      %undef = OpUndef %float
       %main = OpFunction %void None %fn
      %entry = OpLabel
    %p_given = OpAccessChain %int_ptr %uniforms %zero
    %p_other = OpAccessChain %int_ptr %uniforms %one
      %given = OpLoad %int %p_given
      %other = OpLoad %int %p_other
        %sum = OpIAdd %int %given %other
      %shown = OpConvertSToF %float %sum
      %place = OpLoad %float4 %coord
          %x = OpCompositeExtract %float %place 0
   %negative = OpFOrdLessThan %bool %x %f0
               OpSelectionMerge %end None
               OpBranchConditional %negative %never %end
      %never = OpLabel
               OpBranch %end
        %end = OpLabel
    %product = OpFMul %float %shown %x
        %all = OpCompositeConstruct %float4 %shown %x %product %f0
               OpStore %colour %all
               OpReturn
               OpFunctionEnd
)";

class SelfCheckTest : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::vector<uint32_t>> words = Assemble(kShader, TargetEnvironment::kVulkan10);
    ASSERT_TRUE(words) << words.error().message;
    Make(*words, R"({"given": {"func": "glUniform1i", "args": [3], "binding": 0}})");
  }

  void Make(const std::vector<uint32_t>& words, const std::string& json) {
    Result<Inputs> inputs = ParseInputs("inputs", json);
    ASSERT_TRUE(inputs) << inputs.error().message;
    Result<Original> original =
        MakeOriginal(words, "shader", std::make_shared<const Inputs>(std::move(*inputs)), {});
    ASSERT_TRUE(original) << original.error().message;
    original_ = std::move(*original);
  }

  // The n-th instruction with that opcode in the main function.
  Inst Find(spv::Op opcode, int n = 0) const {
    const Module& module = original_.context.module;
    for (size_t i = 1; i < module.instruction_slots(); ++i) {
      const Inst inst = static_cast<Inst>(i);
      if (module.Opcode(inst) == opcode && n-- == 0) return inst;
    }
    return Inst::kNone;
  }
  Id Value(spv::Op opcode, int n = 0) const {
    return original_.context.module.Result(Find(opcode, n));
  }

  // The original with one operand of an instruction replaced.
  Context With(Inst user, uint32_t index, Id operand) const {
    Context context = original_.context;
    ContextEditor(context, 1).SetOperand(user, index, Arg(operand));
    return context;
  }

  std::string Ask(const Context& variant) {
    SelfCheck check(original_.context, "shader", {.seed = 5});
    EXPECT_EQ(check.unavailable(), "");
    return check.FindDifference(variant, true).value_or("nothing");
  }

  Original original_;
};

TEST_F(SelfCheckTest, FindsNothingInTheOriginal) {
  EXPECT_EQ(Ask(original_.context), "nothing");
}

TEST_F(SelfCheckTest, FindsAnotherColour) {
  const Context wrong = With(Find(spv::Op::OpFMul), 1, Value(spv::Op::OpConvertSToF));
  EXPECT_NE(Ask(wrong).find("component 2 of the output at location 0: it is 0x"), std::string::npos)
      << Ask(wrong);
}

// The variant is the same as long as `other`, which is not given, is zero.
TEST_F(SelfCheckTest, VariesInputsThatAreNotGiven) {
  const Context wrong = With(Find(spv::Op::OpIAdd), 1, Value(spv::Op::OpConstant, 0));
  SelfCheck zeros(original_.context, "shader", {.seed = 5, .varied = 0});
  EXPECT_EQ(zeros.FindDifference(wrong, true), std::nullopt);
  EXPECT_NE(Ask(wrong), "nothing");
}

TEST_F(SelfCheckTest, UndefinedValuesMustNotBecomeVisible) {
  const Context wrong = With(Find(spv::Op::OpCompositeConstruct), 3, Value(spv::Op::OpUndef));
  EXPECT_NE(Ask(wrong).find("it is exact in the original and undefined in the variant"),
            std::string::npos)
      << Ask(wrong);
}

TEST_F(SelfCheckTest, FindsWrongFacts) {
  const Module& module = original_.context.module;
  Context dead = original_.context;
  dead.facts.SetDead(module.LabelId(module.BlockOf(Find(spv::Op::OpFMul))), {});
  EXPECT_NE(Ask(dead).find("known to be dead"), std::string::npos) << Ask(dead);

  Context synonym = original_.context;
  synonym.facts.AddSynonym(Part(Value(spv::Op::OpConvertSToF)),
                           Part(Value(spv::Op::OpCompositeExtract)), {});
  EXPECT_NE(Ask(synonym).find("is known to equal"), std::string::npos) << Ask(synonym);

  Context irrelevant = original_.context;
  irrelevant.facts.SetIrrelevant(Value(spv::Op::OpFMul), {});
  EXPECT_NE(Ask(irrelevant).find("when values that are marked as irrelevant change"),
            std::string::npos)
      << Ask(irrelevant);

  Context uniform = original_.context;
  uniform.facts.SetUniform(Value(spv::Op::OpFMul), {});
  EXPECT_NE(Ask(uniform).find("known to be always the same"), std::string::npos) << Ask(uniform);
}

// A run cannot tell which call of one function corresponds to which call of the other.
TEST_F(SelfCheckTest, NoEqualityLinksTwoFunctions) {
  Context context = original_.context;
  const Module& module = context.module;
  const Block end = module.BlockOf(Find(spv::Op::OpFMul));
  const message::OutlineFunction outline{module.NameOf(module.Label(end)),
                                         module.NameOf(module.Terminator(end))};
  ASSERT_TRUE(ApplyStep(context, 1, outline).check_result);
  EXPECT_EQ(Ask(context), "nothing");
  const Id inside = Value(spv::Op::OpFMul), outside = Value(spv::Op::OpConvertSToF);
  ASSERT_NE(module.FunctionOf(module.Definition(inside)),
            module.FunctionOf(module.Definition(outside)));
  context.facts.AddSynonym(Part(inside), Part(outside), {});
  EXPECT_NE(Ask(context).find("belong to different functions"), std::string::npos) << Ask(context);
}

// A 64-bit value is undefined as a whole, not word by word.
TEST_F(SelfCheckTest, WideUndefinedValuesAreEqual) {
  Result<std::vector<uint32_t>> words = Assemble(R"(
               OpCapability Shader
               OpCapability Int64
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
       %long = OpTypeInt 64 1
       %pair = OpTypeStruct %long %long
       %zero = OpConstant %long 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
      %undef = OpUndef %long
        %sum = OpIAdd %long %undef %zero
       %both = OpCompositeConstruct %pair %zero %sum
       %back = OpCompositeExtract %long %both 1
               OpReturn
               OpFunctionEnd
)",
                                                 TargetEnvironment::kVulkan10);
  ASSERT_TRUE(words) << words.error().message;
  Make(*words, R"({"$compute": {"num_groups": [1, 1, 1]}})");
  Context context = original_.context;
  const Id undefined = Value(spv::Op::OpUndef), both = Value(spv::Op::OpCompositeConstruct);
  context.facts.AddSynonym(Part(Value(spv::Op::OpIAdd)), Part(undefined), {});
  context.facts.AddSynonym(*Part(both).Component(1), Part(undefined), {});
  EXPECT_EQ(Ask(context), "nothing");
  context.facts.AddSynonym(*Part(both).Component(0), Part(undefined), {});
  EXPECT_NE(Ask(context).find("word 0 is undefined in only one of the two values"),
            std::string::npos)
      << Ask(context);
}

// When such a function is tried, it has the inputs that only it reads, although no entry point
// reaches it.
TEST_F(SelfCheckTest, LiveSafeFunctionsHaveInputsOfTheirOwn) {
  Result<std::vector<uint32_t>> words = Assemble(R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint GLCompute %main "main"
               OpExecutionMode %main LocalSize 1 1 1
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpDecorate %uniforms DescriptorSet 0
               OpDecorate %uniforms Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
        %int = OpTypeInt 32 1
     %int_fn = OpTypeFunction %int
      %block = OpTypeStruct %int
%uniform_ptr = OpTypePointer Uniform %block
 %member_ptr = OpTypePointer Uniform %int
   %push_ptr = OpTypePointer PushConstant %block
%pushed_part = OpTypePointer PushConstant %int
       %zero = OpConstant %int 0
   %uniforms = OpVariable %uniform_ptr Uniform
     %pushed = OpVariable %push_ptr PushConstant
       %main = OpFunction %void None %fn
      %entry = OpLabel
               OpReturn
               OpFunctionEnd
      %reads = OpFunction %int None %int_fn
    %reads_1 = OpLabel
       %deep = OpFunctionCall %int %deeper
     %member = OpAccessChain %member_ptr %uniforms %zero
      %value = OpLoad %int %member
        %sum = OpIAdd %int %value %deep
               OpReturnValue %sum
               OpFunctionEnd
     %deeper = OpFunction %int None %int_fn
   %deeper_1 = OpLabel
       %part = OpAccessChain %pushed_part %pushed %zero
     %loaded = OpLoad %int %part
               OpReturnValue %loaded
               OpFunctionEnd
)",
                                                 TargetEnvironment::kVulkan10);
  ASSERT_TRUE(words) << words.error().message;
  Make(*words, R"({"$compute": {"num_groups": [1, 1, 1]}})");
  Context context = original_.context;
  const Function reads = context.module.FunctionOf(Find(spv::Op::OpIAdd));
  context.facts.SetLiveSafe(context.module.FunctionId(reads), {});
  SelfCheck check(original_.context, "shader", {.seed = 5});
  EXPECT_EQ(check.FindDifference(context, true).value_or("nothing"), "nothing");
  EXPECT_EQ(check.uncompared(), 0u) << check.uncompared_reason();
}

// A donated function may compare approximate floats. Its code is still in the module after it was
// inlined and removed.
TEST_F(SelfCheckTest, InlinedLiveSafeFunctionsMayCompareFloats) {
  std::string text = kShader;
  const auto insert = [&](const std::string& before, const std::string& line) {
    text.insert(text.find(before), line + "\n");
  };
  insert("   %negative = OpFOrdLessThan",
         "%third = OpFDiv %float %x %f3\n%back = OpFMul %float %third %f3\n"
         "%same = OpFOrdEqual %bool %back %x");
  insert("      %undef = OpUndef", "%f3 = OpConstant %float 3");
  text += "%donated = OpFunction %void None %fn\n%donated_1 = OpLabel\nOpReturn\nOpFunctionEnd\n";
  Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kVulkan10);
  ASSERT_TRUE(words) << words.error().message;
  Make(*words, R"({"given": {"func": "glUniform1i", "args": [3], "binding": 0}})");
  Context variant = With(Find(spv::Op::OpBranchConditional), 0, Value(spv::Op::OpFOrdEqual));
  EXPECT_EQ(Ask(variant),
            "an approximate value affects control flow or an address in the variant, but not in "
            "the original");
  const Function donated = variant.module.FunctionOf(Find(spv::Op::OpReturn, 1));
  variant.facts.SetLiveSafe(variant.module.FunctionId(donated), {});
  EXPECT_EQ(Ask(variant), "nothing");
  ContextEditor(variant, 2).RemoveFunction(donated);
  EXPECT_EQ(Ask(variant), "nothing");
}

TEST_F(SelfCheckTest, AcceptsRightFacts) {
  Context context = original_.context;
  const Module& module = context.module;
  context.facts.SetNeverRuns(module.LabelId(module.BlockOf(Find(spv::Op::OpBranch))), {});
  context.facts.SetUniform(Value(spv::Op::OpIAdd), {});
  EXPECT_EQ(Ask(context), "nothing");
}

// Inputs that are not given could be anything, so an execution proves nothing.
TEST_F(SelfCheckTest, ExecutionFactsNeedAllInputs) {
  EXPECT_EQ(TakeExecutionFacts(original_), message::ExecutionFacts());
  Make(original_.words, R"({"given": {"func": "glUniform1i", "args": [3], "binding": 0},
                            "other": {"func": "glUniform1i", "args": [4], "binding": 0}})");
  const message::ExecutionFacts taken = TakeExecutionFacts(original_);
  const Module& module = original_.context.module;
  const Block never = module.BlockOf(Find(spv::Op::OpBranch));
  EXPECT_EQ(taken.never_runs, std::vector<Name>{module.NameOf(module.LabelId(never))});
  const auto is_uniform = [&](Id value) {
    return std::find(taken.uniform.begin(), taken.uniform.end(), module.NameOf(value)) !=
           taken.uniform.end();
  };
  EXPECT_TRUE(is_uniform(Value(spv::Op::OpIAdd)));
  EXPECT_TRUE(is_uniform(Value(spv::Op::OpConvertSToF)));
  EXPECT_FALSE(is_uniform(Value(spv::Op::OpFMul)));
  EXPECT_FALSE(is_uniform(Value(spv::Op::OpCompositeExtract)));
}

TEST_F(SelfCheckTest, ExecutionFactsAreKeptInTheRecording) {
  Make(original_.words, R"({"given": {"func": "glUniform1i", "args": [3], "binding": 0},
                            "other": {"func": "glUniform1i", "args": [4], "binding": 0}})");
  FuzzOptions options;
  options.seed = 3;
  options.max_steps = 60;
  options.all_passes = true;
  options.stop_by_chance = false;
  options.self_check = true;
  options.execution_facts = true;
  const Result<FuzzResult> result = Fuzz(original_, options);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->recording.execution_facts, TakeExecutionFacts(original_));
  const Result<message::Recording> read = ReadRecording(WriteRecording(result->recording), "r");
  ASSERT_TRUE(read) << read.error().message;
  const Result<ReplayResult> replayed = Replay(original_, *read, {});
  ASSERT_TRUE(replayed) << replayed.error().message;
  const Audit fuzzed = AuditOf(result->context, true), again = AuditOf(replayed->context, true);
  EXPECT_FALSE(again.uniform.empty());
  EXPECT_EQ(again.uniform, fuzzed.uniform);
  EXPECT_EQ(again.dead_blocks, fuzzed.dead_blocks);
}

// A self-check that objects to one transformation: the error names a step of it, and only that step
// remains.
TEST_F(SelfCheckTest, NamesTheStepAndReducesTheRecording) {
  const auto has_copy = [](const Context& context) {
    const Module& module = context.module;
    for (size_t i = 1; i < module.instruction_slots(); ++i) {
      const Inst inst = static_cast<Inst>(i);
      if (!module[inst].removed && module.Opcode(inst) == spv::Op::OpCopyObject) return true;
    }
    return false;
  };
  FuzzOptions options;
  options.seed = 3;
  options.max_steps = 300;
  // One of these passes copies values, and needs no other step to do so.
  options.passes = {"split_block", "add_dead_block", "add_synonym", "replace_id_with_synonym"};
  options.stop_by_chance = false;
  options.self_check = true;
  message::Recording fault;
  options.fault = &fault;
  options.extra_check = [&](const Context& context) -> std::optional<std::string> {
    if (!has_copy(context)) return std::nullopt;
    return "a value is copied";
  };
  const Result<FuzzResult> result = Fuzz(original_, options);
  ASSERT_FALSE(result);
  const std::string& message = result.error().message;
  EXPECT_EQ(result.error().kind, ErrorKind::kFailed);
  EXPECT_NE(message.find("a value is copied"), std::string::npos) << message;
  ASSERT_FALSE(fault.steps.empty());
  EXPECT_LE(fault.steps.size(), 2u);
  const message::Step& last = fault.steps.back();
  EXPECT_NE(message.find(std::to_string(last.number)), std::string::npos) << message;
  const Result<ReplayResult> replayed = Replay(original_, fault, {});
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_TRUE(has_copy(replayed->context));
  EXPECT_TRUE(replayed->skipped.empty());
}

}  // namespace
}  // namespace refract
