// SPDX-License-Identifier: Apache-2.0
#include "driver/stage.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "base/text.h"
#include "glsl/load.h"
#include "ir/tools.h"
#include "unit/shared/harness_shaders.h"

namespace refract {
namespace {

Job JobOf(const std::string& name, std::string_view body) {
  Job job;
  const auto words = LoadModuleBytes(name, format("#version 450\n{}", body));
  EXPECT_TRUE(words) << words.error().message;
  if (words) job.spirv = words->words;
  return job;
}

EntryPointInfo MustRead(const Job& job) {
  Result<EntryPointInfo> stage = ReadEntryPointInfo(job);
  EXPECT_TRUE(stage) << stage.error().message;
  return stage ? std::move(*stage) : EntryPointInfo();
}

constexpr std::string_view kTargets = R"(
    layout(location = 4) out ivec2 d;
    layout(location = 0, component = 1) out vec2 a;
    layout(location = 0, component = 3) out float b;
    layout(location = 1) out uint c[2];
    void main() { a = vec2(1); b = 1; c[0] = c[1] = 1; d = ivec2(1); gl_FragDepth = 0.5; })";

TEST(EntryPointInfo, OutputsAreFoundByLocationTypeAndComponent) {
  Job job = JobOf("t.frag", kTargets);
  job.bindings.float_target = spv::ImageFormat::Rgba32f;
  const EntryPointInfo stage = MustRead(job);
  EXPECT_FALSE(stage.is_compute());
  ASSERT_EQ(stage.outputs.size(), 4u);
  EXPECT_EQ(stage.outputs[0].format, spv::ImageFormat::Rgba32f);
  EXPECT_EQ(stage.outputs[0].components, 0xeu);
  EXPECT_EQ(stage.outputs[2].location, 2u);
  EXPECT_EQ(stage.outputs[2].format, spv::ImageFormat::Rgba32ui);
  EXPECT_EQ(stage.outputs[3].location, 4u);
  EXPECT_EQ(stage.outputs[3].format, spv::ImageFormat::Rgba32i);
  EXPECT_EQ(stage.outputs[3].components, 3u);
}

TEST(EntryPointInfo, InputsFromAVertexShaderAreRefused) {
  const auto refusal = [&](std::string_view inputs, std::string_view use) {
    const auto stage =
        ReadEntryPointInfo(JobOf("t.frag", format("{}layout(location = 0) out vec4 c;"
                                                  "void main() {{ c = gl_FragCoord{}; }}",
                                                  inputs, use)));
    return stage ? "read" : stage.error().message;
  };
  EXPECT_EQ(refusal("in vec2 uv;", ""), "read");
  EXPECT_EQ(refusal("in vec2 uv;", " + uv.x"),
            "the fragment shader has an input that only a vertex shader can give");
  EXPECT_EQ(refusal("in Varyings { vec2 uv; } v;", " + v.uv.x"),
            "the fragment shader has an input that only a vertex shader can give");
}

constexpr std::string_view kSizes = R"(
    layout(local_size_x_id = 3, local_size_y = 2) in;
    layout(constant_id = 4) const int length = 10;
    shared vec3 row[length];
    shared struct { int a; bool b; double c[3]; } one;
    void main() { row[0] = vec3(1); one.a = 1; one.b = true; one.c[0] = 1; })";

TEST(EntryPointInfo, QuadOperationsBeforeTheFragmentShaderAreFound) {
  const auto quads = [](std::string_view vertex, std::string_view fragment) {
    constexpr std::string_view kBefore =
        "#extension GL_KHR_shader_subgroup_quad : require\nlayout(location = 0) {}"
        "void main() {{ {}; }}";
    Job job = JobOf("t.vert", format(kBefore, "out vec4 c;", vertex));
    job.bindings.companion.spirv =
        JobOf("t.frag", format(kBefore, "in vec4 v; layout(location = 0) out vec4 c;", fragment))
            .spirv;
    job.bindings.companion.entry = "main";
    job.bindings.companion.model = spv::ExecutionModel::Fragment;
    return MustRead(job).quads_early;
  };
  EXPECT_FALSE(quads("c = vec4(1)", "c = subgroupQuadSwapHorizontal(v)"));
  EXPECT_TRUE(quads("c = subgroupQuadBroadcast(vec4(gl_VertexIndex), 1)", "c = v"));
  EXPECT_TRUE(quads("c = subgroupQuadSwapDiagonal(vec4(gl_VertexIndex))", "c = v"));
}

TEST(EntryPointInfo, SizesFollowTheSpecialisationConstants) {
  Job job = JobOf("t.comp", kSizes);
  EntryPointInfo stage = MustRead(job);
  EXPECT_TRUE(stage.is_compute());
  EXPECT_EQ(stage.local_size[0], 1u);
  EXPECT_EQ(stage.local_size[1], 2u);
  EXPECT_EQ(stage.local_size[2], 1u);
  EXPECT_EQ(stage.shared_bytes, 10u * 12 + 4 + 4 + 24);
  EXPECT_FALSE(stage.subgroups);
  job.bindings.constants = {{3, 32, 48}, {4, 32, 1}};
  stage = MustRead(job);
  EXPECT_EQ(stage.local_size[0], 48u);
  EXPECT_EQ(stage.shared_bytes, 12u + 4 + 4 + 24);
}

TEST(EntryPointInfo, AComputedWorkgroupSizeIsUnknown) {
  constexpr const char* kText = R"(
    OpCapability Shader
    OpMemoryModel Logical GLSL450
    OpEntryPoint GLCompute %main "main"
    OpExecutionMode %main LocalSize 5 5 5
    OpDecorate %x SpecId 0
    OpDecorate %size BuiltIn WorkgroupSize
    %void = OpTypeVoid
    %function = OpTypeFunction %void
    %uint = OpTypeInt 32 0
    %uvec3 = OpTypeVector %uint 3
    %x = OpSpecConstant %uint 4
    %ones = OpSpecConstantComposite %uvec3 %x %x %x
    %size = OpSpecConstantOp %uvec3 IAdd %ones %ones
    %main = OpFunction %void None %function
    %start = OpLabel
    OpReturn
    OpFunctionEnd)";
  const auto words = LoadModuleBytes("t.spvasm", kText);
  ASSERT_TRUE(words) << words.error().message;
  Job job;
  job.spirv = words->words;
  for (const auto& side : MustRead(job).local_size) EXPECT_FALSE(side.has_value());
}

// Modules are validated before they run, but if a worker crashed here, the driver would be blamed.
TEST(EntryPointInfo, DamagedModulesAreReadOrRefused) {
  Random random(11);
  const std::vector<std::vector<uint32_t>> modules = {
      JobOf("t.frag", kTargets).spirv, JobOf("t.comp", kSizes).spirv, EverythingShader()};
  int read = 0;
  for (int round = 0; round < 6000; ++round) {
    Job job;
    job.spirv = modules[random.Below(modules.size())];
    job.entry = random.Below(8) == 0 ? "draw" : "main";
    for (uint64_t edits = 1 + random.Below(3); edits > 0; --edits) {
      uint32_t& word = job.spirv[5 + random.Below(job.spirv.size() - 5)];
      word = random.Below(2) == 0 ? job.spirv[5 + random.Below(job.spirv.size() - 5)]
                                  : word ^ 1u << random.Below(8);
    }
    if (ReadEntryPointInfo(job)) ++read;
  }
  EXPECT_GT(read, 500);
}

}  // namespace
}  // namespace refract
