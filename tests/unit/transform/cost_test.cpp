// SPDX-License-Identifier: Apache-2.0
#include "transform/function/cost.h"

#include <gtest/gtest.h>

#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

// %main calls %outer in a loop, %outer calls %inner in a loop, and nothing calls %idle.
constexpr char kModule[] = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%bool = OpTypeBool
%true = OpConstantTrue %bool
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%m0 = OpLabel
OpBranch %m1
%m1 = OpLabel
OpLoopMerge %m4 %m3 None
OpBranchConditional %true %m2 %m4
%m2 = OpLabel
%call1 = OpFunctionCall %void %outer
OpBranch %m3
%m3 = OpLabel
OpBranch %m1
%m4 = OpLabel
OpReturn
OpFunctionEnd
%outer = OpFunction %void None %type
%o0 = OpLabel
OpBranch %o1
%o1 = OpLabel
OpLoopMerge %o4 %o3 None
OpBranchConditional %true %o2 %o4
%o2 = OpLabel
%call2 = OpFunctionCall %void %inner
OpBranch %o3
%o3 = OpLabel
OpBranch %o1
%o4 = OpLabel
OpReturn
OpFunctionEnd
%inner = OpFunction %void None %type
%i0 = OpLabel
OpReturn
OpFunctionEnd
%idle = OpFunction %void None %type
%d0 = OpLabel
OpReturn
OpFunctionEnd
)";

class CostTest : public testing::Test {
 protected:
  CostTest() {
    const auto words = Assemble(kModule, TargetEnvironment::kVulkan11);
    EXPECT_TRUE(words);
    auto module = ReadModule(*words, "module");
    EXPECT_TRUE(module);
    context_.module = *std::move(module);
    ForEachFunction(context_.module, [&](Function function) { functions_.push_back(function); });
    EXPECT_EQ(functions_.size(), 4u);
  }
  Block BlockAt(size_t function, size_t position) const {
    return context_.module.Flow(functions_[function]).order[position];
  }
  Context context_;
  std::vector<Function> functions_;  // main, outer, inner, idle
};

// Instructions outside of loops count once, inside one loop 16 times, inside two nested loops 256
// times.
TEST_F(CostTest, WeighsLoopsAndCalls) {
  const double inner = 2, outer = 4 + 16 * (3 + 3 + 2 + inner), main = 4 + 16 * (8 + outer);
  const Cost cost{View(context_)};
  EXPECT_EQ(cost.total(), 1 + main);
  EXPECT_EQ(cost.OfCall(BlockAt(0, 0), functions_[2]), inner);
  EXPECT_EQ(cost.OfCall(BlockAt(0, 2), functions_[1]), 16 * outer);
  EXPECT_EQ(cost.OfCall(BlockAt(1, 2), functions_[3]), 256 * 2);
  EXPECT_EQ(cost.OfCall(BlockAt(3, 0), functions_[2]), 0);
  EXPECT_EQ(cost.OfCaller(BlockAt(3, 0), functions_[2]), 2 + inner);
  EXPECT_EQ(cost.OfCaller(BlockAt(1, 2), functions_[3]), outer + 16 * 2);
}

// Dead blocks cost nothing, and the loops of a live-safe function have 64 iterations in total.
TEST_F(CostTest, UsesFacts) {
  const Module& module = context_.module;
  context_.facts.SetLiveSafe(module.FunctionId(functions_[1]), {});
  {
    const Cost cost{View(context_)};
    EXPECT_EQ(cost.OfCall(BlockAt(1, 2), functions_[2]), 16 * 64 * 2);
  }
  context_.facts.SetDead(module.LabelId(BlockAt(0, 2)), {});
  const Cost cost{View(context_)};
  EXPECT_EQ(cost.total(), 1 + 4 + 16 * 5);
  EXPECT_EQ(cost.OfCall(BlockAt(0, 2), functions_[1]), 0);
}

}  // namespace
}  // namespace refract
