// SPDX-License-Identifier: Apache-2.0
// What the harness runs apart from a single 8-bit image: compute shaders, images, and integer and
// float colour targets. Each test is a shader with inputs as users write them, and the bytes that
// every driver must write, under the validation layer if it is present.
#include <gtest/gtest.h>

#include <cstring>

#include "base/text.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/harness.h"

namespace refract {
namespace {

std::vector<uint32_t> Words(const std::string& bytes) {
  std::vector<uint32_t> words(bytes.size() / 4);
  std::memcpy(words.data(), bytes.data(), 4 * words.size());
  return words;
}

std::vector<float> Floats(const std::string& bytes) {
  std::vector<float> floats(bytes.size() / 4);
  std::memcpy(floats.data(), bytes.data(), 4 * floats.size());
  return floats;
}

class Stages : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    const Result<Target> found = FindTarget(GetParam());
    ASSERT_TRUE(found) << found.error().message;
    target_ = *found;
  }

  /// `name` ends in .comp or .frag; `json` is the text of a shader.json.
  Job JobOf(const std::string& name, std::string_view body, const std::string& json) {
    Job job;
    const auto words = LoadModuleBytes(name, format("#version 450\n{}", body));
    EXPECT_TRUE(words) << words.error().message;
    if (!words) return job;
    const auto module = ReadModule(words->words, name);
    const auto entry = FindEntryPoint(*module, "", name);
    const auto inputs = ParseInputs("t.json", json);
    EXPECT_TRUE(inputs) << inputs.error().message;
    if (!inputs) return job;
    auto resolved = Resolve(*module, *entry, *inputs, "t.json");
    EXPECT_TRUE(resolved) << resolved.error().message;
    if (!resolved) return job;
    EXPECT_EQ(resolved->unused, std::vector<std::string>());
    job.spirv = words->words;
    job.bindings = std::move(resolved->bindings);
    job.time_limit = 60;  // so that a busy machine does not look like a hang
    return job;
  }

  Outputs MustRun(Job job) {
    job.validate = HasLayer();
    Result<RunResult> result = harness_.Run(target_, job);
    if (!result) {
      ADD_FAILURE() << result.error().message;
      return {};
    }
    EXPECT_EQ(result->verdict, RunOutcome::kOk) << result->detail << "\n" << result->output;
    EXPECT_EQ(result->validation_messages, std::vector<std::string>());
    return std::move(result->outputs);
  }
  Outputs MustRun(const std::string& name, std::string_view body, const std::string& json) {
    return MustRun(JobOf(name, body, json));
  }
  std::string Unavailable(const Job& job) {
    const Result<RunResult> result = harness_.Run(target_, job);
    if (result) return "ran";
    EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable);
    const std::string prefix = format("target {}: cannot run this module: ", GetParam());
    EXPECT_TRUE(result.error().message.starts_with(prefix)) << result.error().message;
    return result.error().message.substr(std::min(prefix.size(), result.error().message.size()));
  }
  /// The validation messages after everything is released.
  void TearDown() override { EXPECT_EQ(harness_.Close(), std::vector<std::string>()); }

 private:
  bool HasLayer() {
    Job job = JobOf("t.comp", "layout(local_size_x = 1) in; void main() {}", "{}");
    job.validate = true;
    const Result<RunResult> result = harness_.Run(target_, job);
    return result || result.error().message.find("not installed") == std::string::npos;
  }

  Harness harness_;
  Target target_;
};

TEST_P(Stages, ComputeReadsAndWritesStorageBuffers) {
  const Outputs outputs = MustRun("t.comp", R"(
    layout(local_size_x = 8, local_size_y = 2) in;
    layout(std430, set = 0, binding = 0) readonly buffer In { int bias; int items[]; } a;
    layout(std430, set = 1, binding = 3) buffer Out { int items[]; } b;
    void main() {
      uint wide = gl_NumWorkGroups.x * gl_WorkGroupSize.x;
      uint at = gl_GlobalInvocationID.y * wide + gl_GlobalInvocationID.x;
      b.items[at] += a.items[at] * 3 + a.bias + a.items.length();
    })",
                                  R"({
    "bias": {"func": "glUniform1i", "args": [-5], "binding": 0},
    "In.items": {"func": "glUniform1iv", "args": [7], "count": 96, "binding": 0},
    "Out.items": {"func": "glUniform1iv", "args": [1], "count": 96, "set": 1, "binding": 3},
    "$compute": {"num_groups": [3, 2, 1]}})");
  EXPECT_TRUE(outputs.targets.empty());
  ASSERT_EQ(outputs.buffers.size(), 2u);
  EXPECT_EQ(outputs.buffers[0].bytes.size(), 4u * 97);
  EXPECT_EQ(outputs.buffers[1].set, 1u);
  EXPECT_EQ(Words(outputs.buffers[1].bytes), std::vector<uint32_t>(96, 1 + 21 - 5 + 96));
}

TEST_P(Stages, WorkgroupsShareMemoryAcrossBarriers) {
  const Outputs outputs = MustRun("t.comp", R"(
    layout(local_size_x = 64) in;
    layout(std430, binding = 0) buffer Data { uint items[]; };
    shared uint row[64];
    void main() {
      uint at = gl_LocalInvocationID.x;
      row[at] = items[gl_GlobalInvocationID.x];
      barrier();
      for (uint step = 1; step < 64; step *= 2) {
        uint other = at >= step ? row[at - step] : 0;
        barrier();
        row[at] += other;
        barrier();
      }
      items[gl_GlobalInvocationID.x] = row[63 - at];
    })",
                                  R"({
    "items": {"func": "glUniform1uiv", "args": [2], "count": 256},
    "$compute": {"num_groups": [4, 1, 1]}})");
  ASSERT_EQ(outputs.buffers.size(), 1u);
  const std::vector<uint32_t> sums = Words(outputs.buffers[0].bytes);
  ASSERT_EQ(sums.size(), 256u);
  for (uint32_t i = 0; i < 256; ++i) ASSERT_EQ(sums[i], 2 * (64 - i % 64)) << i;
}

TEST_P(Stages, PushAndSpecialisationConstantsAreSet) {
  const char* shader = R"(
    layout(local_size_x_id = 7) in;
    layout(constant_id = 1) const bool twice = false;
    layout(constant_id = 2) const int offset = 100;
    layout(constant_id = 3) const float scale = 1;
    layout(constant_id = 4) const uint kept = 5;
    layout(push_constant) uniform Push { layout(offset = 8) vec2 v; int i; } push;
    layout(std430, binding = 0) buffer Out { float items[]; };
    void main() {
      float value = (push.v.x + push.v.y) * scale + float(push.i + offset) + float(kept);
      items[gl_GlobalInvocationID.x] = twice ? 2 * value : value;
    })";
  const std::string push = R"(
    "v": {"func": "glUniform2f", "args": [0.5, 1], "push_constant": true},
    "i": {"func": "glUniform1i", "args": [3], "push_constant": true},
    "Out": {"func": "buffer", "size": 16, "binding": 0},)";
  EXPECT_EQ(Floats(MustRun("t.comp", shader, "{" + push + R"(
    "$spec_constants": {"1": true, "2": -1, "3": 4, "7": 3, "55": 1}})")
                       .buffers.at(0)
                       .bytes),
            (std::vector<float>{26, 26, 26, 0}));
  EXPECT_EQ(
      Floats(
          MustRun("t.comp", shader, "{" + push + R"("$spec_constants": {}})").buffers.at(0).bytes),
      (std::vector<float>{109.5, 0, 0, 0}));
}

TEST_P(Stages, FramesMayHaveAnySize) {
  for (const auto& [width, height] : {std::pair<uint32_t, uint32_t>{1, 1}, {37, 5}, {3, 64}}) {
    const Outputs outputs =
        MustRun("t.frag", R"(
      layout(location = 0) out vec4 color;
      void main() { color = vec4(floor(gl_FragCoord.xy) / 255.0, 0.0, 1.0); })",
                format(R"({{"$framebuffer": {{"width": {}, "height": {}}}}})", width, height));
    const Image picture = ImageAtLocation0(outputs);
    ASSERT_EQ(picture.width, width);
    ASSERT_EQ(picture.height, height);
    const uint8_t* last = picture.pixel(picture.pixel_count() - 1);
    EXPECT_EQ(last[0], width - 1);
    EXPECT_EQ(last[1], height - 1);
    EXPECT_EQ(last[3], 255);
  }
}

TEST_P(Stages, TargetsOfEveryTypeAreFoundByLocation) {
  const char* shader = R"(
    layout(location = 0) out vec4 color;
    layout(location = 1) out ivec2 signed_;
    layout(location = 3) out uint unsigned_;
    layout(location = 4) out vec3 rgb[2];
    void main() {
      int x = int(gl_FragCoord.x);
      if (x == 2) discard;
      color = vec4(0.2, float(x), -1, 1);
      signed_ = ivec2(-x, 0x7fffffff);
      unsigned_ = 0xffffffffu - uint(x);
      rgb[0] = vec3(1);
      rgb[1] = vec3(0, 0, float(x));
    })";
  const Outputs outputs = MustRun("t.frag", shader, R"({"$framebuffer":
    {"width": 3, "height": 1, "format": "rgba32f"}})");
  ASSERT_EQ(outputs.targets.size(), 5u);
  const auto& targets = outputs.targets;
  EXPECT_EQ(targets[0].format, spv::ImageFormat::Rgba32f);
  EXPECT_EQ(Floats(targets[0].texels),
            (std::vector<float>{0.2f, 0, -1, 1, 0.2f, 1, -1, 1, 0, 0, 0, 0}));
  EXPECT_EQ(targets[1].format, spv::ImageFormat::Rgba32i);
  EXPECT_EQ(Words(targets[1].texels),
            (std::vector<uint32_t>{0, 0x7fffffff, 0, 1, 0xffffffff, 0x7fffffff, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(targets[2].location, 3u);
  EXPECT_EQ(targets[2].format, spv::ImageFormat::Rgba32ui);
  EXPECT_EQ(Words(targets[2].texels),
            (std::vector<uint32_t>{0xffffffff, 0, 0, 1, 0xfffffffe, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(targets[4].location, 5u);
  EXPECT_EQ(Floats(targets[4].texels), (std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1}));
  EXPECT_TRUE(ImageAtLocation0(outputs).pixels.empty());

  const Outputs bytes = MustRun("t.frag", shader, R"({"$framebuffer": {"width": 3, "height": 1}})");
  EXPECT_EQ(bytes.targets.at(0).texels, std::string("\x33\0\0\xff\x33\xff\0\xff\0\0\0\0", 12));
  EXPECT_EQ(bytes.targets.at(3).texels,
            std::string("\xff\xff\xff\xff\xff\xff\xff\xff\0\0\0\xff", 12));
}

TEST_P(Stages, AShaderMayHaveNoOutputs) {
  const Outputs outputs = MustRun("t.frag", R"(
    layout(std430, binding = 0) buffer Out { uint count; };
    void main() { atomicAdd(count, 1); })",
                                  R"({"count": {"func": "glUniform1ui", "args": [5]},
                                      "$framebuffer": {"width": 8, "height": 4}})");
  EXPECT_TRUE(outputs.targets.empty());
  EXPECT_EQ(Words(outputs.buffers.at(0).bytes)[0], 5u + 32);
}

// Samples texels at their centres, by index and through a separate sampler.
TEST_P(Stages, ImagesAreSampledTexelByTexel) {
  const Outputs outputs = MustRun("t.frag", R"(
    #extension GL_EXT_samplerless_texture_functions : enable
    layout(location = 0) out vec4 centres;
    layout(location = 1) out uvec4 fetched;
    layout(location = 2) out vec4 separate;
    layout(location = 3) out vec4 outside;
    layout(set = 0, binding = 0) uniform sampler2D s;
    layout(set = 0, binding = 1) uniform utexture2D t;
    layout(set = 1, binding = 0) uniform texture2DArray u;
    layout(set = 1, binding = 1) uniform sampler how;
    void main() {
      ivec2 at = ivec2(gl_FragCoord.xy);
      centres = textureLod(s, gl_FragCoord.xy / vec2(8, 4), 0.0);
      fetched = texelFetch(t, at, 0);
      separate = textureLod(sampler2DArray(u, how), vec3(gl_FragCoord.xy / vec2(8, 4), 2.0), 0.0);
      outside = textureLod(s, vec2(1.0 + gl_FragCoord.x / 8.0, 0.125), 0.0);
    })",
                                  R"({
    "s": {"func": "sampler2D", "texture": "noise", "seed": 3, "size": [8, 4]},
    "t": {"func": "texture2D", "texture": "gradient", "format": "rgba32ui", "size": [8, 4]},
    "u": {"func": "texture2DArray", "texture": "checker", "size": [8, 4, 3], "format": "rgba8"},
    "how": {"func": "sampler", "wrap": "clamp"},
    "$framebuffer": {"width": 8, "height": 4}})");
  BoundImage image;
  image.width = 8, image.height = 4;
  FillWithPattern(TexelPattern::kNoise, 3, &image);
  ASSERT_EQ(outputs.targets.size(), 4u);
  EXPECT_EQ(outputs.targets[0].texels, image.texels);
  // By default coordinates wrap: x above 1 starts again at 0.
  EXPECT_EQ(outputs.targets[3].texels.substr(0, 32), image.texels.substr(0, 32));
  image.format = spv::ImageFormat::Rgba32ui;
  FillWithPattern(TexelPattern::kGradient, 0, &image);
  EXPECT_EQ(outputs.targets[1].texels, image.texels);
  image.format = spv::ImageFormat::Rgba8;
  FillWithPattern(TexelPattern::kChecker, 0, &image);  // layer 2 is the same as layer 0
  EXPECT_EQ(outputs.targets[2].texels, image.texels);
}

TEST_P(Stages, FilterAndWrapAreApplied) {
  const char* shader = R"(
    layout(location = 0) out vec4 color;
    layout(binding = 0) uniform sampler1D s;
    void main() {
      float at = gl_FragCoord.x < 1.0 ? 0.5 : gl_FragCoord.x < 2.0 ? -0.25 : 1.25;
      color = textureLod(s, at, 0.0);
    })";
  const auto red = [&](const std::string& how) {
    const Outputs outputs =
        MustRun("t.frag", shader,
                R"({"$framebuffer": {"width": 3, "height": 1, "format": "rgba32f"},
          "s": {"func": "sampler1D", "format": "r32f", "size": [2], "args": [1, 3])" +
                    how + "}}");
    const std::vector<float> texels = Floats(outputs.targets.at(0).texels);
    return std::vector<float>{texels.at(0), texels.at(4), texels.at(8)};
  };
  EXPECT_EQ(red(R"(, "filter": "linear", "wrap": "clamp")"), (std::vector<float>{2, 1, 3}));
  EXPECT_EQ(red(R"(, "filter": "linear")"), (std::vector<float>{2, 3, 1}));
  EXPECT_EQ(red(R"(, "wrap": "clamp")"), (std::vector<float>{3, 1, 3}));
  EXPECT_EQ(red(""), (std::vector<float>{3, 3, 1}));
}

TEST_P(Stages, StorageImagesAreReadAndWritten) {
  const Outputs outputs = MustRun("t.comp", R"(
    layout(local_size_x = 4, local_size_y = 4) in;
    layout(binding = 0, r32ui) uniform uimage2D numbers;
    layout(binding = 1, rgba32f) uniform writeonly image3D floats;
    layout(binding = 2, rgba8) uniform readonly image2D colours;
    void main() {
      ivec2 at = ivec2(gl_GlobalInvocationID.xy);
      uint old = imageLoad(numbers, at).x;
      imageStore(numbers, at, uvec4(old * 2u + uint(imageSize(numbers).x)));
      imageStore(floats, ivec3(at, 1), imageLoad(colours, at) + vec4(at, 0, 0));
      imageAtomicAdd(numbers, ivec2(0), 0u);
    })",
                                  R"({
    "numbers": {"func": "image2D", "args": [7], "format": "r32ui", "size": [8, 4]},
    "floats": {"func": "image3D", "size": [8, 4, 2]},
    "colours": {"func": "image2D", "args": [255, 0, 255, 255], "format": "rgba8", "size": [8, 4]},
    "$compute": {"num_groups": [2, 1, 1]}})");
  ASSERT_EQ(outputs.images.size(), 3u);
  EXPECT_EQ(Words(outputs.images[0].texels), std::vector<uint32_t>(32, 22));
  const std::vector<float> floats = Floats(outputs.images[1].texels);
  ASSERT_EQ(floats.size(), 8u * 4 * 2 * 4);
  EXPECT_EQ(floats[0], 0);  // slice 0 was not written
  const size_t at = (32 + 3 * 8 + 5) * 4;
  EXPECT_EQ((std::vector<float>(floats.begin() + at, floats.begin() + at + 4)),
            (std::vector<float>{6, 3, 1, 1}));
  EXPECT_EQ(outputs.images[2].texels.substr(0, 4), std::string("\xff\0\xff\xff", 4));
}

// Every format is read back unchanged.
TEST_P(Stages, FormatsKeepTheirTexels) {
  const struct {
    const char *name, *type, *prefix;
  } formats[] = {
      {"rgba8", "image2D", ""},     {"rgba8_snorm", "image2D", ""}, {"r32f", "image2D", ""},
      {"rgba16f", "image2D", ""},   {"rgba32f", "image2D", ""},     {"rgba8i", "iimage2D", "i"},
      {"rgba16i", "iimage2D", "i"}, {"r32i", "iimage2D", "i"},      {"rgba32i", "iimage2D", "i"},
      {"rgba8ui", "uimage2D", "u"}, {"rgba16ui", "uimage2D", "u"},  {"r32ui", "uimage2D", "u"},
      {"rgba32ui", "uimage2D", "u"}};
  for (const auto& row : formats) {
    const Outputs outputs = MustRun("t.comp",
                                    format(R"(
      layout(local_size_x = 5, local_size_y = 3) in;
      layout(binding = 0, {0}) uniform readonly {1} a;
      layout(binding = 1, {0}) uniform writeonly {1} b;
      void main() {{
        ivec2 at = ivec2(gl_GlobalInvocationID.xy);
        imageStore(b, at, imageLoad(a, at));
      }})",
                                           row.name, row.type),
                                    format(R"({{
      "a": {{"func": "image2D", "texture": "noise", "format": "{0}", "size": [5, 3]}},
      "b": {{"func": "image2D", "format": "{0}", "size": [5, 3]}}}})",
                                           row.name));
    ASSERT_EQ(outputs.images.size(), 2u) << row.name;
    EXPECT_EQ(outputs.images[1].texels, outputs.images[0].texels) << row.name;
    EXPECT_NE(outputs.images[1].texels, std::string(outputs.images[1].texels.size(), '\0'));
  }
}

TEST_P(Stages, CubesAndCubeArraysAreSampled) {
  const Outputs outputs = MustRun("t.comp", R"(
    layout(local_size_x = 6) in;
    layout(binding = 0) uniform samplerCube c;
    layout(binding = 1) uniform itextureCubeArray many;
    layout(binding = 2) uniform sampler how;
    layout(std430, binding = 3) buffer Out { ivec2 items[6]; };
    const vec3 axes[6] = vec3[](vec3(1, 0, 0), vec3(-1, 0, 0), vec3(0, 1, 0), vec3(0, -1, 0),
                                vec3(0, 0, 1), vec3(0, 0, -1));
    void main() {
      uint at = gl_LocalInvocationID.x;
      items[at].x = int(textureLod(c, axes[at], 0.0).x);
      items[at].y = textureLod(isamplerCubeArray(many, how), vec4(axes[at], 1.0), 0.0).x;
    })",
                                  R"({
    "c": {"func": "samplerCube", "args": [1, 2, 3, 4, 5, 6], "format": "r32f", "size": [1, 1]},
    "many": {"func": "textureCubeArray", "format": "r32i", "size": [1, 1, 2],
             "args": [1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6]},
    "how": {"func": "sampler"}})");
  EXPECT_EQ(Words(outputs.buffers.at(0).bytes),
            (std::vector<uint32_t>{1, ~0u, 2, ~1u, 3, ~2u, 4, ~3u, 5, ~4u, 6, ~5u}));
}

constexpr std::string_view kSubgroups = R"(
    #extension GL_KHR_shader_subgroup_basic : enable
    #extension GL_KHR_shader_subgroup_ballot : enable
    layout(local_size_x_id = 0) in;
    layout(std430, binding = 0) buffer Out { uint full; };
    void main() { if (subgroupBallotBitCount(subgroupBallot(true)) == gl_SubgroupSize) atomicAdd(full, 1); })";

TEST_P(Stages, SubgroupsAreFullUnlessRequestedOtherwise) {
  const auto job = [&](uint32_t x) {
    return JobOf("t.comp", kSubgroups,
                 format(R"({{"full": {{"func": "glUniform1ui", "args": [0]}},
                             "$spec_constants": {{"0": {}}}}})",
                        x));
  };
  const Outputs outputs = MustRun(job(64));
  EXPECT_EQ(Words(outputs.buffers.at(0).bytes)[0], 64u);
  Job partial = job(3);
  const std::string reason = Unavailable(partial);
  EXPECT_TRUE(
      reason.starts_with("the module has subgroup operations, but the x size 3 of its workgroup is "
                         "no multiple of the subgroup size "))
      << reason;
  partial.partial_subgroups = true;
  EXPECT_EQ(Words(MustRun(partial).buffers.at(0).bytes)[0], 0u);
}

TEST_P(Stages, AModuleThatTheDeviceCannotRunIsUnavailable) {
  EXPECT_EQ(Unavailable(JobOf("t.comp", R"(
    layout(local_size_x = 1) in;
    shared uint much[1 << 20];
    layout(std430, binding = 0) buffer Out { uint x; };
    void main() { much[x] = 1; barrier(); x = much[0]; })",
                              R"({"x": {"func": "glUniform1ui", "args": [0]}})"))
                .substr(0, 76),
            "bytes of workgroup memory: the module needs 4194304, but the device allows 3");
  Job job = JobOf("t.comp", "layout(local_size_x_id = 0) in; void main() {}",
                  R"({"$spec_constants": {"0": 1000000}})");
  EXPECT_TRUE(Unavailable(job).starts_with(
      "invocations of a workgroup in one dimension: the module needs 1000000, "))
      << Unavailable(job);
  job = JobOf("t.frag", "layout(location = 20) out vec4 c; void main() { c = vec4(1); }", "{}");
  EXPECT_TRUE(Unavailable(job).starts_with("colour targets: the module needs 21, "))
      << Unavailable(job);
  job.entry = "other";
  EXPECT_EQ(Unavailable(job), "the module has no entry point 'other'");
  job = JobOf("t.vert", "void main() { gl_Position = vec4(1); }", "{}");
  job.bindings.companion = {};
  EXPECT_EQ(Unavailable(job), "the vertex shader has no fragment shader");
  constexpr std::string_view kVertices =
      R"({"$vertices": {"attributes": [{"location": 1, "func": "glUniform2fv", "args": [0, 1]}]}})";
  job = JobOf("t.vert", "layout(location = 1) in vec2 uv; void main() { gl_Position = uv.xyxy; }",
              std::string(kVertices));
  job.bindings.mesh.attributes[0].kind = BoundAttribute::kInt;
  EXPECT_EQ(Unavailable(job),
            "the vertex shader reads floats at location 1, but the attribute has integers");
  job.bindings.mesh.attributes.clear();
  EXPECT_EQ(Unavailable(job),
            "the vertex shader reads location 1, but the vertices have no attribute there");
  job = JobOf("t.vert",
              "layout(binding = 0) buffer Out { int x; };\n"
              "void main() { gl_Position = vec4(0); x = 1; }",
              R"({"x": {"func": "glUniform1i", "args": [0]}})");
  EXPECT_EQ(Unavailable(job),
            "the vertex shader stores to memory; this is not supported, because the shader may run "
            "any number of times for each vertex");
}

TEST_P(Stages, InvalidImagesAreBadInput) {
  Job job = JobOf("t.frag", R"(
    layout(location = 0) out vec4 color;
    layout(binding = 0) uniform sampler2D s;
    void main() { color = texture(s, vec2(0)); })",
                  R"({"s": {"func": "sampler2D", "texture": "noise"}})");
  ASSERT_EQ(job.bindings.images.size(), 1u);
  Harness harness;
  job.bindings.images[0].texels.pop_back();
  const Result<RunResult> cut = harness.Run(Target(), job);
  ASSERT_FALSE(cut);
  EXPECT_EQ(cut.error().kind, ErrorKind::kBadInput);
  EXPECT_EQ(cut.error().message,
            "the size and the texels of the image at set 0, binding 0 do not match");
  job.bindings.constants = {{5, 31, 0}};
  const Result<RunResult> odd = harness.Run(Target(), job);
  ASSERT_FALSE(odd);
  EXPECT_EQ(odd.error().message,
            "specialisation constant 5 has 31 bits; 8, 16, 32 and 64 are supported");
  job.bindings.constants.clear();
  job.bindings.buffers = {{0, 0, false, ""}};
  const Result<RunResult> twice = harness.Run(Target(), job);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "there are two resources for set 0, binding 0");
}

INSTANTIATE_TEST_SUITE_P(, Stages, ::testing::Values("lavapipe", "swiftshader"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace refract
