// SPDX-License-Identifier: Apache-2.0
#include "input/resolve.h"

#include <gtest/gtest.h>

#include <cstring>

#include "base/random.h"
#include "base/text.h"
#include "glsl/load.h"
#include "input/block_use.h"
#include "input/images.h"
#include "input/resolve_blocks.h"
#include "input/stage_interface.h"
#include "input/texels.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

Module MustRead(const std::vector<uint32_t>& words) {
  auto module = ReadModule(words, "t.spv");
  EXPECT_TRUE(module) << module.error().message;
  return module ? std::move(*module) : Module();
}

Module FromGlsl(std::string_view body, const std::string& name = "t.frag") {
  const auto words =
      LoadModuleBytes(name, format("#version 450\nlayout(location = 0) out vec4 color;\n{}", body));
  EXPECT_TRUE(words) << words.error().message;
  return words ? MustRead(words->words) : Module();
}

Module FromCompute(std::string_view body) {
  const auto words = LoadModuleBytes("t.comp", format("#version 450\n{}", body));
  EXPECT_TRUE(words) << words.error().message;
  return words ? MustRead(words->words) : Module();
}

Result<ResolvedInputs> TryResolve(const Module& module, std::string_view json,
                                  const ResolveOptions& options = {}) {
  const auto inputs = ParseInputs("t.json", json);
  if (!inputs) return inputs.error();
  const auto entry = FindEntryPoint(module, "", "t.spv");
  if (!entry) return entry.error();
  return Resolve(module, *entry, *inputs, "t.json", options);
}

ResolvedInputs MustResolve(const Module& module, std::string_view json,
                           const ResolveOptions& options = {}) {
  auto resolved = TryResolve(module, json, options);
  EXPECT_TRUE(resolved) << resolved.error().message;
  return resolved ? *resolved : ResolvedInputs();
}

std::string ErrorOf(const Module& module, std::string_view json) {
  const auto resolved = TryResolve(module, json);
  return resolved ? "resolved" : resolved.error().message;
}

uint32_t WordOf(const std::string& bytes, size_t offset) {
  uint32_t word = 0;
  EXPECT_LE(offset + 4, bytes.size());
  if (offset + 4 <= bytes.size()) std::memcpy(&word, bytes.data() + offset, 4);
  return word;
}

// Errors that matter only for running do not stop a caller that only asks for facts; the inputs
// concerned are then unknown.
TEST(Resolve, InputsThatCannotBeUsedAreNotKnown) {
  const Module samples = FromGlsl(R"(
    layout(set = 0, binding = 0, r11f_g11f_b10f) uniform readonly image2D many;
    layout(set = 0, binding = 1) uniform B { int x; };
    void main() { color = vec4(float(x)) + imageLoad(many, ivec2(0)); })");
  const char* const json = R"({
    "x": {"func": "glUniform1i", "args": [7], "binding": 1},
    "$framebuffer": {"width": 16384, "height": 1}})";
  const auto to_run = TryResolve(samples, json, {.zero_inputs = true});
  ASSERT_FALSE(to_run);
  EXPECT_EQ(to_run.error().kind, ErrorKind::kUnavailable);
  const ResolvedInputs known = MustResolve(samples, json, {.known_only = true});
  ASSERT_EQ(known.known.size(), 1u);
  EXPECT_EQ(known.known[0].binding, 1u);
  EXPECT_EQ(known.known[0].bits, 7u);
}

TEST(Resolve, FramesThatAreTooLargeAreRefused) {
  const Module plain = FromGlsl("void main() { color = vec4(1); }");
  const auto frame = TryResolve(plain, R"({"$framebuffer": {"width": 4097, "height": 1}})");
  ASSERT_FALSE(frame);
  EXPECT_EQ(frame.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(
      frame.error().message,
      "t.json: /$framebuffer: a frame of 4097x1 pixels is too large; the maximum is 4096x4096");
  EXPECT_EQ(ErrorOf(plain, R"({"$framebuffer": {"width": 4096, "height": 1}})"), "resolved");
}

// The scalars of a type that doubles at every level are counted without visiting them all.
TEST(Resolve, HugeNestedBlocksAreRefusedQuickly) {
  std::string text = "struct S0 { int a; };\n";
  for (int i = 1; i <= 12; ++i) text += format("struct S{} {{ S{} a, b; }};\n", i, i - 1);
  std::string path = "s[0]";
  for (int i = 0; i <= 12; ++i) path += ".a";
  const Module module =
      FromGlsl(text + format("layout(std430, set = 0, binding = 0) buffer B {{ S12 s[300]; }};\n"
                             "void main() {{ color = vec4(0); {} = 1; }}",
                             path));
  EXPECT_EQ(ErrorOf(module, "{}"),
            "t.json: B (set 0, binding 0): the block has more than 1048576 scalars");
}

TEST(Resolve, FindsBlocksByBindingInTheGraphicsFuzzForm) {
  const Module module = FromGlsl(R"(
    layout(set = 0, binding = 3) uniform buf3 { int x; };
    layout(set = 0, binding = 1) uniform buf1 { vec2 where; };
    layout(set = 1, binding = 0) uniform buf0 { uint flags; };
    layout(set = 0, binding = 9) uniform buf9 { int nobody_reads; };
    void main() { color = vec4(float(x) + where.y + float(flags)); })");
  const ResolvedInputs resolved = MustResolve(module, R"({
    "x": {"func": "glUniform1i", "args": [-2], "binding": 3},
    "renamed": {"func": "glUniform2f", "args": [1.0, 2.0], "binding": 1},
    "flags": {"func": "glUniform1i", "args": [7], "set": 1, "binding": 0},
    "gone": {"func": "glUniform1i", "args": [7], "binding": 77},
    "$framebuffer": {"width": 32, "height": 16}})");
  ASSERT_EQ(resolved.bindings.buffers.size(), 3u);
  EXPECT_EQ(resolved.bindings.width, 32u);
  EXPECT_EQ(resolved.bindings.height, 16u);
  const auto& buffers = resolved.bindings.buffers;
  EXPECT_EQ(buffers[0].binding, 1u);
  EXPECT_EQ(buffers[0].bytes.size(), 16u);
  EXPECT_EQ(WordOf(buffers[0].bytes, 4), 0x40000000u);
  EXPECT_EQ(buffers[1].binding, 3u);
  EXPECT_EQ(WordOf(buffers[1].bytes, 0), 0xfffffffeu);
  EXPECT_EQ(buffers[2].set, 1u);
  EXPECT_FALSE(buffers[2].storage);
  const std::vector<KnownValue> known = {
      {0, 1, false, {0, 0}, 0x3f800000, 32},
      {0, 1, false, {0, 1}, 0x40000000, 32},
      {0, 3, false, {0}, 0xfffffffe, 32},
      {1, 0, false, {0}, 7, 32},
  };
  EXPECT_EQ(resolved.known, known);
  EXPECT_EQ(resolved.unused, std::vector<std::string>{"gone"});
}

constexpr std::string_view kPlain = R"(
    uniform int steps;
    struct Light { vec3 position; float power; };
    uniform Light lights[2];
    uniform mat2 turn;
    uniform float unread;
    layout(binding = 0) uniform buf0 { int x; };
    void main() {
      color = vec4(lights[1].position * lights[0].power, float(steps + x)) + turn[1].xyxy;
    })";

TEST(Resolve, FindsPlainUniformsByName) {
  const Module module = FromGlsl(kPlain);
  const ResolvedInputs resolved = MustResolve(module, R"({
    "x": {"func": "glUniform1i", "args": [1], "binding": 0},
    "steps": {"func": "glUniform1i", "args": [20]},
    "lights[0].position": {"func": "glUniform3f", "args": [0, 0, 0]},
    "lights[0].power": {"func": "glUniform1f", "args": [2]},
    "plain_uniforms.lights[1]": {"func": "glUniform4f", "args": [3, 4, 5, 6]},
    "turn": {"func": "glUniformMatrix2fv", "args": [1, 2, 3, 4], "count": 1}})");
  ASSERT_EQ(resolved.bindings.buffers.size(), 2u);
  const BoundBuffer& gathered = resolved.bindings.buffers[1];
  EXPECT_EQ(gathered.binding, 1u);
  // std140: steps at 0, lights at 16 and 32, the columns of turn at 48 and 64, unread at 80.
  EXPECT_EQ(gathered.bytes.size(), 96u);
  EXPECT_EQ(WordOf(gathered.bytes, 0), 20u);
  EXPECT_EQ(WordOf(gathered.bytes, 28), 0x40000000u);
  EXPECT_EQ(WordOf(gathered.bytes, 32), 0x40400000u);
  EXPECT_EQ(WordOf(gathered.bytes, 44), 0x40c00000u);
  EXPECT_EQ(WordOf(gathered.bytes, 52), 0x40000000u);
  EXPECT_EQ(WordOf(gathered.bytes, 64), 0x40400000u);
  EXPECT_EQ(resolved.known.size(), 1u + 1 + 8 + 4);  // the one that is not read is not known
  EXPECT_EQ(resolved.known.back().path, (std::vector<uint32_t>{2, 1, 1}));
}

TEST(Resolve, NamesInputsThatAreReadButNotGiven) {
  const Module module = FromGlsl(kPlain);
  EXPECT_EQ(
      ErrorOf(module, R"({"steps": {"func": "glUniform1i", "args": [20]}})"),
      "t.json: the entry point main reads inputs that have no value: buf0.x (set 0, binding 0); "
      "plain_uniforms.lights (set 0, binding 1); plain_uniforms.turn (set 0, binding 1); "
      "`refract inputs` writes a file with values, and --zero-inputs uses zeros for missing "
      "inputs");
  const ResolvedInputs zero = MustResolve(module, "{}", {.zero_inputs = true});
  ASSERT_EQ(zero.bindings.buffers.size(), 2u);
  EXPECT_EQ(zero.bindings.buffers[1].bytes, std::string(96, '\0'));
  EXPECT_TRUE(zero.known.empty());
}

TEST(Resolve, RefusesInputsThatDoNotFit) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform buf0 { int a; float b; int c[3]; };
    layout(binding = 2) uniform buf2 { double d; };
    void main() { color = vec4(float(a) + b + float(c[1]) + float(d)); })");
  const auto one = [](std::string_view name, std::string_view rest) {
    return format(R"({{"{}": {{{}}}}})", name, rest);
  };
  EXPECT_EQ(ErrorOf(module, one("z", R"("func": "glUniform1i", "args": [1], "binding": 0)")),
            "t.json: /z: the block at set 0, binding 0 has 3 members, but none with the name of "
            "this entry; add an \"offset\" to choose one");
  EXPECT_EQ(
      ErrorOf(module, one("b", R"("func": "glUniform1i", "args": [1], "binding": 0)")),
      "t.json: /b: \"func\" is glUniform1i, but buf0.b (set 0, binding 0) is a float of 32 bits");
  EXPECT_EQ(
      ErrorOf(module, one("d", R"("func": "glUniform1f", "args": [1], "binding": 2)")),
      "t.json: /d: \"func\" is glUniform1f, but buf2.d (set 0, binding 2) is a float of 64 bits");
  EXPECT_EQ(ErrorOf(module, one("c", R"("func": "glUniform1iv", "args": [1, 2])")),
            "t.json: /c: the value has 2 scalars, but buf0.c (set 0, binding 0) has 3");
  EXPECT_EQ(ErrorOf(module, one("c[3]", R"("func": "glUniform1i", "args": [1])")),
            "t.json: /c[3]: the value has 1 scalars, but buf0.c[3] (set 0, binding 0) has 0");
  EXPECT_EQ(
      ErrorOf(module, one("q", R"("func": "glUniform1i", "args": [1], "binding": 0, "offset": 2)")),
      "t.json: /q: no scalar begins at offset 2 of the block at set 0, binding 0");
  EXPECT_EQ(ErrorOf(module, R"({"a": {"func": "glUniform1i", "args": [1], "binding": 0},
                                "buf0.a": {"func": "glUniform1i", "args": [1]}})"),
            "t.json: /buf0.a: buf0.a (set 0, binding 0) already has a value from the entry a");
}

TEST(Resolve, AmbiguousNamesAreRefused) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform buf0 { int a; } first;
    layout(binding = 1) uniform buf1 { int a; } second;
    void main() { color = vec4(float(first.a + second.a)); })");
  EXPECT_EQ(ErrorOf(module, R"({"a": {"func": "glUniform1i", "args": [1]}})"),
            "t.json: /a: the blocks at set 0, binding 0 and at set 0, binding 1 both have a member "
            "with the name of this entry; add a \"binding\" to choose one");
  const ResolvedInputs resolved =
      MustResolve(module, R"({"first.a": {"func": "glUniform1i", "args": [1]},
                              "buf1.a": {"func": "glUniform1i", "args": [2]}})");
  EXPECT_EQ(WordOf(resolved.bindings.buffers.at(1).bytes, 0), 2u);
}

TEST(Resolve, AcceptsOffsetsIfThereAreNoNames) {
  const Module named = FromGlsl(R"(
    layout(binding = 0, row_major) uniform buf0 { int a; layout(offset = 16) mat2x3 m; int b; };
    void main() { color = vec4(float(a + b)) + m[1].xyzz; })");
  const auto stripped =
      Optimize(WriteModule(named), {"--strip-debug"}, TargetEnvironment::kVulkan11);
  ASSERT_TRUE(stripped);
  const Module module = MustRead(*stripped);
  const ResolvedInputs resolved = MustResolve(module, R"({
    "a": {"func": "glUniform1i", "args": [5], "binding": 0, "offset": 0},
    "m": {"func": "glUniformMatrix2x3fv", "args": [1, 2, 3, 4, 5, 6], "binding": 0, "offset": 16},
    "b": {"func": "glUniform1i", "args": [6], "binding": 0, "offset": 64}})");
  const std::string& bytes = resolved.bindings.buffers.at(0).bytes;
  EXPECT_EQ(WordOf(bytes, 64), 6u);
  EXPECT_EQ(WordOf(bytes, 16), 0x3f800000u);  // column 0, row 0
  EXPECT_EQ(WordOf(bytes, 20), 0x40800000u);  // column 1, row 0: rows are contiguous
  EXPECT_EQ(WordOf(bytes, 32), 0x40000000u);  // column 0, row 1
  EXPECT_EQ(resolved.known.at(3).path, (std::vector<uint32_t>{1, 0, 2}));
  EXPECT_EQ(resolved.known.at(3).bits, 0x40400000u);
}

TEST(Resolve, AcceptsPushConstantsAndWideScalars) {
  const Module module = FromGlsl(R"(
    layout(push_constant) uniform Push { layout(offset = 8) double d; int i; } push;
    void main() { color = vec4(float(push.d) + float(push.i)); })");
  const ResolvedInputs resolved = MustResolve(module, R"({
    "d": {"func": "glUniform1d", "args": [0.1], "push_constant": true},
    "i": {"func": "glUniform1i", "args": [3], "push_constant": true}})");
  EXPECT_TRUE(resolved.bindings.buffers.empty());
  EXPECT_EQ(resolved.bindings.push_constants.size(), 20u);
  EXPECT_EQ(WordOf(resolved.bindings.push_constants, 16), 3u);
  ASSERT_EQ(resolved.known.size(), 2u);
  EXPECT_TRUE(resolved.known[0].push_constant);
  EXPECT_EQ(resolved.known[0].bits, 0x3fb999999999999au);
  EXPECT_EQ(resolved.known[0].width, 64u);
}

TEST(Resolve, StorageBuffersAreNotKnownAndNeedOnlyWhatIsRead) {
  const Module module = FromCompute(R"(
    layout(local_size_x = 1) in;
    layout(std430, binding = 5) buffer Data { int count; int written; vec2 items[]; };
    layout(std430, binding = 6) buffer Out { int result; };
    void main() { written = count; result = int(items[1].y); })");
  const std::string_view fields = R"([{"type": "int", "data": [4]}, {"type": "int", "data": [0]},
                                      {"type": "vec2", "data": [1, 2, 3, 4, 5, 6]}])";
  const ResolvedInputs resolved = MustResolve(
      module,
      format(
          R"({{"$compute": {{"num_groups": [1, 1, 1], "buffer": {{"binding": 5, "fields": {}}}}}}})",
          fields));
  ASSERT_EQ(resolved.bindings.buffers.size(), 2u);
  EXPECT_TRUE(resolved.bindings.buffers[0].storage);
  EXPECT_EQ(resolved.bindings.buffers[0].bytes.size(), 32u);
  EXPECT_EQ(WordOf(resolved.bindings.buffers[0].bytes, 20), 0x40800000u);
  EXPECT_EQ(resolved.bindings.buffers[1].bytes, std::string(16, '\0'));
  EXPECT_TRUE(resolved.known.empty());
  EXPECT_EQ(ErrorOf(module, "{}"),
            "t.json: the entry point main reads inputs that have no value: Data.count (set 0, "
            "binding 5); Data.items (set 0, binding 5); `refract inputs` writes a file "
            "with values, and --zero-inputs uses zeros for missing inputs");
  EXPECT_EQ(ErrorOf(module, R"({"items": {"func": "glUniform1fv", "args": [1, 2, 3]}})"),
            "t.json: /items: the value has 3 scalars, which is no multiple of the 2 scalars of an "
            "element of the runtime array");
}

// The last element includes the padding after it; otherwise it would not count as an element.
TEST(Resolve, RuntimeArraysEndWithPadding) {
  const Module module = FromCompute(R"(
    layout(local_size_x = 1) in;
    struct Item { uvec3 a; uint b; uint c; };
    layout(std430, binding = 0) buffer Data { Item items[]; };
    void main() { items[0].c = items.length(); })");
  const ResolvedInputs two = MustResolve(
      module, R"({"items": {"func": "glUniform1uiv", "args": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]}})");
  EXPECT_EQ(two.bindings.buffers.at(0).bytes.size(), 64u);
}

TEST(Resolve, RuntimeArraysNeedALengthEvenIfOnlyWritten) {
  const Module module = FromCompute(R"(
    layout(local_size_x = 1) in;
    layout(std430, binding = 0) buffer Out { uint items[]; };
    void main() { items[gl_GlobalInvocationID.x] = 1; })");
  EXPECT_EQ(ErrorOf(module, "{}"),
            "t.json: the entry point main reads inputs that have no value: Out.items (set 0, "
            "binding 0); `refract inputs` writes a file with values, and --zero-inputs uses zeros "
            "for missing inputs");
  const ResolvedInputs zero = MustResolve(module, "{}", {.zero_inputs = true});
  EXPECT_EQ(zero.bindings.buffers.at(0).bytes, std::string(4 * kDefaultArrayLength, '\0'));
  const ResolvedInputs five =
      MustResolve(module, R"({"items": {"func": "glUniform1uiv", "args": [3], "count": 5},
                              "$compute": {"num_groups": [5, 2, 3]}})");
  EXPECT_EQ(five.bindings.buffers.at(0).bytes.size(), 20u);
  EXPECT_EQ(WordOf(five.bindings.buffers.at(0).bytes, 16), 3u);
  EXPECT_EQ(five.bindings.groups[0], 5u);
  EXPECT_EQ(five.bindings.groups[2], 3u);
}

TEST(Resolve, BuffersOfAnySizeAreZeroUnlessGiven) {
  const Module module = FromCompute(R"(
    layout(local_size_x = 1) in;
    struct Item { float weight; uint key; };
    layout(std430, binding = 4) buffer Data { uint count; Item items[]; } data;
    void main() { data.count = data.items[data.count].key; })");
  // 4 bytes and 3 items of 8 bytes; the last 7 bytes are not an item.
  const ResolvedInputs resolved = MustResolve(module, R"({
    "items[1].weight": {"func": "glUniform1f", "args": [2]},
    "items[2].key": {"func": "glUniform1ui", "args": [9]},
    "anything": {"func": "buffer", "binding": 4, "size": 35},
    "nothing": {"func": "buffer", "binding": 5, "size": 3}})");
  const std::string& bytes = resolved.bindings.buffers.at(0).bytes;
  EXPECT_EQ(bytes.size(), 35u);
  EXPECT_EQ(WordOf(bytes, 12), 0x40000000u);
  EXPECT_EQ(WordOf(bytes, 24), 9u);
  EXPECT_EQ(resolved.unused, std::vector<std::string>{"nothing"});
  EXPECT_EQ(ErrorOf(module, R"({"items[3].key": {"func": "glUniform1ui", "args": [9]},
                                "x": {"func": "buffer", "binding": 4, "size": 35}})"),
            "t.json: /items[3].key: the value has 1 scalars, but data.items[3].key (set 0, binding "
            "4) has "
            "0");
  EXPECT_EQ(ErrorOf(module, R"({"x": {"func": "buffer", "binding": 4, "size": 3}})"),
            "t.json: /x: 3 bytes are too few for the block at set 0, binding 4, which has 4 bytes");
  EXPECT_EQ(ErrorOf(module, R"({"x": {"func": "buffer", "binding": 4, "size": 32},
                                "y": {"func": "buffer", "binding": 4, "size": 32}})"),
            "t.json: /y: the buffer at set 0, binding 4 already has a size");
}

TEST(Resolve, SpecialisationConstantsGetTheModulesWidth) {
  const Module module = FromGlsl(R"(
    layout(constant_id = 1) const bool a = false;
    layout(constant_id = 2) const int b = 1;
    layout(constant_id = 3) const uint c = 1;
    layout(constant_id = 4) const float d = 1;
    layout(constant_id = 5) const double e = 1;
    void main() { color = vec4(a ? float(b) : float(c), d, float(e), 1); })");
  const ResolvedInputs resolved = MustResolve(module, R"({"$spec_constants":
    {"5": 0.1, "4": 0.1, "99": 7, "3": 4294967295, "2": -2, "1": true}})");
  const std::vector<BoundConstant> wanted = {{1, 32, 1},
                                             {2, 32, 0xfffffffe},
                                             {3, 32, 0xffffffff},
                                             {4, 32, 0x3dcccccd},
                                             {5, 64, 0x3fb999999999999a}};
  EXPECT_EQ(resolved.bindings.constants, wanted);
  const auto refusal = [&](std::string_view value) {
    return ErrorOf(module, format(R"({{"$spec_constants": {{{}}}}})", value));
  };
  EXPECT_EQ(refusal(R"("1": 1)"),
            "t.json: /$spec_constants/1: the value does not fit the constant of the module, which "
            "is a bool");
  EXPECT_EQ(refusal(R"("2": 2147483648)"),
            "t.json: /$spec_constants/2: the value does not fit the constant of the module, which "
            "is a signed "
            "integer of 32 bits");
  EXPECT_EQ(refusal(R"("3": -1)"),
            "t.json: /$spec_constants/3: the value does not fit the constant of the module, which "
            "is an unsigned "
            "integer of 32 bits");
  EXPECT_EQ(refusal(R"("3": 1.0)"),
            "t.json: /$spec_constants/3: the value does not fit the constant of the module, which "
            "is an unsigned "
            "integer of 32 bits");
  EXPECT_EQ(refusal(R"("4": 1e39)"),
            "t.json: /$spec_constants/4: the value does not fit the constant of the module, which "
            "is a float of "
            "32 bits");
}

TEST(Resolve, ArrayLengthsFollowSpecialisationConstants) {
  const Module module = FromGlsl(R"(
    layout(constant_id = 6) const uint count = 2;
    layout(binding = 0) uniform buf0 { vec4 items[count]; };
    void main() { color = items[1]; })");
  EXPECT_EQ(
      MustResolve(module, R"({"items": {"func": "glUniform4fv", "args": [1, 2, 3, 4], "count": 3},
                                    "$spec_constants": {"6": 3}})")
          .bindings.buffers.at(0)
          .bytes.size(),
      48u);
  EXPECT_EQ(
      ErrorOf(module, R"({"items": {"func": "glUniform4fv", "args": [1, 2, 3, 4], "count": 3}})"),
      "t.json: /items: the value has 12 scalars, but buf0.items (set 0, binding 0) has 8");
}

constexpr std::string_view kImages = R"(
    layout(binding = 0) uniform sampler2D s;
    layout(binding = 1) uniform utexture3D t;
    layout(binding = 2) uniform sampler how;
    layout(binding = 3, r32f) uniform image2D i;
    layout(binding = 4, rgba16f) uniform writeonly imageCube w;
    layout(binding = 5) uniform sampler2D nobody_reads;
    void main() {
      color = texture(s, vec2(0)) + vec4(texture(usampler3D(t, how), vec3(0))) +
              imageLoad(i, ivec2(0));
      imageStore(w, ivec3(0), vec4(1));
    })";

TEST(Resolve, AcceptsImagesAndSamplers) {
  const Module module = FromGlsl(kImages);
  const ResolvedInputs resolved = MustResolve(module, R"({
    "renamed": {"func": "sampler2D", "texture": "DEFAULT", "binding": 0, "filter": "linear"},
    "t": {"func": "texture3D", "args": [1, 65535], "format": "r16ui", "size": [2, 1, 1]},
    "i": {"func": "image2D", "args": [0.5], "format": "r32f", "size": [3, 2]},
    "gone": {"func": "texture2D", "texture": "noise"}})");
  const std::vector<BoundImage>& images = resolved.bindings.images;
  ASSERT_EQ(images.size(), 5u);
  for (const BoundImage& image : images) EXPECT_TRUE(IsSound(image)) << image.binding;
  EXPECT_EQ(images[0].kind, BoundImage::kCombined);
  EXPECT_EQ(images[0].width, 16u);
  EXPECT_TRUE(images[0].linear && images[0].wrap == BoundImage::kRepeat);
  // The gradient's texel (15, 1): 255 * 15 / 15, 255 * 1 / 15.
  EXPECT_EQ(images[0].texels.substr(4 * (16 + 15), 4), std::string("\xff\x11\0\xff", 4));
  EXPECT_EQ(images[1].kind, BoundImage::kSampled);
  EXPECT_EQ(images[1].texels, std::string("\1\0\xff\xff", 4));
  EXPECT_EQ(images[2].kind, BoundImage::kSampler);
  EXPECT_EQ(images[3].format, spv::ImageFormat::R32f);
  EXPECT_EQ(images[3].texels.size(), 24u);
  EXPECT_EQ(WordOf(images[3].texels, 20), 0x3f000000u);
  EXPECT_EQ(images[4].layers, 6u);
  EXPECT_EQ(images[4].texels, std::string(size_t{16} * 16 * 6 * 8, '\0'));
  EXPECT_EQ(resolved.unused, std::vector<std::string>{"gone"});
}

// Each element of an array has an entry of its own, named by a path, by "element" or by both.
constexpr std::string_view kArrays = R"(
    layout(binding = 0) uniform sampler2D s[2];
    layout(binding = 1) uniform B { float f; int k; } b[3];
    void main() { color = texture(s[1], vec2(0)) * b[2].f + float(b[0].k); })";

TEST(Resolve, ElementsOfArraysHaveEntries) {
  const Module module = FromGlsl(kArrays);
  const ResolvedInputs resolved = MustResolve(module, R"({
    "s[1]": {"func": "sampler2D", "args": [7], "format": "r8", "size": [1, 1]},
    "first": {"func": "sampler2D", "args": [9], "format": "r8", "size": [1, 1], "binding": 0},
    "b[0].k": {"func": "glUniform1i", "args": [5], "binding": 1},
    "b[0].f": {"func": "glUniform1f", "args": [1]},
    "x": {"func": "glUniform1f", "args": [2], "binding": 1, "element": 2, "offset": 0},
    "y": {"func": "glUniform1i", "args": [6], "binding": 1, "element": 2, "offset": 4},
    "b[1].f": {"func": "glUniform1f", "args": [3], "binding": 1, "element": 1},
    "k": {"func": "glUniform1i", "args": [8], "binding": 1, "element": 1}})");
  EXPECT_TRUE(resolved.unused.empty());
  ASSERT_EQ(resolved.bindings.images.size(), 2u);
  for (uint32_t e = 0; e < 2; ++e) EXPECT_EQ(resolved.bindings.images[e].element, e);
  EXPECT_EQ(resolved.bindings.images[0].texels, std::string(1, 9));
  EXPECT_EQ(resolved.bindings.images[1].texels, std::string(1, 7));
  ASSERT_EQ(resolved.bindings.buffers.size(), 3u);
  const uint32_t floats[] = {0x3f800000, 0x40400000, 0x40000000}, integers[] = {5, 8, 6};
  for (uint32_t e = 0; e < 3; ++e) {
    EXPECT_EQ(resolved.bindings.buffers[e].element, e);
    EXPECT_EQ(WordOf(resolved.bindings.buffers[e].bytes, 0), floats[e]);
    EXPECT_EQ(WordOf(resolved.bindings.buffers[e].bytes, 4), integers[e]);
  }
  ASSERT_EQ(resolved.known.size(), 6u);
  EXPECT_EQ(resolved.known[4].path, (std::vector<uint32_t>{2, 0}));
}

TEST(Resolve, ElementsOfArraysThatAreNotGivenAreNamed) {
  const Module module = FromGlsl(kArrays);
  const std::string missing = ErrorOf(module, "{}");
  EXPECT_NE(missing.find("b[0].f (set 0, binding 1); "), std::string::npos) << missing;
  EXPECT_NE(missing.find("b[2].k (set 0, binding 1, element 2)"), std::string::npos) << missing;
  EXPECT_NE(missing.find("s[1] (set 0, binding 0, element 1)"), std::string::npos) << missing;
  EXPECT_NE(ErrorOf(module, R"({"f": {"func": "glUniform1f", "args": [1]}})")
                .find("both have a member with the name of this entry"),
            std::string::npos);
  EXPECT_NE(ErrorOf(module, R"({"f": {"func": "glUniform1f", "args": [1], "element": 1}})")
                .find("\"element\" needs a \"binding\""),
            std::string::npos);
}

TEST(Resolve, ArraysOfDescriptorsHaveALength) {
  const auto error = [](const std::string& declaration, const std::string& value) {
    return ErrorOf(FromGlsl(format("#extension GL_EXT_nonuniform_qualifier : require\n"
                                   "layout(binding = 0) uniform {};\n"
                                   "void main() {{ color = vec4({}); }}",
                                   declaration, value)),
                   "{}");
  };
  EXPECT_NE(error("sampler2D s[2][3]", "texture(s[1][2], vec2(0))")
                .find("an array of arrays of descriptors"),
            std::string::npos);
  EXPECT_NE(error("B { float f; } b[]", "b[int(gl_FragCoord.x)].f")
                .find("an array of descriptors without a length"),
            std::string::npos);
  EXPECT_NE(error("B { float f; } b[5000]", "b[7].f")
                .find("an array of 5000 descriptors; the maximum is 1024"),
            std::string::npos);
}

// A specialisation constant gives the number of descriptors.
TEST(Resolve, ArraysOfDescriptorsMayBeSpecialised) {
  const Module module = FromGlsl(R"(
    layout(constant_id = 3) const int kCount = 2;
    layout(binding = 0) uniform sampler2D s[kCount];
    void main() { color = texture(s[0], vec2(0)); })");
  EXPECT_EQ(MustResolve(module, "{}", {.zero_inputs = true}).bindings.images.size(), 2u);
  EXPECT_EQ(MustResolve(module, R"({"$spec_constants": {"3": 5}})", {.zero_inputs = true})
                .bindings.images.size(),
            5u);
}

TEST(Resolve, ImagesThatAreReadButNotGivenAreNamed) {
  const Module module = FromGlsl(kImages);
  EXPECT_EQ(ErrorOf(module, "{}"),
            "t.json: the entry point main reads inputs that have no value: s (set 0, binding 0); t "
            "(set 0, binding 1); i (set 0, binding 3); `refract inputs` writes a file "
            "with values, and --zero-inputs uses zeros for missing inputs");
  const ResolvedInputs zero = MustResolve(module, "{}", {.zero_inputs = true});
  ASSERT_EQ(zero.bindings.images.size(), 5u);
  EXPECT_EQ(zero.bindings.images[1].format, spv::ImageFormat::Rgba32ui);
}

TEST(Resolve, ImagesThatDoNotFitAreRefused) {
  const Module module = FromGlsl(kImages);
  EXPECT_EQ(ErrorOf(module, R"({"s": {"func": "sampler3D", "texture": "noise"}})"),
            "t.json: /s: \"func\" is sampler3D, but s (set 0, binding 0) is a sampler2D");
  EXPECT_EQ(ErrorOf(module, R"({"x": {"func": "texture2D", "texture": "noise", "binding": 0}})"),
            "t.json: /x: \"func\" is texture2D, but s (set 0, binding 0) is a sampler2D");
  EXPECT_EQ(
      ErrorOf(module, R"({"s": {"func": "sampler2D", "texture": "noise", "format": "r32i"}})"),
      "t.json: /s: the value has the format r32i, but the texels of s (set 0, binding 0) are "
      "floats");
  EXPECT_EQ(
      ErrorOf(module, R"({"i": {"func": "image2D", "format": "r16f"}})"),
      "t.json: /i: the value has the format r16f, but i (set 0, binding 3) has the format r32f");
  EXPECT_EQ(ErrorOf(module, R"({"s": {"func": "sampler2D", "texture": "noise"},
                                "x": {"func": "sampler2D", "texture": "noise", "binding": 0}})"),
            "t.json: /x: s (set 0, binding 0) already has a value from the entry s");
  const Module array = FromGlsl(R"(
    layout(binding = 0) uniform sampler2D s[2][1];
    void main() { color = texture(s[0][0], vec2(0)); })");
  const auto resolved = TryResolve(array, "{}");
  ASSERT_FALSE(resolved);
  EXPECT_EQ(resolved.error().kind, ErrorKind::kUnavailable);
  EXPECT_EQ(
      resolved.error().message,
      "t.json: the entry point main uses s, an array of arrays of descriptors; Refract does not "
      "support such resources");
  const Module split = FromGlsl(R"(
    layout(binding = 0) uniform texture2D t;
    layout(binding = 1) uniform sampler q;
    void main() { color = vec4(texture(sampler2DShadow(t, q), vec3(0))); })");
  EXPECT_EQ(ErrorOf(split, "{}"),
            "t.json: the entry point main uses t, a depth image that is not combined with a "
            "sampler; Refract does not support such resources");
}

TEST(Resolve, DepthImages) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform sampler2DShadow s;
    void main() { color = vec4(texture(s, vec3(0))); })");
  const auto image = [&](const std::string& entry) {
    auto resolved = TryResolve(module, "{\"s\": {" + entry + "}}");
    EXPECT_TRUE(resolved) << resolved.error().message;
    return resolved->bindings.images.at(0);
  };
  const BoundImage plain = image(R"("func": "sampler2DShadow", "texture": "noise")");
  EXPECT_EQ(plain.compare, BoundImage::kLessOrEqual);
  EXPECT_EQ(plain.format, spv::ImageFormat::R32f);
  EXPECT_TRUE(IsSound(plain));
  const BoundImage given =
      image(R"("func": "sampler2DShadow", "args": [0.5], "format": "r32f", "compare": "greater")");
  EXPECT_EQ(given.compare, BoundImage::kGreater);
  EXPECT_EQ(ErrorOf(module, R"({"s": {"func": "sampler2D", "texture": "noise"}})"),
            "t.json: /s: \"func\" is sampler2D, but s (set 0, binding 0) is a sampler2DShadow");
}

TEST(Resolve, TexelBuffers) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform samplerBuffer s;
    layout(binding = 1, r32ui) uniform uimageBuffer m;
    void main() { imageStore(m, 0, uvec4(1)); color = texelFetch(s, 3); })");
  const auto resolved = TryResolve(
      module, R"({"s": {"func": "textureBuffer", "texture": "noise", "size": [9], "binding": 0}})");
  ASSERT_TRUE(resolved) << resolved.error().message;
  ASSERT_EQ(resolved->bindings.images.size(), 2u);
  for (const BoundImage& image : resolved->bindings.images) {
    EXPECT_EQ(image.dim, spv::Dim::Buffer);
    EXPECT_TRUE(IsSound(image));
  }
  EXPECT_EQ(resolved->bindings.images[0].kind, BoundImage::kSampled);
  EXPECT_EQ(resolved->bindings.images[0].width, 9u);
  EXPECT_EQ(resolved->bindings.images[1].kind, BoundImage::kStorage);
}

// Whatever the inputs give for images, the result is a complete image or an error.
TEST(Resolve, MutatedImagesAreValidOrRefused) {
  const Module module = FromGlsl(kImages);
  constexpr std::string_view kText = R"({
    "s": {"func": "sampler2D", "texture": "noise", "seed": 9, "binding": 0, "size": [4, 3]},
    "t": {"func": "texture3D", "args": [1, 65535], "format": "r16ui", "size": [2, 1, 1]},
    "i": {"func": "image2D", "args": [0.5], "format": "r32f", "size": [3, 2]},
    "w": {"func": "imageCube", "format": "rgba16f", "size": [2, 2]},
    "how": {"func": "sampler", "filter": "linear", "wrap": "clamp"}})";
  Random random(4);
  int resolved_rounds = 0;
  for (int round = 0; round < 4000; ++round) {
    std::string text(kText);
    for (uint64_t edits = 1 + random.Below(2); edits > 0; --edits) {
      // Replaces a piece of the text by another: digits by digits, names by names.
      const size_t from = random.Below(text.size()), to = random.Below(text.size());
      text.replace(to, 1, text, from, 1 + random.Below(2));
    }
    const auto resolved = TryResolve(module, text, {.zero_inputs = random.Below(2) == 0});
    if (!resolved) {
      EXPECT_FALSE(resolved.error().message.empty());
      continue;
    }
    ++resolved_rounds;
    for (const BoundImage& image : resolved->bindings.images) {
      ASSERT_TRUE(IsSound(image)) << text;
    }
  }
  EXPECT_GT(resolved_rounds, 100);
}

TEST(Texels, PatternsMatchTheirDescription) {
  BoundImage image;
  image.dim = spv::Dim::Dim3D;
  image.width = 3, image.height = 2, image.depth = 2;
  const auto texel = [&](TexelPattern pattern, spv::ImageFormat wanted, uint32_t index) {
    image.format = wanted;
    FillWithPattern(pattern, 5, &image);
    EXPECT_TRUE(IsSound(image));
    return image.texels.substr(size_t{index} * TexelSize(wanted), TexelSize(wanted));
  };
  using F = spv::ImageFormat;
  EXPECT_EQ(texel(TexelPattern::kChecker, F::Rgba8, 0), "\xff\xff\xff\xff");
  EXPECT_EQ(texel(TexelPattern::kChecker, F::Rgba8, 6), std::string("\0\0\0\xff", 4));
  EXPECT_EQ(texel(TexelPattern::kGradient, F::Rgba8, 7), std::string("\x7f\0\xff\xff", 4));
  EXPECT_EQ(texel(TexelPattern::kGradient, F::Rgba8i, 7), "\xff\x80\x7f\x7f");
  EXPECT_EQ(texel(TexelPattern::kGradient, F::Rgba8Snorm, 7), "\xff\x81\x7f\x7f");
  EXPECT_EQ(WordOf(texel(TexelPattern::kGradient, F::R32i, 0), 0), 0xffffff80u);
  EXPECT_EQ(WordOf(texel(TexelPattern::kGradient, F::R32f, 1), 0), 0x3efe0000u);  // 127 / 256
  EXPECT_EQ(texel(TexelPattern::kGradient, F::R16f, 1), "\xf0\x37");
  // The hash that the header describes, for the texel (1, 0, 0).
  uint32_t hash = 5;
  for (const uint32_t part : {1u, 0u, 0u, 0u}) {
    hash = (hash ^ part) * 2654435761u;
    hash ^= hash >> 15;
  }
  EXPECT_EQ(WordOf(texel(TexelPattern::kNoise, F::R32ui, 1), 0), hash >> 24);
}

TEST(Texels, LevelsHaveHalfTheSidesAndOtherTexels) {
  BoundImage image;
  image.dim = spv::Dim::Dim3D;
  image.format = spv::ImageFormat::R8ui;
  image.width = 5, image.height = 2, image.depth = 4;
  EXPECT_EQ(MostLevels(image), 3u);
  image.levels = 3;
  FillWithPattern(TexelPattern::kChecker, 0, &image);
  EXPECT_EQ(TexelsBeforeLevel(image, 1), 40u);
  EXPECT_EQ(TexelsBeforeLevel(image, 2), 44u);
  EXPECT_EQ(image.texels.size(), 45u);
  EXPECT_TRUE(IsSound(image));
  EXPECT_EQ(image.texels.substr(40), std::string("\x24\x25\x25\x24\x49", 5));  // + 37, + 74
  image.levels = 4;
  EXPECT_FALSE(IsSound(image));
  image.levels = 3;
  image.kind = BoundImage::kStorage;
  EXPECT_FALSE(IsSound(image));
}

TEST(Texels, SamplesOfATexelFollowEachOther) {
  BoundImage image;
  image.arrayed = true;
  image.format = spv::ImageFormat::R8ui;
  image.width = 2, image.height = 1, image.layers = 2, image.samples = 4;
  FillWithPattern(TexelPattern::kChecker, 0, &image);
  EXPECT_EQ(TexelsBeforeLevel(image, 1), 16u);
  EXPECT_EQ(image.texels, std::string("\xff\x24\x49\x6e\0\x25\x4a\x6f"
                                      "\0\x25\x4a\x6f\xff\x24\x49\x6e",
                                      16));
  EXPECT_TRUE(IsSound(image));
  EXPECT_EQ(MostLevels(image), 1u);
  const auto is_sound = [&](auto change) {
    BoundImage changed = image;
    change(changed);
    changed.texels.resize(TexelsBeforeLevel(changed, changed.levels));
    return IsSound(changed);
  };
  EXPECT_TRUE(is_sound([](BoundImage& i) { i.samples = 32; }));
  EXPECT_FALSE(is_sound([](BoundImage& i) { i.samples = 3; }));
  EXPECT_FALSE(is_sound([](BoundImage& i) { i.samples = 64; }));
  EXPECT_FALSE(is_sound([](BoundImage& i) { i.samples = 0; }));
  EXPECT_FALSE(is_sound([](BoundImage& i) { i.levels = 2; }));
  EXPECT_TRUE(is_sound([](BoundImage& i) { i.kind = BoundImage::kStorage; }));
  EXPECT_FALSE(is_sound([](BoundImage& i) { i.dim = spv::Dim::Dim1D; }));
}

TEST(Resolve, MultisampledImagesGetTheirSamples) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform usampler2DMS s;
    void main() { color = vec4(texelFetch(s, ivec2(0), 1)); })");
  const ResolvedInputs given =
      MustResolve(module, R"({"s": {"func": "sampler2DMS", "args": [7, 8, 9, 10], "format": "r8ui",
                                    "size": [2, 1], "samples": 2}})");
  ASSERT_EQ(given.bindings.images.size(), 1u);
  EXPECT_EQ(given.bindings.images[0].samples, 2u);
  EXPECT_EQ(given.bindings.images[0].texels, "\7\10\11\12");
  EXPECT_EQ(
      ErrorOf(module, R"({"s": {"func": "sampler2D", "texture": "noise", "format": "r8ui"}})"),
      "t.json: /s: \"func\" is sampler2D, but s (set 0, binding 0) is a sampler2DMS");
}

TEST(Resolve, FramesHaveSamples) {
  const Module plain = FromGlsl("void main() { color = gl_FragCoord; }");
  const char* const four = R"({"$framebuffer": {"width": 8, "height": 4, "samples": 4}})";
  const char* const each =
      R"({"$framebuffer": {"width": 8, "height": 4, "samples": 4, "per_sample": true}})";
  EXPECT_EQ(MustResolve(plain, four).bindings.samples, 4u);
  EXPECT_FALSE(MustResolve(plain, four).bindings.per_sample);
  EXPECT_EQ(TargetWidth(MustResolve(plain, each).bindings), 32u);
  EXPECT_TRUE(MustResolve(plain, each).bindings.per_sample);
  const Module compute = FromCompute("layout(local_size_x = 1) in; void main() {}");
  EXPECT_EQ(MustResolve(compute, each).bindings.samples, 1u);
  EXPECT_EQ(ErrorOf(plain, R"({"$framebuffer": {"width": 2049, "height": 4, "samples": 2}})"),
            "t.json: /$framebuffer: a frame of 2049 pixels with 2 samples is too wide; the maximum "
            "is 4096 samples");
  EXPECT_EQ(ErrorOf(plain, R"({"$framebuffer": {"width": 8, "height": 4, "samples": 2},
                               "$depth": {}})"),
            "t.json: /$depth: a frame with several samples has no depth target");
}

// An optimiser may remove a variable that is not used, and with it the reason to run for each
// sample.
TEST(Resolve, SomeShadersCannotRunForEachPixel) {
  const auto problem = [](const char* code, uint32_t samples, bool per_sample) {
    const Module module = FromGlsl(code);
    Bindings bindings;
    bindings.samples = samples;
    bindings.per_sample = per_sample;
    return PixelProblem(module, EntryPoints(module).at(0), bindings);
  };
  const std::string each =
      "the shader runs for each sample, because it has gl_SampleID, gl_SamplePosition or an input "
      "that is decorated with Sample; this needs \"per_sample\": true in $framebuffer";
  const std::string stores =
      "the shader stores to memory, although it may run several times for a pixel; this needs "
      "\"per_sample\": true in $framebuffer";
  struct Row {
    const char* code;
    std::string problem;
  };
  for (const Row& row : {
           Row{"void main() { color = vec4(gl_SampleID); }", each},
           Row{"void main() { color = gl_SamplePosition.xyxy; }", each},
           Row{"layout(location = 0) sample in vec4 a; void main() { color = a; }", each},
           Row{"layout(location = 0) in A { vec4 b; sample vec4 c; } a;\n"
               "void main() { color = a.b + a.c; }",
               each},
           Row{"layout(binding = 0) buffer B { int n; };\n"
               "void main() { atomicAdd(n, 1); color = vec4(0); }",
               stores},
           Row{"layout(binding = 0) buffer B { int n; };\nvoid main() { color = vec4(n); }", ""},
           Row{"void main() { color = gl_FragCoord * gl_SampleMaskIn[0]; }", ""},
       }) {
    EXPECT_EQ(problem(row.code, 4, false), row.problem) << row.code;
    EXPECT_EQ(problem(row.code, 4, true), "") << row.code;
    EXPECT_EQ(problem(row.code, 1, false), "") << row.code;
  }
}

TEST(Resolve, MultisampledAttachmentsHaveTheSamplesOfTheFrame) {
  const Module module = FromGlsl(R"(
    layout(input_attachment_index = 0, binding = 0) uniform subpassInputMS a;
    void main() { color = subpassLoad(a, 1); })");
  const ResolvedInputs given =
      MustResolve(module, R"({"a": {"func": "subpassInputMS", "args": [1, 2, 3, 4], "format": "r8"},
                  "$framebuffer": {"width": 2, "height": 1, "samples": 2}})");
  EXPECT_EQ(given.bindings.images.at(0).samples, 2u);
  EXPECT_EQ(given.bindings.images.at(0).texels, "\1\2\3\4");
  EXPECT_TRUE(IsSound(given.bindings.images.at(0)));
  EXPECT_EQ(ErrorOf(module, R"({"a": {"func": "subpassInputMS", "texture": "noise"}})"),
            "t.json: the input attachment at set 0, binding 0 is multisampled, which needs a frame "
            "with several samples (\"samples\" in $framebuffer)");
  EXPECT_EQ(ErrorOf(module, R"({"a": {"func": "subpassInput", "texture": "noise"},
                                "$framebuffer": {"width": 2, "height": 1, "samples": 2}})"),
            "t.json: /a: \"func\" is subpassInput, but a (set 0, binding 0) is a subpassInputMS");
}

TEST(Resolve, SamplersHaveReductionsAndCoordinates) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform sampler2D s;
    layout(binding = 1) uniform isampler2D i;
    void main() { color = textureLod(s, vec2(0), 0.0) + vec4(texelFetch(i, ivec2(0), 0)); })");
  const ResolvedInputs given = MustResolve(
      module,
      R"({"s": {"func": "sampler2D", "texture": "noise", "wrap": "clamp", "reduction": "maximum",
                        "coordinates": "texels"},
                  "i": {"func": "sampler2D", "texture": "noise", "format": "r8i"}})");
  EXPECT_EQ(given.bindings.images.at(0).reduction, BoundImage::kMaximum);
  EXPECT_TRUE(given.bindings.images.at(0).texel_coordinates);
  EXPECT_TRUE(IsSound(given.bindings.images.at(0)));
  EXPECT_FALSE(given.bindings.images.at(1).texel_coordinates);
  EXPECT_EQ(ErrorOf(module, R"({"s": {"func": "sampler2D", "texture": "noise"},
                                "i": {"func": "sampler2D", "texture": "noise", "format": "r8i",
                                      "reduction": "minimum"}})"),
            "t.json: /i: integers have no \"reduction\"");
}

TEST(Resolve, IntegersAreNotFilteredBetweenLevels) {
  const Module module = FromGlsl(R"(
    layout(binding = 0) uniform isampler2D s;
    void main() { color = vec4(textureLod(s, vec2(0), 1.0)); })");
  EXPECT_EQ(ErrorOf(module, R"({"s": {"func": "sampler2D", "texture": "noise", "format": "r32i",
                                "mip_filter": "linear"}})"),
            "t.json: /s: integers cannot be filtered: \"mip_filter\" must be \"nearest\"");
}

// Two entry points, each with its own block; `a` calls a function that reads its block.
constexpr std::string_view kTwo = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "a"
OpEntryPoint GLCompute %2 "b"
OpExecutionMode %1 LocalSize 1 1 1
OpExecutionMode %2 LocalSize 1 1 1
OpMemberDecorate %3 0 Offset 0
OpDecorate %3 Block
OpDecorate %4 DescriptorSet 0
OpDecorate %4 Binding 0
OpDecorate %5 DescriptorSet 0
OpDecorate %5 Binding 1
%6 = OpTypeVoid
%7 = OpTypeFunction %6
%8 = OpTypeInt 32 0
%3 = OpTypeStruct %8
%9 = OpTypePointer Uniform %3
%10 = OpTypePointer Uniform %8
%11 = OpConstant %8 0
%4 = OpVariable %9 Uniform
%5 = OpVariable %9 Uniform
%12 = OpFunction %6 None %7
%13 = OpLabel
%14 = OpAccessChain %10 %4 %11
%15 = OpLoad %8 %14
OpReturn
OpFunctionEnd
%1 = OpFunction %6 None %7
%16 = OpLabel
%17 = OpFunctionCall %6 %12
OpReturn
OpFunctionEnd
%2 = OpFunction %6 None %7
%18 = OpLabel
%19 = OpLoad %3 %5
OpReturn
OpFunctionEnd
)";

TEST(Resolve, EntryPointsNeedOnlyWhatTheyReach) {
  const auto words = Assemble(kTwo, TargetEnvironment::kVulkan11);
  ASSERT_TRUE(words) << words.error().message;
  const Module module = MustRead(*words);
  EXPECT_EQ(FindEntryPoint(module, "", "t.spv").error().message,
            "t.spv: several entry points; choose one with --entry: a, b");
  EXPECT_EQ(FindEntryPoint(module, "c", "t.spv").error().message,
            "t.spv: no entry point 'c'; the module has: a, b");
  const auto a = FindEntryPoint(module, "a", "t.spv");
  const auto b = FindEntryPoint(module, "b", "t.spv");
  ASSERT_TRUE(a && b);
  const auto missing_a = Resolve(module, *a, Inputs(), "t.json");
  const auto missing_b = Resolve(module, *b, Inputs(), "t.json");
  ASSERT_FALSE(missing_a);
  ASSERT_FALSE(missing_b);
  EXPECT_NE(missing_a.error().message.find("have no value: member 0 (set 0, binding 0);"),
            std::string::npos)
      << missing_a.error().message;
  EXPECT_NE(missing_b.error().message.find("have no value: member 0 (set 0, binding 1);"),
            std::string::npos)
      << missing_b.error().message;
}

// A block with four members. The first is read through a copy of a pointer to the block, the second
// through a copy of a pointer to the member, the third is only written by a copy of memory, and the
// fourth has only a pointer to it.
constexpr std::string_view kCopies = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %1 "main"
OpExecutionMode %1 LocalSize 1 1 1
OpMemberDecorate %3 0 Offset 0
OpMemberDecorate %3 1 Offset 4
OpMemberDecorate %3 2 Offset 8
OpMemberDecorate %3 3 Offset 12
OpDecorate %3 BufferBlock
OpDecorate %4 DescriptorSet 0
OpDecorate %4 Binding 0
%6 = OpTypeVoid
%7 = OpTypeFunction %6
%8 = OpTypeInt 32 0
%3 = OpTypeStruct %8 %8 %8 %8
%9 = OpTypePointer Uniform %3
%10 = OpTypePointer Uniform %8
%11 = OpConstant %8 0
%12 = OpConstant %8 1
%13 = OpConstant %8 2
%14 = OpConstant %8 3
%4 = OpVariable %9 Uniform
%1 = OpFunction %6 None %7
%15 = OpLabel
%16 = OpCopyObject %9 %4
%17 = OpAccessChain %10 %16 %11
%18 = OpLoad %8 %17
%19 = OpAccessChain %10 %4 %12
%20 = OpCopyObject %10 %19
%21 = OpAccessChain %10 %4 %13
OpCopyMemory %21 %20
%22 = OpAccessChain %10 %4 %14
%23 = OpCopyObject %10 %22
OpReturn
OpFunctionEnd
)";

TEST(Resolve, ReadsThroughCopiesOfPointersCount) {
  const auto words = Assemble(kCopies, TargetEnvironment::kVulkan11);
  ASSERT_TRUE(words) << words.error().message;
  const Module module = MustRead(*words);
  const VariableUse use =
      UseOf(module, module.FindId(Name{0, 4}), std::vector<bool>(module.function_slots(), true));
  EXPECT_TRUE(use.used);
  EXPECT_FALSE(use.reads_all);
  EXPECT_EQ(use.reads, (std::vector<uint32_t>{0, 1}));
}

// spirv-val refuses such a module, but nothing has asked it yet.
TEST(Resolve, AMatrixWithoutVectorsIsRefused) {
  constexpr char kText[] = R"(
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint Fragment %main "main"
OpExecutionMode %main OriginUpperLeft
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpMemberDecorate %block 0 ColMajor
OpMemberDecorate %block 0 MatrixStride 16
OpDecorate %buffer DescriptorSet 0
OpDecorate %buffer Binding 0
%void = OpTypeVoid
%function = OpTypeFunction %void
%float = OpTypeFloat 32
%column = OpTypeRuntimeArray %float
%matrix = OpTypeMatrix %column 4
%block = OpTypeStruct %matrix
%pointer = OpTypePointer Uniform %block
%buffer = OpVariable %pointer Uniform
%main = OpFunction %void None %function
%entry = OpLabel
%read = OpLoad %block %buffer
OpReturn
OpFunctionEnd
)";
  const auto words = Assemble(kText, TargetEnvironment::kVulkan11);
  ASSERT_TRUE(words) << words.error().message;
  const auto module = ReadModule(*words, "t.spv");
  ASSERT_TRUE(module) << module.error().message;
  const auto entry = FindEntryPoint(*module, "", "t.spv");
  ASSERT_TRUE(entry) << entry.error().message;
  const auto resolved = Resolve(*module, *entry, Inputs(), "t.json", {.zero_inputs = true});
  ASSERT_FALSE(resolved);
  EXPECT_NE(resolved.error().message.find("are not vectors"), std::string::npos)
      << resolved.error().message;
}

// Random words are changed: what still reads as a module is resolved or refused, and nothing
// crashes.
TEST(Resolve, MutatedModulesAreResolvedOrRefused) {
  const auto plain = LoadModuleBytes(
      "t.frag", format("#version 450\nlayout(location = 0) out vec4 color;\n{}", kPlain));
  ASSERT_TRUE(plain) << plain.error().message;
  Random random(5000);
  int resolved = 0;
  for (int round = 0; round < 5000; ++round) {
    std::vector<uint32_t> words = plain->words;
    for (uint64_t edits = random.Between(1, 3); edits > 0; --edits) {
      const size_t at = random.Between(5, words.size() - 1);
      words[at] = random.Percent(50) ? words[random.Below(words.size())]
                                     : static_cast<uint32_t>(random.Below(words[3]));
    }
    const auto module = ReadModule(words, "t.spv");
    if (!module) continue;
    const auto entry = FindEntryPoint(*module, "", "t.spv");
    if (!entry) continue;
    if (Resolve(*module, *entry, Inputs(), "t.json", {.zero_inputs = true})) ++resolved;
  }
  EXPECT_GT(resolved, 500);
}

}  // namespace
}  // namespace refract
