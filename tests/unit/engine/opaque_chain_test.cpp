// SPDX-License-Identifier: Apache-2.0
// The condition of a dead block, from the constant true to arithmetic over uniform loads. Each
// layer is a step of its own that a fuzzer pass proposes, and each can be dropped separately.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/original.h"
#include "engine/replay.h"
#include "engine/self_check.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "ir/types.h"
#include "message/all.h"
#include "message/recording.h"
#include "transform/registry.h"
#include "unit/shared/eager_proposer.h"

namespace refract {
namespace {

constexpr const char* kShader = R"(
               OpCapability Shader
               OpMemoryModel Logical GLSL450
               OpEntryPoint Fragment %main "main" %colour
               OpExecutionMode %main OriginUpperLeft
               OpName %block "block"
               OpMemberName %block 0 "three"
               OpMemberName %block 1 "five"
               OpDecorate %colour Location 0
               OpDecorate %block Block
               OpMemberDecorate %block 0 Offset 0
               OpMemberDecorate %block 1 Offset 4
               OpDecorate %uniforms DescriptorSet 0
               OpDecorate %uniforms Binding 0
       %void = OpTypeVoid
         %fn = OpTypeFunction %void
      %float = OpTypeFloat 32
        %int = OpTypeInt 32 1
       %bool = OpTypeBool
       %true = OpConstantTrue %bool
      %block = OpTypeStruct %int %int
  %block_ptr = OpTypePointer Uniform %block
    %int_ptr = OpTypePointer Uniform %int
  %out_float = OpTypePointer Output %float
   %uniforms = OpVariable %block_ptr Uniform
     %colour = OpVariable %out_float Output
       %zero = OpConstant %int 0
       %main = OpFunction %void None %fn
      %entry = OpLabel
    %p_three = OpAccessChain %int_ptr %uniforms %zero
      %three = OpLoad %int %p_three
      %shown = OpConvertSToF %float %three
               OpBranch %end
        %end = OpLabel
               OpStore %colour %shown
               OpReturn
               OpFunctionEnd
)";

class OpaqueChain : public testing::Test {
 protected:
  void SetUp() override {
    Result<std::vector<uint32_t>> words = Assemble(kShader, TargetEnvironment::kVulkan10);
    ASSERT_TRUE(words) << words.error().message;
    Result<Inputs> inputs =
        ParseInputs("inputs", R"({"three": {"func": "glUniform1i", "args": [3], "binding": 0},
                                  "five": {"func": "glUniform1i", "args": [5], "binding": 0}})");
    ASSERT_TRUE(inputs) << inputs.error().message;
    Result<Original> original =
        MakeOriginal(*words, "shader", std::make_shared<const Inputs>(std::move(*inputs)), {});
    ASSERT_TRUE(original) << original.error().message;
    original_ = std::move(*original);
    context_ = original_.context;
    recording_.module_hash = original_.module_hash;
    recording_.inputs_hash = original_.inputs_hash;
    recording_.entry = original_.context.entry;
  }

  // Adds the next step: the first that `name` proposes after which the condition is `wanted`.
  template <class Wanted>
  void Become(const char* name, Wanted wanted) {
    const uint32_t number = static_cast<uint32_t>(recording_.steps.size()) + 1;
    for (uint64_t seed = 0; seed < 4000; ++seed) {
      EagerProposer proposer(View(context_), seed);
      Registry()[static_cast<size_t>(RegistryIndex(name))].rule->propose(proposer);
      for (const AnyMessage& message : proposer.offers) {
        Context next = context_;
        const StepOutcome outcome = ApplyStep(next, number, message);
        if (!outcome.check_result || Condition(next) != wanted) continue;
        context_ = std::move(next);
        recording_.steps.push_back({number, message, outcome.needs});
        return;
      }
    }
    FAIL() << "no " << name << " makes it " << wanted << "; it is " << Condition(context_);
  }

  // The condition of the conditional branch in words.
  static std::string Condition(const Context& context) {
    const Module& module = context.module;
    std::string text = "no branch";
    ForEachBlock(module, module.first_function(), [&](Block block) {
      const Inst end = module.Terminator(block);
      if (module.Opcode(end) == spv::Op::OpBranchConditional) {
        text = Describe(module, module.IdAt(end, 0));
      }
    });
    return text;
  }

  static std::string Describe(const Module& module, Id value) {
    const Inst inst = module.Definition(value);
    switch (module.Opcode(inst)) {
      case spv::Op::OpConstantTrue:
        return "true";
      case spv::Op::OpConstant:
        return std::to_string(LiteralValue(module, value).value_or(0));
      case spv::Op::OpLoad:
        return "uniform";
      case spv::Op::OpSLessThan:
        return "(" + Describe(module, module.IdAt(inst, 0)) + " < " +
               Describe(module, module.IdAt(inst, 1)) + ")";
      case spv::Op::OpIAdd:
        return "(" + Describe(module, module.IdAt(inst, 0)) + " + " +
               Describe(module, module.IdAt(inst, 1)) + ")";
      default:
        return "something else";
    }
  }

  // Replays without the steps of these numbers and returns the resulting condition.
  std::string Without(const std::vector<uint32_t>& dropped, size_t* applied) {
    ReplayOptions options;
    for (const message::Step& step : recording_.steps) {
      if (std::find(dropped.begin(), dropped.end(), step.number) == dropped.end()) {
        options.steps.push_back(step.number);
      }
    }
    const Result<ReplayResult> replayed = Replay(original_, recording_, options);
    EXPECT_TRUE(replayed) << replayed.error().message;
    if (!replayed) return "";
    *applied = replayed->applied.size();
    const auto invalid = FindInvalid(replayed->words, original_.environment);
    EXPECT_FALSE(invalid) << invalid->message;
    SelfCheck check(original_.context, "shader", {.seed = 5});
    EXPECT_EQ(check.unavailable(), "");
    EXPECT_EQ(check.FindDifference(replayed->context, true).value_or("nothing"), "nothing");
    return Condition(replayed->context);
  }

  Original original_;
  Context context_;
  message::Recording recording_;
};

TEST_F(OpaqueChain, EachLayerIsAStepThatCanBeDropped) {
  const std::pair<const char*, const char*> chain[] = {
      {"add_dead_block", "true"},
      {"replace_bool_constant_with_comparison", "(3 < 8)"},
      {"replace_constant_with_uniform", "(uniform < 8)"},
      {"replace_constant_with_arithmetic", "(uniform < (3 + 5))"},
      {"replace_constant_with_uniform", "(uniform < (uniform + 5))"},
      {"replace_constant_with_uniform", "(uniform < (uniform + uniform))"},
  };
  for (const auto& [name, wanted] : chain) {
    ASSERT_NO_FATAL_FAILURE(Become(name, wanted));
  }
  // Without a step, the steps that depend on it are skipped, and no others.
  const std::pair<const char*, size_t> without[] = {
      {"no branch", 0},
      {"true", 1},
      {"(3 < (uniform + uniform))", 5},
      {"(uniform < 8)", 3},
      {"(uniform < (3 + uniform))", 5},
      {"(uniform < (uniform + 5))", 5},
  };
  for (uint32_t number = 1; number <= std::size(without); ++number) {
    SCOPED_TRACE(number);
    size_t applied = 0;
    EXPECT_EQ(Without({number}, &applied), without[number - 1].first);
    EXPECT_EQ(applied, without[number - 1].second);
    // Their needs say the same.
    std::vector<uint32_t> gone{number};
    for (const message::Step& step : recording_.steps) {
      const auto is_gone = [&](uint32_t need) {
        return std::find(gone.begin(), gone.end(), need) != gone.end();
      };
      if (std::any_of(step.needs.begin(), step.needs.end(), is_gone)) gone.push_back(step.number);
    }
    EXPECT_EQ(recording_.steps.size() - gone.size(), applied);
  }
  size_t applied = 0;
  EXPECT_EQ(Without({}, &applied), std::rbegin(chain)->second);
  EXPECT_EQ(applied, std::size(chain));
}

}  // namespace
}  // namespace refract
