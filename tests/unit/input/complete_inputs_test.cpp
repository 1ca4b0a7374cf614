// SPDX-License-Identifier: Apache-2.0
#include "input/complete_inputs.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/text.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

Module MustRead(const std::string& file, std::string_view text) {
  const auto loaded = LoadModuleBytes(file, text);
  EXPECT_TRUE(loaded) << loaded.error().message;
  auto module = loaded ? ReadModule(loaded->words, file) : Result<Module>(Module());
  EXPECT_TRUE(module) << module.error().message;
  return module ? std::move(*module) : Module();
}

Module FromCompute(std::string_view body) {
  return MustRead("t.comp", format("#version 450\n{}", body));
}

Inputs MustParse(const std::string& json) {
  auto inputs = ParseInputs("t.json", json);
  EXPECT_TRUE(inputs) << inputs.error().message;
  return inputs ? *inputs : Inputs();
}

Result<CompletedInputs> TryComplete(const Module& module, const Inputs& given = {},
                                    std::optional<uint64_t> seed = {}) {
  const auto entry = FindEntryPoint(module, "", "t");
  if (!entry) return entry.error();
  return CompleteInputs(module, *entry, given, "t", seed);
}

CompletedInputs MustComplete(const Module& module, const Inputs& given = {},
                             std::optional<uint64_t> seed = {}) {
  auto made = TryComplete(module, given, seed);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : CompletedInputs();
}

std::string ErrorOf(const Module& module, const Inputs& given = {}) {
  const auto made = TryComplete(module, given);
  return made ? "completed" : made.error().message;
}

// Everything that shader.json can describe: nested members, arrays, matrices, all widths, push
// constants, a buffer that is only written, runtime arrays, images and samplers of all kinds.
Module Everything() {
  return FromCompute(R"(
    #extension GL_EXT_shader_explicit_arithmetic_types : require
    #extension GL_EXT_samplerless_texture_functions : require
    layout(local_size_x = 1) in;
    struct Light { vec3 place; int kind; };
    layout(std140, binding = 0) uniform Scene {
      Light lights[2]; mat2x3 turn; vec4 rows[3]; float one[2][2]; };
    layout(std430, set = 1, binding = 2) buffer Data { uint count; float data[]; };
    layout(std430, binding = 3) buffer Out { vec4 result; int flags[5]; };
    layout(std430, binding = 4) buffer Wide {
      double d; int64_t l; float16_t h; uint8_t b; int16_t s; } wide;
    layout(push_constant) uniform Push { layout(offset = 8) ivec2 shift; };
    layout(binding = 6) uniform sampler2D tex;
    layout(binding = 7) uniform utexture3D volume;
    layout(binding = 8, r32f) uniform image2DArray layers;
    layout(binding = 9, rgba8_snorm) uniform writeonly image1D line;
    layout(binding = 10) uniform samplerCubeArray cubes;
    layout(binding = 11) uniform texture2D bare;
    layout(binding = 12) uniform sampler how;
    void main() {
      vec3 sum = lights[1].place * float(lights[0].kind) * turn[1] + rows[2].xyz + one[1][0];
      sum += texture(tex, sum.xy).rgb + texture(cubes, vec4(sum, 1)).rgb;
      sum += texture(sampler2D(bare, how), sum.xy).rgb;
      sum.x += float(texelFetch(volume, ivec3(0), 0).x) + imageLoad(layers, ivec3(0)).x;
      imageStore(line, 0, vec4(sum, 1));
      sum.y += float(wide.d) + float(wide.l) + float(wide.h) + float(wide.b) + float(wide.s);
      data[count] = sum.x + data[shift.x];
      result = vec4(sum, data.length());
    })");
}

ResolvedInputs MustResolve(const Module& module, const Inputs& inputs, bool zero_inputs) {
  const auto entry = FindEntryPoint(module, "", "t");
  EXPECT_TRUE(entry);
  auto resolved = Resolve(module, *entry, inputs, "t", {.zero_inputs = zero_inputs});
  EXPECT_TRUE(resolved) << resolved.error().message;
  return resolved ? std::move(*resolved) : ResolvedInputs();
}

TEST(CompleteInputs, ZerosAreWhatZeroInputsGives) {
  const Module module = Everything();
  const CompletedInputs made = MustComplete(module);
  EXPECT_EQ(MustResolve(module, made.inputs, false).bindings,
            MustResolve(module, {}, true).bindings);
  EXPECT_EQ(MustParse(WriteInputs(made.inputs)), made.inputs);
  EXPECT_TRUE(MustResolve(module, made.inputs, false).unused.empty());
}

TEST(CompleteInputs, NamesAndTypesAreThoseOfTheModule) {
  const CompletedInputs made = MustComplete(Everything());
  EXPECT_EQ(WriteInputs(made.inputs), R"({
  "lights[0].place": {"func": "glUniform3f", "args": [0.0, 0.0, 0.0], "binding": 0},
  "lights[0].kind": {"func": "glUniform1i", "args": [0], "binding": 0},
  "lights[1].place": {"func": "glUniform3f", "args": [0.0, 0.0, 0.0], "binding": 0},
  "lights[1].kind": {"func": "glUniform1i", "args": [0], "binding": 0},
  "turn": {"func": "glUniformMatrix2x3fv", "args": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "binding": 0},
  "rows": {"func": "glUniform4fv", "args": [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0], "count": 3, "binding": 0},
  "one": {"func": "glUniform1fv", "args": [0.0, 0.0, 0.0, 0.0], "count": 4, "binding": 0},
  "Out": {"func": "buffer", "size": 48, "binding": 3},
  "d": {"func": "glUniform1d", "args": [0.0], "binding": 4},
  "l": {"func": "glUniform1i64", "args": [0], "binding": 4},
  "h": {"func": "glUniform1f16", "args": [0.0], "binding": 4},
  "b": {"func": "glUniform1ui8", "args": [0], "binding": 4},
  "s": {"func": "glUniform1i16", "args": [0], "binding": 4},
  "Data": {"func": "buffer", "size": 1028, "binding": 2, "set": 1},
  "count": {"func": "glUniform1ui", "args": [0], "binding": 2, "set": 1},
  "shift": {"func": "glUniform2i", "args": [0, 0], "push_constant": true},
  "tex": {"func": "sampler2D", "args": [0, 0, 0, 0], "format": "rgba8", "size": [16, 16], "binding": 6},
  "volume": {"func": "texture3D", "args": [0, 0, 0, 0], "format": "rgba32ui", "size": [16, 16, 16], "binding": 7},
  "layers": {"func": "image2DArray", "args": [0.0], "format": "r32f", "size": [16, 16, 4], "binding": 8},
  "line": {"func": "image1D", "args": [0, 0, 0, 0], "format": "rgba8_snorm", "size": [16], "binding": 9},
  "cubes": {"func": "samplerCubeArray", "args": [0, 0, 0, 0], "format": "rgba8", "size": [16, 16, 2], "binding": 10},
  "bare": {"func": "texture2D", "args": [0, 0, 0, 0], "format": "rgba8", "size": [16, 16], "binding": 11},
  "how": {"func": "sampler", "binding": 12}
}
)");
}

TEST(CompleteInputs, NothingIsAddedTwice) {
  const Module module = Everything();
  const CompletedInputs made = MustComplete(module);
  const CompletedInputs again = MustComplete(module, made.inputs);
  EXPECT_TRUE(again.added.empty());
  EXPECT_EQ(again.inputs, made.inputs);
}

TEST(CompleteInputs, GivenValuesAreKept) {
  const Module module = FromCompute(R"(
    layout(local_size_x = 1) in;
    struct Light { vec2 place; int kind; };
    layout(std140, binding = 0) uniform Scene { Light lights[2]; vec4 rows[2]; };
    layout(std430, binding = 1) buffer Out { float result; };
    void main() { result = lights[0].place.x + float(lights[1].kind) + rows[1].y; })");
  const Inputs given = MustParse(R"({
    "lights[1].kind": {"func": "glUniform1i", "args": [7], "binding": 0},
    "rows[0]": {"func": "glUniform4f", "args": [1, 2, 3, 4], "binding": 0},
    "other": {"func": "glUniform1f", "args": [1], "binding": 9}})");
  const CompletedInputs made = MustComplete(module, given);
  EXPECT_EQ(made.added, (std::vector<std::string>{"lights[0].place", "lights[0].kind",
                                                  "lights[1].place", "rows[1]", "Out"}));
  for (const InputValue& value : given.values) EXPECT_EQ(*made.inputs.Find(value.name), value);
}

TEST(CompleteInputs, AttributesFollowTheVerticesOfTheGrid) {
  const Module module = MustRead("t.vert", R"(#version 450
    layout(location = 0) in vec2 place;
    layout(location = 1) in mat2x3 turn;
    layout(location = 4, component = 1) in ivec2 number;
    void main() { gl_Position = vec4(turn * place, number.x); })");
  const CompletedInputs made = MustComplete(module, {}, 3);
  const std::vector<std::string> added = {"vertex attribute 1", "vertex attribute 2",
                                          "vertex attribute 4"};
  EXPECT_EQ(made.added, added);
  EXPECT_FALSE(made.inputs.has_grid);
  ASSERT_TRUE(made.inputs.vertices);
  const VerticesInput& vertices = *made.inputs.vertices;
  EXPECT_EQ(vertices.count, 4u);
  EXPECT_EQ(vertices.indices, (std::vector<uint32_t>{0, 2, 1, 1, 2, 3}));
  ASSERT_EQ(vertices.attributes.size(), 4u);
  const std::vector<uint64_t> corners = {0xbf800000, 0xbf800000, 0x3f800000, 0xbf800000,
                                         0xbf800000, 0x3f800000, 0x3f800000, 0x3f800000};
  EXPECT_EQ(vertices.attributes[0].value.words, corners);
  EXPECT_EQ(vertices.attributes[3].value.rows, 3u);
  EXPECT_EQ(vertices.attributes[3].value.scalar, InputValue::kInt);
  EXPECT_TRUE(MustComplete(module, made.inputs, 3).added.empty());
}

TEST(CompleteInputs, TheGridIsEnoughForThePosition) {
  const Module module = MustRead("t.vert", R"(#version 450
    layout(location = 0) in vec4 place;
    void main() { gl_Position = place; })");
  EXPECT_FALSE(MustComplete(module).inputs.vertices);
}

TEST(CompleteInputs, RandomValuesAreSmallAndComeFromTheSeed) {
  const Module module = Everything();
  const CompletedInputs made = MustComplete(module, {}, 7);
  EXPECT_EQ(MustComplete(module, {}, 7).inputs, made.inputs);
  EXPECT_NE(MustComplete(module, {}, 8).inputs, made.inputs);
  EXPECT_EQ(MustParse(WriteInputs(made.inputs)), made.inputs);
  bool all_zero = true;
  for (const InputValue& value : made.inputs.values) {
    if (value.image.has_value() || value.buffer_bytes != 0) continue;
    for (const uint64_t word : value.words) {
      all_zero = all_zero && word == 0;
      if (value.scalar != InputValue::kFloat) {
        EXPECT_LT(word, 16U) << value.name;
      }
      if (value.scalar != InputValue::kFloat || value.width != 32) continue;
      const auto bits = static_cast<uint32_t>(word);
      float number = 0;
      std::memcpy(&number, &bits, 4);
      EXPECT_LE(number * number, 16.0f) << value.name;
    }
  }
  EXPECT_FALSE(all_zero);
  // The elements of a runtime array that is read get values, too.
  ASSERT_NE(made.inputs.Find("data"), nullptr);
  EXPECT_EQ(made.inputs.Find("data")->words.size(), 256U);
  EXPECT_EQ(made.inputs.Find("tex")->image->texture, "noise");
  // The value of an entry does not depend on the others.
  const Inputs given =
      MustParse(R"({"count": {"func": "glUniform1ui", "args": [3], "binding": 2, "set": 1}})");
  const CompletedInputs fewer = MustComplete(module, given, 7);
  EXPECT_EQ(*fewer.inputs.Find("data"), *made.inputs.Find("data"));
}

TEST(CompleteInputs, PlainUniformsNeedNoBinding) {
  const Module module = MustRead("t.frag", R"(#version 310 es
    precision highp float;
    uniform vec2 resolution;
    uniform float time;
    layout(binding = 3) uniform Block { float time_of_block; };
    layout(location = 0) out vec4 colour;
    void main() { colour = vec4(resolution, time, time_of_block); })");
  const CompletedInputs made = MustComplete(module);
  EXPECT_EQ(WriteInputs(made.inputs), R"({
  "resolution": {"func": "glUniform2f", "args": [0.0, 0.0]},
  "time": {"func": "glUniform1f", "args": [0.0]},
  "time_of_block": {"func": "glUniform1f", "args": [0.0], "binding": 3}
}
)");
}

// Two blocks may have members of the same name, and a module may have no names at all.
TEST(CompleteInputs, NamesAreUnique) {
  const char* const body = R"(
    layout(local_size_x = 1) in;
    layout(std140, binding = 0) uniform A { float x; float y; } a;
    layout(std140, binding = 1) uniform B { float x; float y; } b;
    layout(std430, binding = 2) buffer Out { float result; };
    void main() { result = a.x + b.x + a.y + b.y; })";
  const Module module = FromCompute(body);
  EXPECT_EQ(MustComplete(module).added, (std::vector<std::string>{"x", "y", "b.x", "b.y", "Out"}));
  const auto words = LoadModuleBytes("t.comp", format("#version 450\n{}", body));
  ASSERT_TRUE(words);
  const Result<std::string> text = Disassemble(words->words);
  ASSERT_TRUE(text);
  std::string stripped;
  for (const std::string& line : Split(*text, '\n')) {
    if (line.find("OpName") == std::string::npos &&
        line.find("OpMemberName") == std::string::npos) {
      stripped += line + "\n";
    }
  }
  const CompletedInputs made = MustComplete(MustRead("t.spvasm", stripped));
  EXPECT_EQ(made.added, (std::vector<std::string>{"block_0_0_0", "block_0_0_4", "block_0_1_0",
                                                  "block_0_1_4", "buffer_0_2"}));
  EXPECT_EQ(made.inputs.values[3].offset, 4U);
}

TEST(CompleteInputs, ImagesHaveLevelsIfTheShaderNamesThem) {
  for (const auto& [read, levels] : {
           std::pair("textureLod(s, vec2(0), 0.0).x", 1u),
           std::pair("texelFetch(s, ivec2(0), 0).x", 1u),
           std::pair("textureLod(s, vec2(0), 1.0).x", 5u),
           std::pair("texelFetch(s, ivec2(0), 1).x", 5u),
           std::pair("textureGrad(s, vec2(0), vec2(0), vec2(0)).x", 5u),
           std::pair("float(textureQueryLevels(s))", 5u),
           std::pair("float(textureSize(s, 1).x)", 5u),
           std::pair("Plain(s)", 1u),
           std::pair("Deep(0, s, t)", 5u),
           std::pair("Deep(0, t, s)", 1u),
       }) {
    const CompletedInputs made = MustComplete(FromCompute(
        std::string("layout(local_size_x = 1) in; layout(binding = 0) uniform sampler2D s; "
                    "layout(binding = 1) buffer Out { float result; };"
                    "layout(binding = 2) uniform sampler2D t;"
                    "float Plain(sampler2D s) { return texelFetch(s, ivec2(0), 0).x; }"
                    "float Small(sampler2D s) { return textureLod(s, vec2(0), 2.0).x; }"
                    "float Deep(int n, sampler2D a, sampler2D b) { return Small(a) + Plain(b); }"
                    "void main() { result = ") +
        read + "; }"));
    EXPECT_EQ(made.inputs.Find("s")->image->levels, levels) << read;
  }
}

TEST(CompleteInputs, AShaderWithoutInputsGetsNone) {
  const CompletedInputs made =
      MustComplete(FromCompute("layout(local_size_x = 1) in; void main() {}"));
  EXPECT_TRUE(made.added.empty());
  EXPECT_EQ(WriteInputs(made.inputs), "{}\n");
}

TEST(CompleteInputs, ErrorsNameWhatCannotBeFilled) {
  EXPECT_EQ(ErrorOf(FromCompute(R"(
    layout(local_size_x = 1) in;
    layout(binding = 0, r11f_g11f_b10f) uniform readonly image2D many;
    layout(binding = 1) buffer Out { float result; };
    void main() { result = imageLoad(many, ivec2(0)).x; })")),
            "t: the entry point main uses many, a storage image whose format is none of " +
                TexelFormatNames() + "; Refract does not support such resources");
  EXPECT_EQ(ErrorOf(FromCompute(R"(
    layout(local_size_x = 1) in;
    struct Part { float a; int b; };
    layout(std430, binding = 0) buffer A { Part parts[4000]; };
    layout(std430, binding = 1) buffer Out { float result; };
    void main() { result = parts[gl_WorkGroupID.x].a + float(parts[gl_WorkGroupID.y].b); })")),
            "t: no value can be made for A.parts[2048].a (set 0, binding 0): the inputs would have "
            "more than 4096 new entries");
}

TEST(CompleteInputs, MultisampledImagesAndFramesGetSamples) {
  const CompletedInputs image = MustComplete(FromCompute(R"(
    layout(local_size_x = 1) in;
    layout(binding = 0, r32ui) uniform uimage2DMS many;
    void main() { imageStore(many, ivec2(0), 1, imageLoad(many, ivec2(0), 0)); })"));
  EXPECT_EQ(image.inputs.Find("many")->image->samples, kDefaultSamples);
  EXPECT_EQ(image.inputs.samples, 1u);
  const CompletedInputs frame = MustComplete(MustRead("t.frag", R"(#version 450
    layout(location = 0) out vec4 color;
    layout(input_attachment_index = 0, binding = 0) uniform subpassInputMS before;
    void main() { color = subpassLoad(before, gl_SampleID); })"));
  EXPECT_EQ(frame.inputs.samples, kDefaultSamples);
  EXPECT_TRUE(frame.inputs.per_sample);
  EXPECT_EQ(InputFunc(*frame.inputs.Find("before")), "subpassInputMS");
}

constexpr char kReadsSamples[] = R"(#version 450
    layout(location = 0) out vec4 color;
    layout(input_attachment_index = 0, binding = 0) uniform subpassInputMS before;
    void main() { color = subpassLoad(before, 0); })";

TEST(CompleteInputs, AGivenFrameKeepsItsSamples) {
  const Module module = MustRead("t.frag", kReadsSamples);
  for (const char* const text :
       {R"({"$framebuffer": {"width": 8, "height": 8, "samples": 1}})", R"({"$depth": {}})",
        R"({"$framebuffer": {"width": 2048, "height": 8}})"}) {
    EXPECT_EQ(ErrorOf(module, *ParseInputs("t.json", text)),
              "t: the input attachment at set 0, binding 0 is multisampled, which needs a frame "
              "with several samples (\"samples\" in $framebuffer)")
        << text;
  }
  const CompletedInputs two = MustComplete(
      module,
      *ParseInputs("t.json", R"({"$framebuffer": {"width": 8, "height": 8, "samples": 2}})"));
  EXPECT_EQ(two.inputs.samples, 2u);
  EXPECT_TRUE(two.inputs.per_sample);
}

// Each element of an array of descriptors gets its own entries, and no more are wanted afterwards.
TEST(CompleteInputs, EachElementOfAnArrayGetsEntries) {
  const Module module = FromCompute(R"(
    layout(local_size_x = 1) in;
    layout(binding = 0) uniform B { vec2 f; int k; } b[2];
    layout(binding = 1) buffer R { uint n; float r[]; } rs[2];
    layout(binding = 2) uniform sampler2D s[2];
    void main() {
      rs[1].r[0] = b[1].f.x + textureLod(s[0], vec2(b[0].k), 0.0).x;
      rs[0].n += 1; })");
  const CompletedInputs made = MustComplete(module);
  EXPECT_EQ(made.added, (std::vector<std::string>{"b[0].f", "b[0].k", "b[1].f", "b[1].k", "rs[0]",
                                                  "rs[0].n", "rs[1]", "rs[1].n", "s[0]", "s[1]"}));
  EXPECT_TRUE(MustComplete(module, made.inputs).added.empty());
  const std::string text = WriteInputs(made.inputs);
  EXPECT_NE(
      text.find(
          R"("b[1].f": {"func": "glUniform2f", "args": [0.0, 0.0], "binding": 0, "element": 1})"),
      std::string::npos)
      << text;
}

// The new entry `name`, as text.
std::string EntryOf(const CompletedInputs& made, const std::string& name) {
  Inputs one;
  if (const InputValue* value = made.inputs.Find(name)) one.values.push_back(*value);
  return WriteInputs(one);
}

TEST(CompleteInputs, AddressesGetBuffers) {
  const Module module = FromCompute(R"(
    #extension GL_EXT_buffer_reference : require
    layout(local_size_x = 1) in;
    layout(buffer_reference) buffer Node;
    struct Part { vec3 place; Node node; };
    layout(buffer_reference, std430) buffer Table { mat2x3 turn; Part parts[2]; vec3 rest[]; };
    layout(buffer_reference, std430) buffer Node { int value; Node next; };
    layout(std430, binding = 0) buffer A { Table tables[2]; Node list; };
    void main() { list.value = int(tables[1].turn[0].x); })");
  const CompletedInputs made = MustComplete(module);
  EXPECT_EQ(EntryOf(made, "tables"),
            "{\n  \"tables\": {\"func\": \"address\", \"args\": [\"tables_target_0\", "
            "\"tables_target_1\"], \"binding\": 0}\n}\n");
  EXPECT_EQ(EntryOf(made, "tables_target_1"),
            "{\n  \"tables_target_1\": {\"func\": \"buffer\", \"size\": 4192}\n}\n");
  EXPECT_EQ(EntryOf(made, "tables_target_0.turn"),
            "{\n  \"tables_target_0.turn\": {\"func\": \"glUniform3fv\", \"args\": [0.0, 0.0, 0.0, "
            "0.0, 0.0, 0.0], \"count\": 2, \"buffer\": \"tables_target_0\", \"offset\": 0, "
            "\"stride\": 16}\n}\n");
  EXPECT_EQ(EntryOf(made, "tables_target_1.parts[1].node"),
            "{\n  \"tables_target_1.parts[1].node\": {\"func\": \"address\", \"args\": "
            "[\"tables_target_1_6\"], \"buffer\": \"tables_target_1\", \"offset\": 80}\n}\n");
  // A list ends after four nodes.
  EXPECT_EQ(EntryOf(made, "list_target_4.next"),
            "{\n  \"list_target_4.next\": {\"func\": \"address\", \"args\": [null], \"buffer\": "
            "\"list_target_4\", \"offset\": 8}\n}\n");
  EXPECT_EQ(made.inputs.Find("list_target_5"), nullptr);
}

TEST(CompleteInputs, ComputedAddressesHaveRoom) {
  const std::string body = R"(
    #extension GL_EXT_buffer_reference : require
    #extension GL_EXT_buffer_reference2 : require
    layout(local_size_x = 1) in;
    layout(buffer_reference, std430) buffer Node { int value[4]; };
    layout(push_constant) uniform P { Node list; };
    void main() { NODE.value[0] = 1; })";
  const auto made = [&](const std::string& node) {
    std::string source = body;
    source.replace(source.find("NODE"), 4, node);
    return EntryOf(MustComplete(FromCompute(source)), "list_target");
  };
  EXPECT_EQ(made("list"), "{\n  \"list_target\": {\"func\": \"buffer\", \"size\": 16}\n}\n");
  EXPECT_EQ(made("list[2]"), "{\n  \"list_target\": {\"func\": \"buffer\", \"size\": 256}\n}\n");
}

}  // namespace
}  // namespace refract
