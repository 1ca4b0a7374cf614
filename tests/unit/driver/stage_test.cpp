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
  EXPECT_EQ(stage.workgroups.at(0).local_size[0], 1u);
  EXPECT_EQ(stage.workgroups.at(0).local_size[1], 2u);
  EXPECT_EQ(stage.workgroups.at(0).local_size[2], 1u);
  EXPECT_EQ(stage.workgroups.at(0).shared_bytes, 10u * 12 + 4 + 4 + 24);
  EXPECT_FALSE(stage.subgroups);
  job.bindings.constants = {{3, 32, 48}, {4, 32, 1}};
  stage = MustRead(job);
  EXPECT_EQ(stage.workgroups.at(0).local_size[0], 48u);
  EXPECT_EQ(stage.workgroups.at(0).shared_bytes, 12u + 4 + 4 + 24);
}

constexpr std::string_view kTaskShader = R"(
    #extension GL_EXT_mesh_shader : require
    layout(local_size_x_id = 3) in;
    struct Sent { vec3 a; uint b[2]; };
    taskPayloadSharedEXT Sent sent;
    shared uint sum[5];
    void main() { sum[0] = 1; sent.b[1] = sum[0]; EmitMeshTasksEXT(1, 1, 1); })";
constexpr std::string_view kMeshShader = R"(
    #extension GL_EXT_mesh_shader : require
    layout(local_size_x = 2, local_size_y = 3) in;
    layout(lines, max_vertices = 6, max_primitives = 5) out;
    struct Sent { vec3 a; uint b[2]; };
    taskPayloadSharedEXT Sent sent;
    out gl_MeshPerVertexEXT { vec4 gl_Position; } gl_MeshVerticesEXT[];
    layout(location = 0) out vec3 colour[];
    layout(location = 1) perprimitiveEXT out uvec2 mark[];
    void main() {
      SetMeshOutputsEXT(2, 1);
      gl_MeshVerticesEXT[0].gl_Position = vec4(sent.a, 1);
      colour[1] = sent.a;
      mark[0] = uvec2(1);
      gl_PrimitiveLineIndicesEXT[0] = uvec2(0, 1);
    })";
constexpr std::string_view kMeshFragment = R"(
    #extension GL_EXT_mesh_shader : require
    layout(location = 0) in vec3 colour;
    {}in flat uvec2 mark;
    layout(location = 0) out vec4 c;
    void main() {{ c = vec4(colour, float(mark.x)); }})";

// A job with a mesh shader under test, a task shader and a fragment shader.
Job MeshJob(std::string_view mesh, std::string_view mark) {
  Job job = JobOf("t.mesh", mesh);
  job.bindings.companion = {
      JobOf("t.task", kTaskShader).spirv, "main", {{3, 32, 7}}, spv::ExecutionModel::TaskEXT};
  job.bindings.built.push_back({JobOf("t.frag", format(kMeshFragment, mark)).spirv,
                                "main",
                                {},
                                spv::ExecutionModel::Fragment});
  return job;
}

TEST(EntryPointInfo, TaskAndMeshShadersOfAPipelineAreRead) {
  const Job job = MeshJob(kMeshShader, "layout(location = 1) perprimitiveEXT ");
  const EntryPointInfo stage = MustRead(job);
  const std::vector<spv::ExecutionModel> all = {
      spv::ExecutionModel::TaskEXT, spv::ExecutionModel::MeshEXT, spv::ExecutionModel::Fragment};
  EXPECT_EQ(stage.stages, all);
  EXPECT_TRUE(stage.linked);
  const Workgroups* task = stage.WorkgroupsOf(spv::ExecutionModel::TaskEXT);
  const Workgroups* mesh = stage.WorkgroupsOf(spv::ExecutionModel::MeshEXT);
  ASSERT_TRUE(task != nullptr && mesh != nullptr);
  EXPECT_EQ(task->local_size[0], 7u) << "by its own specialisation constants";
  EXPECT_EQ(task->shared_bytes, 20u);
  EXPECT_EQ(task->payload_bytes, 20u);
  EXPECT_EQ(mesh->local_size[1], 3u);
  EXPECT_EQ(mesh->payload_bytes, 20u);
  EXPECT_EQ(stage.mesh_outputs.vertices, 6u);
  EXPECT_EQ(stage.mesh_outputs.primitives, 5u);
  EXPECT_EQ(stage.mesh_outputs.vertex_components, 7u) << "position and colour";
  EXPECT_EQ(stage.mesh_outputs.primitive_components, 2u);
  ASSERT_EQ(stage.outputs.size(), 1u);
}

TEST(EntryPointInfo, MeshShadersThatDoNotFitTheOthersAreRefused) {
  const auto refusal = [](const Job& job) {
    const auto stage = ReadEntryPointInfo(job);
    return stage ? "read" : stage.error().message;
  };
  EXPECT_EQ(refusal(MeshJob(kMeshShader, "layout(location = 1) ")),
            "location 1, component 0 is for each primitive in only one of the mesh shader and the "
            "fragment shader");
  EXPECT_EQ(refusal(MeshJob(kMeshShader, "layout(location = 2) perprimitiveEXT ")),
            "the fragment shader reads location 2, component 0, which the mesh shader does not "
            "write");
  const auto replaced = [](std::string_view from, std::string_view to) {
    std::string mesh(kMeshShader);
    mesh.replace(mesh.find(from), from.size(), to);
    return MeshJob(mesh, "layout(location = 1) perprimitiveEXT ");
  };
  for (const std::string_view other : {"uint b[3]", "int b[2]", "uint b[2]; uint c"}) {
    EXPECT_EQ(refusal(replaced("uint b[2]", other)),
              "the payload has different types in the task shader and in the mesh shader");
  }
  EXPECT_EQ(refusal(replaced("max_vertices = 6", "max_vertices = 0")),
            "the mesh shader has no OutputVertices or OutputPrimitivesEXT, or 0 of them");
  Job without = MeshJob(kMeshShader, "layout(location = 1) perprimitiveEXT ");
  without.bindings.companion = std::move(without.bindings.built[0]);
  without.bindings.built.clear();
  EXPECT_EQ(MustRead(without).stages.size(), 2u) << "a pipeline without a task shader";
}

// A shader that traces rays, with the payload `ray` for its own rays.
std::vector<uint32_t> RayShader(const std::string& name, std::string_view body) {
  const auto loaded = LoadModuleBytes(
      name, format("#version 460\n#extension GL_EXT_ray_tracing : require\n"
                   "layout(binding = 0) uniform accelerationStructureEXT scene;\n{}",
                   body));
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? loaded->words : std::vector<uint32_t>();
}

constexpr std::string_view kTracing = R"(
    layout(location = 0) rayPayloadEXT uint ray;
    void main() { traceRayEXT(scene, 0u, 1u, 0, 0, 0, vec3(0), 0.0, vec3(1), 1.0, 0); })";

TEST(EntryPointInfo, ShadersThatTraceRaysAreRead) {
  using Model = spv::ExecutionModel;
  constexpr std::string_view kHit = "layout(location = 1) rayPayloadInEXT uint in_ray; {}";
  const auto job_with = [&](std::string_view hit_body) {
    Job job;
    job.spirv = RayShader("t.rahit", "void main() { ignoreIntersectionEXT; }");
    job.bindings.companion = {RayShader("t.rgen", kTracing), "main", {}, Model::RayGenerationKHR};
    job.bindings.built = {
        {RayShader("t.rmiss", "void main() {}"), "main", {}, Model::MissKHR},
        {RayShader("t.rcall", "void main() {}"), "main", {}, Model::CallableKHR},
        {RayShader("t.rchit", format(kHit, hit_body)), "main", {}, Model::ClosestHitKHR}};
    return job;
  };
  const EntryPointInfo stage = MustRead(job_with("void main() { in_ray = 1u; }"));
  EXPECT_EQ(stage.stages,
            (std::vector<Model>{Model::RayGenerationKHR, Model::AnyHitKHR, Model::ClosestHitKHR,
                                Model::MissKHR, Model::CallableKHR}));
  EXPECT_EQ(stage.ray_depth, 1u);
  EXPECT_EQ(MustRead(job_with(kTracing)).ray_depth, 2u) << "a hit traces rays, too";
  EXPECT_EQ(stage.hit_attribute_bytes, 0u);
  Job boxes = job_with("void main() {}");
  boxes.spirv = RayShader("t.rint",
                          "struct Place { mat4 all; uint sides[3]; bool near; };\n"
                          "hitAttributeEXT Place place; void main() { place.near = true; }");
  EXPECT_EQ(MustRead(boxes).hit_attribute_bytes, 80u) << "above the 32 that all devices allow";
  Job without = job_with("void main() {}");
  without.bindings.built.erase(without.bindings.built.begin());
  const auto lacking = ReadEntryPointInfo(without);
  ASSERT_FALSE(lacking);
  EXPECT_EQ(lacking.error().message, "the shaders are not those of one pipeline");
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
  const EntryPointInfo stage = MustRead(job);
  for (const auto& side : stage.workgroups.at(0).local_size) EXPECT_FALSE(side.has_value());
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
