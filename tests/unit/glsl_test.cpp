// SPDX-License-Identifier: Apache-2.0
#include "glsl/glsl.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/text.h"
#include "glsl/load.h"

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

TEST(Glsl, StagesVersionsAndDebugInfo) {
  const auto vertex =
      MustCompile("#version 450\nvoid main() { gl_Position = vec4(1); }", GlslStage::kVertex,
                  {.environment = TargetEnvironment::kVulkan13});
  EXPECT_EQ(vertex.at(1), VersionWord(1, 6));
  const auto compute =
      MustCompile("#version 450\nlayout(local_size_x = 4) in; void main() {}", GlslStage::kCompute,
                  {.environment = TargetEnvironment::kVulkan10, .debug_info = true});
  EXPECT_EQ(compute.at(1), VersionWord(1, 0));
  EXPECT_NE(Disassemble(compute)->find("OpLine"), std::string::npos);
}

TEST(Glsl, ErrorsNameFileAndLine) {
  const auto missing = CompileGlsl("dir/a.frag", "#version 310 es\nvoid main() {\n  x = 1;\n}\n",
                                   GlslStage::kFragment);
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message.rfind("dir/a.frag:3: 'x' : undeclared identifier", 0), 0u)
      << missing.error().message;
  const auto no_main = CompileGlsl("a.frag", "#version 310 es\n", GlslStage::kFragment);
  ASSERT_FALSE(no_main);
  EXPECT_TRUE(no_main.error().message.starts_with("a.frag: Linking fragment stage"))
      << no_main.error().message;
  EXPECT_FALSE(CompileGlsl("a.frag", std::string_view("\0\xff#", 3), GlslStage::kFragment));
  EXPECT_FALSE(CompileGlsl("a.frag", "", GlslStage::kFragment));
}

TEST(Glsl, ThreadsGetTheSameWords) {
  const auto expected = MustCompile(kFragment, GlslStage::kFragment);
  std::vector<std::vector<uint32_t>> got(4);
  std::vector<std::thread> threads;
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

TEST(Load, BinaryComesBackWordForWord) {
  const auto words = MustCompile(kFragment, GlslStage::kFragment);
  const auto loaded = LoadModuleBytes("a.spv", BytesOf(words));
  ASSERT_TRUE(loaded);
  EXPECT_EQ(loaded->words, words);
  EXPECT_EQ(loaded->kind, ModuleKind::kBinary);
  EXPECT_EQ(LoadModuleBytes("-", BytesOf(words))->words, words);
}

TEST(Load, RefusesBrokenBinariesByPlace) {
  const auto words = MustCompile(kFragment, GlslStage::kFragment);
  const std::string bytes = BytesOf(words);
  EXPECT_EQ(LoadError("a.spv", ""), "a.spv: empty file");
  EXPECT_EQ(LoadError("a.spv", "hello, world"),
            "a.spv: byte 0: not SPIR-V (the magic number 0x07230203 is missing)");
  EXPECT_EQ(LoadError("a.spv", bytes.substr(0, 16)), "a.spv: byte 16: truncated in the header");
  EXPECT_EQ(LoadError("a.spv", bytes.substr(0, 30)),
            "a.spv: byte 30: truncated (the size is not a multiple of 4)");
  EXPECT_EQ(LoadError("a.spv", bytes.substr(0, 32)),
            "a.spv: byte 28: truncated (an instruction of 6 words, 1 are left)");
  std::string swapped = bytes;
  for (size_t i = 0; i + 3 < swapped.size(); i += 4) {
    std::swap(swapped[i], swapped[i + 3]);
    std::swap(swapped[i + 1], swapped[i + 2]);
  }
  EXPECT_EQ(LoadError("a.spv", swapped),
            "a.spv: byte 0: the file is byte-swapped (big-endian); only little-endian SPIR-V is "
            "read");
  auto edited = words;
  edited[3] = 4194303;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)), "loaded");
  edited[3] = 4194304;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)),
            "a.spv: byte 12: id bound 4194304; 1 to 4194303 are read");
  edited = words;
  edited[1] = 0x00010700;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)),
            "a.spv: byte 4: version word 0x00010700; SPIR-V 1.0 to 1.6 are read");
  edited = words;
  edited[5] &= 0xffff;
  EXPECT_EQ(LoadError("a.spv", BytesOf(edited)), "a.spv: byte 20: an instruction of 0 words");
}

TEST(Load, AssemblyOfTheVersionInItsComment) {
  const std::string text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%7 = OpTypeVoid\n";
  const auto plain = LoadModuleBytes("a.spvasm", text);
  ASSERT_TRUE(plain) << plain.error().message;
  EXPECT_EQ(plain->kind, ModuleKind::kAssembly);
  EXPECT_EQ(plain->words.at(1), VersionWord(1, 6));
  EXPECT_EQ(plain->words.at(3), 8u);  // %7 stays 7
  const auto old = LoadModuleBytes("-", "; SPIR-V\n; Version: 1.2\n" + text);
  ASSERT_TRUE(old) << old.error().message;
  EXPECT_EQ(old->words.at(1), VersionWord(1, 2));
  EXPECT_EQ(LoadError("a.spvasm", "; Version: 1.9\n" + text),
            "a.spvasm: SPIR-V version 1.9 is not known; 1.0 to 1.6 are");
  EXPECT_TRUE(
      LoadError("a.spvasm", "OpCapability Shader\n%1 = OpTypeVoi\n").starts_with("a.spvasm:2:6: "))
      << LoadError("a.spvasm", "OpCapability Shader\n%1 = OpTypeVoi\n");
  EXPECT_EQ(LoadError("a.spvasm", " \n"), "a.spvasm: empty file");
}

TEST(Load, TheEndingDecides) {
  const auto loaded = LoadModuleBytes("a.frag", kFragment);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->kind, ModuleKind::kGlsl);
  EXPECT_EQ(loaded->words, MustCompile(kFragment, GlslStage::kFragment));
  EXPECT_EQ(LoadError("a.txt", kFragment),
            "a.txt: a module ends in .spv, .spvasm, .frag, .vert or .comp");
  EXPECT_EQ(LoadError("-", kFragment),
            "-: GLSL on standard input has no stage; give a .frag, .vert or .comp file");
  const auto missing = LoadModuleFile("/nonexistent/a.spv");
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().message.starts_with("/nonexistent/a.spv: "));
}

}  // namespace
}  // namespace refract
