// SPDX-License-Identifier: Apache-2.0
#include "glsl/glsl.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "base/text.h"
#include "glsl/load.h"
#include "unit/shared/plain_error.h"

namespace refract {
namespace {

constexpr std::string_view kFragment = R"(#version 310 es
precision highp float;
layout(location = 0) out vec4 color;
layout(set = 0, binding = 0) uniform buf0 { int first; };
layout(set = 0, binding = 2) uniform buf2 { int second; };
uniform int steps;
uniform float scale[2];
void main() { color = vec4(float(steps + first + second) * scale[1]); }
)";

std::vector<uint32_t> MustCompile(std::string_view source, GlslStage stage,
                                  const GlslOptions& options = {}) {
  auto words = CompileGlsl("t.frag", source, stage, options);
  EXPECT_TRUE(words) << words.error().message;
  return words ? *words : std::vector<uint32_t>();
}

TEST(ModuleFiles, MessagesNameTheirEndings) {
  for (size_t at = kModuleEndings.find('.'); at != std::string_view::npos;
       at = kModuleEndings.find('.', at + 1)) {
    const std::string_view ending =
        kModuleEndings.substr(at, kModuleEndings.find_first_of(", ", at) - at);
    EXPECT_TRUE(IsModuleFile("a" + std::string(ending))) << ending;
  }
  EXPECT_FALSE(IsModuleFile("a.json"));
}

TEST(Glsl, GathersPlainUniformsAtAFreeBinding) {
  const auto words = MustCompile(kFragment, GlslStage::kFragment);
  ASSERT_GT(words.size(), 5u);
  EXPECT_EQ(words[1], VersionWord(1, 3));
  EXPECT_EQ(FindInvalid(words, TargetEnvironment::kVulkan11), std::nullopt);
  const auto text = Disassemble(words, {.friendly_names = true});
  ASSERT_TRUE(text);
  EXPECT_NE(text->find("OpMemberName %plain_uniforms 0 \"steps\""), std::string::npos) << *text;
  EXPECT_NE(text->find("OpMemberName %plain_uniforms 1 \"scale\""), std::string::npos);
  EXPECT_NE(text->find(" Binding 1\n"), std::string::npos);
  EXPECT_EQ(text->find("OpLine"), std::string::npos);
}

TEST(Glsl, StageVersionAndDebugInfoFollowTheOptions) {
  const auto vertex =
      MustCompile("#version 450\nvoid main() { gl_Position = vec4(1); }", GlslStage::kVertex,
                  {.environment = TargetEnvironment::kVulkan13});
  EXPECT_EQ(vertex.at(1), VersionWord(1, 6));
  const auto compute =
      MustCompile("#version 450\nlayout(local_size_x = 4) in; void main() {}", GlslStage::kCompute,
                  {.environment = TargetEnvironment::kVulkan10, .debug_info = true});
  EXPECT_EQ(compute.at(1), VersionWord(1, 0));
  EXPECT_NE(Disassemble(compute)->find("OpLine"), std::string::npos);
  // SPV_EXT_mesh_shader needs SPIR-V 1.4.
  constexpr const char* kTask =
      "#version 450\n#extension GL_EXT_mesh_shader : require\n"
      "layout(local_size_x = 1) in; void main() { EmitMeshTasksEXT(1, 1, 1); }";
  const auto task = MustCompile(kTask, GlslStage::kTask);
  EXPECT_EQ(task.at(1), VersionWord(1, 4));
  EXPECT_TRUE(ValidateWithin(task, TargetEnvironment::kUniversal14)) << "without a payload";
  EXPECT_EQ(
      MustCompile(kTask, GlslStage::kTask, {.environment = TargetEnvironment::kVulkan13}).at(1),
      VersionWord(1, 6));
}

TEST(Glsl, ErrorsNameFileAndLine) {
  const auto missing = CompileGlsl("dir/a.frag", "#version 310 es\nvoid main() {\n  x = 1;\n}\n",
                                   GlslStage::kFragment);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message.rfind("dir/a.frag:3:3: error: 'x' : undeclared identifier", 0),
            0u)
      << missing.error().message;
  const auto no_main = CompileGlsl("a.frag", "#version 310 es\n", GlslStage::kFragment);
  ASSERT_FALSE(no_main);
  EXPECT_TRUE(no_main.error().message.starts_with("a.frag: Linking fragment stage"))
      << no_main.error().message;
  EXPECT_FALSE(CompileGlsl("a.frag", std::string_view("\0\xff#", 3), GlslStage::kFragment));
  EXPECT_FALSE(CompileGlsl("a.frag", "", GlslStage::kFragment));
}

TEST(Glsl, AllErrorsAreReportedOnRequest) {
  const std::string source = "#version 450\nvoid main() {\n  x = 1;\n  int i = x.y;\n  z;\n}\n";
  const auto first = CompileGlsl("a.frag", source, GlslStage::kFragment);
  ASSERT_FALSE(first);
  EXPECT_EQ(first.error().message.find("'z'"), std::string::npos) << first.error().message;
  const auto all = CompileGlsl("a.frag", source, GlslStage::kFragment, {.all_errors = true});
  ASSERT_FALSE(all);
  for (const char* part :
       {"a.frag:3:3: error: 'x' : undeclared identifier\n    3 |   x = 1;\n      |   ^",
        "a.frag:5:3: error: 'z' : undeclared identifier"}) {
    EXPECT_NE(all.error().message.find(part), std::string::npos) << all.error().message;
  }
}

std::string CompileError(std::string_view source) {
  const auto words = CompileGlsl("a.frag", source, GlslStage::kFragment);
  return words ? "compiled" : PlainError(words.error().message);
}

TEST(Glsl, KnowsWhichVersionsAreSupported) {
  constexpr std::string_view kRest =
      "\n#ifdef GL_ES\nprecision highp float;\n#endif\nout vec4 c;\nvoid main() { c = vec4(1); }\n";
  for (const char* good : {"310 es", "320 es", "330", "330 core", "400", "410", "420", "430", "440",
                           "450", "450 core", "460"}) {
    EXPECT_EQ(CompileError(format("#version {}{}", good, kRest)), "compiled") << good;
  }
  constexpr const char* kTail = "; versions 310 es and later, and 330 and later, are supported";
  EXPECT_EQ(CompileError(format("\n#version 100{}", kRest)),
            format("a.frag:2: #version 100 is too old for Vulkan{}", kTail));
  EXPECT_EQ(CompileError(format("#version 100 es{}", kRest)),
            format("a.frag:1: #version 100 es is too old for Vulkan{}", kTail));
  for (const char* old : {"110", "120", "130", "140", "150"}) {
    EXPECT_EQ(CompileError(format("#version {}{}", old, kRest)),
              format("a.frag:1: #version {} is too old for Vulkan{}", old, kTail));
  }
  EXPECT_EQ(CompileError(format("#version 310{}", kRest)),
            "a.frag:1: #version 310 must be '310 es'");
  EXPECT_EQ(CompileError(format("#version 451{}", kRest)), "a.frag:1: #version 451 is not known");
  EXPECT_EQ(CompileError("#version\n"), "a.frag:1: expected a number after #version");
  EXPECT_EQ(CompileError("// all\n\nvoid main() {}\n#version 450\n"),
            format("a.frag:3: there is no #version line, so the version is 100 or 110{}", kTail));
}

// Line numbers are those of the file, whatever is before the #version line.
TEST(Glsl, LineNumbersAreThoseOfTheFile) {
  constexpr const char* kComment = "/* one\ntwo */\n// three\n";
  for (const char* version : {"300 es", "310 es", "330"}) {
    for (const std::string newline : {"\n", "\r\n"}) {
      const std::string text =
          format("{}\n \t# version  {} // a\nint f = nothing;\n", kComment, version);
      std::string source = "\xef\xbb\xbf";
      for (const char c : text) source += c == '\n' ? newline : std::string(1, c);
      const std::string error = CompileError(source);
      EXPECT_NE(error.find("a.frag:6: 'nothing' : undeclared identifier"), std::string::npos)
          << version << ": " << error;
    }
  }
}

TEST(Glsl, Es300IsCompiledAs310WithAWarning) {
  constexpr std::string_view kBody =
      "precision highp float;\nout vec4 c;\nvoid main() { c = vec4(__VERSION__); }\n";
  std::vector<std::string> warnings;
  const auto older = CompileGlsl("a.frag", format("\n#version 300 es\n{}", kBody),
                                 GlslStage::kFragment, {}, &warnings);
  const auto newer = CompileGlsl("a.frag", format("#version 310 es\n{}", kBody),
                                 GlslStage::kFragment, {}, &warnings);
  ASSERT_TRUE(older && newer);
  EXPECT_EQ(*older, *newer);
  EXPECT_EQ(warnings, std::vector<std::string>{"a.frag:2: #version 300 es is compiled as 310 es"});
  const auto loaded = LoadModuleBytes("b.frag", format("#version 300 es\n{}", kBody));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->warnings.size(), 1u);
}

// "%name Decoration N", sorted.
std::vector<std::string> Places(const std::vector<uint32_t>& words) {
  std::vector<std::string> places;
  const auto text = Disassemble(words, {.friendly_names = true});
  EXPECT_TRUE(text);
  if (!text) return places;
  for (const std::string& line : Split(*text, '\n')) {
    constexpr std::string_view kDecorate = "OpDecorate %";
    const bool place =
        line.find(" Binding ") != std::string::npos || line.find(" Location ") != std::string::npos;
    if (line.starts_with(kDecorate) && place) places.push_back(line.substr(kDecorate.size()));
  }
  std::sort(places.begin(), places.end());
  return places;
}

TEST(Glsl, AssignsFreeBindings) {
  const auto words = MustCompile(R"(#version 420
uniform sampler2D unused;
uniform vec2 size;
layout(binding = 1) uniform sampler2D given;
uniform sampler2D late, later;
uniform Block { vec4 b; } block;
layout(set = 1) uniform Other { vec4 o; } other;
layout(set = 1, binding = 0) uniform There { vec4 t; } there;
out vec4 any_name;
void main() {
  any_name = texture(later, size) + texture(late, size) + texture(given, size) + block.b +
             other.o + there.t;
}
)",
                                 GlslStage::kFragment);
  EXPECT_EQ(Places(words),
            (std::vector<std::string>{"_ Binding 0", "any_name Location 0", "block Binding 5",
                                      "given Binding 1", "late Binding 3", "later Binding 4",
                                      "other Binding 1", "there Binding 0", "unused Binding 2"}));
  EXPECT_EQ(FindInvalid(words, TargetEnvironment::kVulkan11), std::nullopt);
}

TEST(Glsl, AssignsFreeLocations) {
  const auto words = MustCompile(R"(#version 450
in dvec3 position;
layout(location = 3) in vec2 given;
in mat2 spread;
in float last;
out Block { vec4 a; flat ivec2 b[2]; } block;
out vec2 texcoord;
out Placed { layout(location = 4) vec2 c; } placed;
void main() {
  block.a = vec4(position, last);
  block.b[1] = ivec2(1);
  placed.c = texcoord = given * spread;
  gl_Position = vec4(1);
  gl_PointSize = float(gl_VertexID);
}
)",
                                 GlslStage::kVertex);
  EXPECT_EQ(Places(words), (std::vector<std::string>{"block Location 0", "given Location 3",
                                                     "last Location 2", "position Location 0",
                                                     "spread Location 4", "texcoord Location 3"}));
  EXPECT_EQ(FindInvalid(words, TargetEnvironment::kVulkan11), std::nullopt);
}

TEST(Glsl, SamplersInPlainStructsAreRefused) {
  EXPECT_EQ(
      CompileError("#version 450\nstruct S { vec4 a; sampler2D s; };\n"
                   "uniform int n;\nuniform S m;\nout vec4 c;\n"
                   "void main() { c = texture(m.s, m.a.xy) * n; }\n"),
      "a.frag:4: 'm' contains a sampler or an image; in Vulkan, these must be separate variables");
}

TEST(Glsl, CompilesTheSameInSeveralThreads) {
  const auto expected = MustCompile(kFragment, GlslStage::kFragment);
  std::vector<std::vector<uint32_t>> got(4);
  std::vector<std::thread> threads;
  threads.reserve(got.size());
  for (auto& words : got) {
    threads.emplace_back([&words] {
      for (int i = 0; i < 5; ++i) {
        auto result = CompileGlsl("t.frag", kFragment, GlslStage::kFragment);
        if (result) words = *result;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& words : got) EXPECT_EQ(words, expected);
}

std::string BytesOf(const std::vector<uint32_t>& words) {
  std::string bytes;
  for (const uint32_t word : words) {
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(word >> shift & 0xff);
  }
  return bytes;
}

std::string LoadError(const std::string& name, std::string_view bytes) {
  const auto loaded = LoadModuleBytes(name, bytes);
  return loaded ? "loaded" : loaded.error().message;
}

TEST(Load, BinaryIsLoadedWordForWord) {
  const auto words = MustCompile(kFragment, GlslStage::kFragment);
  const auto loaded = LoadModuleBytes("a.spv", BytesOf(words));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->words, words);
  EXPECT_EQ(loaded->kind, ModuleKind::kBinary);
  EXPECT_EQ(LoadModuleBytes("-", BytesOf(words))->words, words);
}

TEST(Load, ErrorsInBinariesNameThePlace) {
  const auto words = MustCompile(kFragment, GlslStage::kFragment);
  const std::string bytes = BytesOf(words);
  EXPECT_EQ(LoadError("a.spv", ""), "a.spv: empty file");
  EXPECT_EQ(LoadError("a.spv", "hello, world"),
            "a.spv: byte 0: not SPIR-V (the magic number 0x07230203 is missing)");
  EXPECT_EQ(LoadError("a.spv", bytes.substr(0, 16)), "a.spv: byte 16: truncated in the header");
  EXPECT_EQ(LoadError("a.spv", bytes.substr(0, 30)),
            "a.spv: byte 30: truncated (the size is not a multiple of 4)");
  EXPECT_EQ(LoadError("a.spv", bytes.substr(0, 32)),
            "a.spv: byte 28: truncated (an instruction has 6 words, but only 1 are left)");
  std::string swapped = bytes;
  for (size_t i = 0; i + 3 < swapped.size(); i += 4) {
    std::swap(swapped[i], swapped[i + 3]);
    std::swap(swapped[i + 1], swapped[i + 2]);
  }
  EXPECT_EQ(LoadError("a.spv", swapped),
            "a.spv: byte 0: the file is byte-swapped (big-endian); Refract reads only "
            "little-endian SPIR-V");
  auto edited = words;
  edited[3] = 4194303;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)), "loaded");
  edited[3] = 4194304;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)),
            "a.spv: byte 12: the id bound is 4194304; Refract reads bounds from 1 to 4194303");
  edited = words;
  edited[1] = 0x00010700;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)),
            "a.spv: byte 4: the version word is 0x00010700; Refract reads SPIR-V 1.0 to 1.6");
  edited = words;
  edited[5] &= 0xffff;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)), "a.spv: byte 20: an instruction has the length 0");
}

TEST(Load, TheCommentInAssemblyGivesItsVersion) {
  const std::string text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%7 = OpTypeVoid\n";
  const auto plain = LoadModuleBytes("a.spvasm", text);
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->kind, ModuleKind::kAssembly);
  EXPECT_EQ(plain->words.at(1), VersionWord(1, 6));
  EXPECT_EQ(plain->words.at(3), 8u);  // %7 keeps its number
  const auto old = LoadModuleBytes("-", "; SPIR-V\n; Version: 1.2\n" + text);
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->words.at(1), VersionWord(1, 2));
  EXPECT_EQ(LoadError("a.spvasm", "; Version: 1.9\n" + text),
            "a.spvasm: unknown SPIR-V version 1.9; 1.0 to 1.6 are supported");
  EXPECT_TRUE(
      LoadError("a.spvasm", "OpCapability Shader\n%1 = OpTypeVoi\n").starts_with("a.spvasm:2:6: "))
      << LoadError("a.spvasm", "OpCapability Shader\n%1 = OpTypeVoi\n");
  EXPECT_EQ(LoadError("a.spvasm", " \n"), "a.spvasm: empty file");
}

TEST(Load, TheExtensionDecidesTheKind) {
  const auto loaded = LoadModuleBytes("a.frag", kFragment);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->kind, ModuleKind::kGlsl);
  EXPECT_EQ(loaded->words, MustCompile(kFragment, GlslStage::kFragment));
  EXPECT_EQ(LoadError("a.txt", kFragment),
            "a.txt: not the name of a module: expected .spv, .spvasm, .frag, .vert, .tesc, .tese, "
            ".geom, .task, .mesh, .comp, .rgen, .rint, .rahit, .rchit, .rmiss or .rcall");
  EXPECT_EQ(
      LoadError("-", kFragment),
      "-: the stage of GLSL from standard input is unknown; pass a .frag, .vert, .tesc, "
      ".tese, .geom, .task, .mesh, .comp, .rgen, .rint, .rahit, .rchit, .rmiss or .rcall file");
  const auto missing = LoadModuleFile("/nonexistent/a.spv");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.starts_with("/nonexistent/a.spv: "));
}

}  // namespace
}  // namespace refract
