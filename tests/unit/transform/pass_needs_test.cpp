// SPDX-License-Identifier: Apache-2.0
// Passes that a run leaves out: each of them exists, and is left out only if the module lacks what
// it needs.
#include "transform/pass_needs.h"

#include <gtest/gtest.h>

#include <set>

#include "ir/binary.h"
#include "ir/tools.h"
#include "transform/registry.h"

namespace refract {
namespace {

constexpr char kPlain[] = R"(
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%m0 = OpLabel
OpReturn
OpFunctionEnd
)";

// The passes that a run on the module leaves out.
std::set<std::string_view> LeftOut(const std::string& text) {
  const Result<std::vector<uint32_t>> words = Assemble(text, TargetEnvironment::kVulkan11);
  EXPECT_TRUE(words) << words.error().message;
  const Result<Module> module = ReadModule(*words, "test");
  EXPECT_TRUE(module);
  std::set<std::string_view> names;
  for (const RegistryEntry& entry : Registry()) {
    if (!MayFindOpportunity(entry.name, *module)) names.insert(entry.name);
  }
  return names;
}

// The same for the plain module with these capabilities.
std::set<std::string_view> LeftOutWith(std::string capabilities) {
  capabilities += kPlain;
  return LeftOut(capabilities);
}

TEST(PassNeeds, AllAreLeftOutOfAPlainModule) {
  EXPECT_EQ(LeftOutWith("OpCapability Shader").size(), 25u);
}

TEST(PassNeeds, CapabilitiesAndInstructionsBringThemBack) {
  const std::string subgroups = "OpCapability Shader\nOpCapability GroupNonUniform";
  EXPECT_EQ(LeftOutWith(subgroups).count("expand_inclusive_scan"), 0u);
  EXPECT_EQ(LeftOutWith(subgroups).count("set_sample_lod"), 1u);
  const std::string wide = "OpCapability Shader\nOpCapability Int64";
  EXPECT_EQ(LeftOutWith(wide).count("split_wide_operation"), 0u);
  const std::string kills = R"(OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
%void = OpTypeVoid
%type = OpTypeFunction %void
%main = OpFunction %void None %type
%m0 = OpLabel
OpKill
OpFunctionEnd
)";
  EXPECT_EQ(LeftOut(kills).count("replace_kill_with_terminate"), 0u);
  EXPECT_EQ(LeftOut(kills).size(), 24u);
}

}  // namespace
}  // namespace refract
