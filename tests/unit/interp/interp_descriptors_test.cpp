// SPDX-License-Identifier: Apache-2.0
// Arrays of descriptors in the interpreter: which descriptor an index selects, and where it must be
// the same for all invocations.
#include "base/text.h"
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

constexpr const char* kNotTheSame = "the descriptor is not the same for all invocations";
constexpr const char* kExtension = "#extension GL_EXT_nonuniform_qualifier : require\n";
constexpr const char* kBlocks =
    "layout(binding = 1) uniform U { uint u[2]; } us[3];\n"
    "layout(binding = 2) buffer S { uint n; uint s[]; } ss[3];\n";

// Three uniform blocks of the words 10 e + 1, ..., three storage blocks with e + 1 elements.
Bindings WithBlocks() {
  Bindings bindings = ComputeBindings();
  for (uint32_t e = 0; e < 3; ++e) {
    std::vector<uint32_t> words(8, 0);
    words[0] = 10 * e + 1, words[4] = 10 * e + 2;
    BoundBuffer block{0, 1, false, std::string(reinterpret_cast<char*>(words.data()), 32), e};
    bindings.buffers.push_back(block);
  }
  for (uint32_t e = 0; e < 3; ++e) {
    bindings.buffers.push_back({0, 2, true, std::string(4 * (e + 2), '\0'), e});
  }
  return bindings;
}

InterpRun WithBlocks(const std::string& body, uint32_t size = 8) {
  return InterpretCompute(body, {}, std::string(kExtension) + kBlocks, size, WithBlocks());
}

// Word `i` of the storage block `e`.
uint32_t WordIn(const InterpRun& run, uint32_t e, size_t i) {
  for (const BoundBuffer& buffer : run.report.outputs.buffers) {
    if (buffer.binding != 2 || buffer.element != e) continue;
    uint32_t word = 0;
    std::memcpy(&word, buffer.bytes.data() + 4 * i, 4);
    return word;
  }
  return 0xdeadbeef;
}

TEST(InterpDescriptors, AConstantSelects) {
  const InterpRun run =
      WithBlocks("data[0] = us[2].u[1]; ss[1].n = 5; data[1] = ss[1].s.length();", 1);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 22u);
  EXPECT_EQ(run.word(1), 2u);
  EXPECT_EQ(WordIn(run, 0, 0), 0u);
  EXPECT_EQ(WordIn(run, 1, 0), 5u);
  EXPECT_EQ(WordIn(run, 2, 0), 0u);
}

TEST(InterpDescriptors, AUniformIndexSelects) {
  const InterpRun run = WithBlocks(
      "for (int k = 0; k < 3; ++k) if (i == 0) { data[k] = us[k].u[0]; ss[k].s[k] = 7 + k; }");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 1u);
  EXPECT_EQ(run.word(1), 11u);
  EXPECT_EQ(run.word(2), 21u);
  for (uint32_t e = 0; e < 3; ++e) EXPECT_EQ(WordIn(run, e, 1 + e), 7 + e);
}

TEST(InterpDescriptors, ANonUniformIndexSelects) {
  const InterpRun run = WithBlocks(
      "uint k = i % 3; data[i] = us[nonuniformEXT(k)].u[k & 1];"
      "if (i < 3) ss[nonuniformEXT(k)].n = i + 4;"
      "for (int r = 0; r < 3; ++r) if (r == k) data[8 + i] = ss[r].s.length();");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  for (uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(run.word(i), 10 * (i % 3) + 1 + (i % 3 & 1)) << i;
    EXPECT_EQ(run.word(8 + i), i % 3 + 1) << i;
  }
  for (uint32_t e = 0; e < 3; ++e) EXPECT_EQ(WordIn(run, e, 0), e + 4);
}

TEST(InterpDescriptors, WithoutNonUniformAllInvocationsMustAccessTheSame) {
  for (const char* body : {"data[i] = us[i % 3].u[0];", "ss[i % 3].n = i;",
                           "atomicAdd(ss[i % 3].n, 1);", "data[i] = ss[i % 3].s.length();",
                           // The front end decorates the index, but not the pointer.
                           "atomicAdd(ss[nonuniformEXT(i % 3)].n, 1);"}) {
    const InterpRun run = WithBlocks(body);
    EXPECT_TRUE(run.trapped(kNotTheSame)) << body << run.error;
    EXPECT_EQ(WithBlocks(body, 1).trap(), "") << body;
  }
  // The same for those invocations that execute the instruction.
  EXPECT_EQ(WithBlocks("if (i % 3 == 1) data[i] = us[i % 3].u[0];").trap(), "");
}

TEST(InterpDescriptors, AnIndexOutOfRangeIsATrap) {
  EXPECT_TRUE(WithBlocks("data[0] = us[i + 3].u[0];", 1)
                  .trapped("index 3 is out of range: the array has 3 descriptors"));
  EXPECT_TRUE(
      WithBlocks("ss[int(i) - 1].n = 1;", 1).trapped("the index of a descriptor is negative"));
  EXPECT_TRUE(WithBlocks("int k; data[0] = us[k].u[0];", 1)
                  .trapped("the index of a descriptor is undefined"));
}

TEST(InterpDescriptors, AnElementThatIsNotBoundIsNamed) {
  Bindings bindings = WithBlocks();
  bindings.buffers.pop_back();
  const InterpRun run = InterpretCompute("ss[0].n = 1;", {}, kBlocks, 1, bindings);
  EXPECT_NE(run.error.find("nothing is bound to set 0, binding 2, element 2"), std::string::npos)
      << run.error;
}

// --- images and samplers

// Two images of one texel each with the numbers 3 and 4, and two storage images.
Bindings WithImages() {
  Bindings bindings = ComputeBindings();
  for (const uint32_t binding : {1u, 2u, 3u}) {
    for (uint32_t e = 0; e < 2; ++e) {
      BoundImage image;
      image.binding = binding;
      image.element = e;
      image.kind = binding == 1   ? BoundImage::kCombined
                   : binding == 2 ? BoundImage::kStorage
                                  : BoundImage::kSampler;
      image.format = binding == 1 ? spv::ImageFormat::R32f : spv::ImageFormat::R32ui;
      const float number = 3.0f + static_cast<float>(e);
      image.texels.assign(4, '\0');
      if (binding == 1) std::memcpy(image.texels.data(), &number, 4);
      if (binding == 3) image.texels.clear();
      bindings.images.push_back(image);
    }
  }
  return bindings;
}

InterpRun WithImages(const std::string& body, uint32_t size = 4) {
  return InterpretCompute(body, {},
                          std::string(kExtension) +
                              "layout(binding = 1) uniform sampler2D t[2];\n"
                              "layout(binding = 2, r32ui) uniform uimage2D m[2];\n"
                              "uint Get(sampler2D from[2], int k) {\n"
                              "  return uint(texelFetch(from[k], ivec2(0), 0).x); }\n",
                          size, WithImages());
}

TEST(InterpDescriptors, SelectImages) {
  const InterpRun run = WithImages(
      "data[i] = uint(texelFetch(t[nonuniformEXT(i & 1)], ivec2(0), 0).x);"
      "data[4 + i] = Get(t, 1);"
      "imageAtomicAdd(m[nonuniformEXT(i & 1)], ivec2(0), i + 1);"
      "for (int k = 0; k < 2; ++k) if (i == 0) data[8 + k] = uint(textureLod(t[k], vec2(0.5), "
      "0.0).x);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  for (uint32_t i = 0; i < 4; ++i) {
    EXPECT_EQ(run.word(i), 3 + (i & 1)) << i;
    EXPECT_EQ(run.word(4 + i), 4u) << i;
  }
  EXPECT_EQ(run.word(8), 3u);
  EXPECT_EQ(run.word(9), 4u);
  ASSERT_EQ(run.report.outputs.images.size(), 2u);
  EXPECT_EQ(run.report.outputs.images[0].texels[0], 4);  // 1 + 3
  EXPECT_EQ(run.report.outputs.images[1].texels[0], 6);  // 2 + 4
}

TEST(InterpDescriptors, ImagesMustBeTheSameWithoutNonUniform) {
  for (const char* body :
       {"data[i] = uint(texelFetch(t[i & 1], ivec2(0), 0).x);",
        "data[i] = textureSize(t[i & 1], 0).x;", "data[i] = textureQueryLevels(t[i & 1]);",
        "imageStore(m[i & 1], ivec2(0), uvec4(7));", "imageAtomicAdd(m[i & 1], ivec2(0), 1);",
        "data[i] = Get(t, int(i) & 1);"}) {
    const InterpRun run = WithImages(body);
    EXPECT_TRUE(run.trapped(kNotTheSame)) << body << run.trap() << run.error;
  }
  EXPECT_TRUE(WithImages("data[i] = uint(texelFetch(t[i + 2], ivec2(0), 0).x);", 1)
                  .trapped("index 2 is out of range: the array has 2 descriptors"));
}

// All invocations of a draw count, also those that the interpreter does not run together.
TEST(InterpDescriptors, AreTheSameInAWholeDraw) {
  Bindings bindings = WithImages();
  bindings.buffers.clear();
  bindings.width = bindings.height = 128;
  const auto draw = [&](const std::string& index, const std::string& before = "") {
    return Interpret(GlslStage::kFragment,
                     format("#version 450\n{}layout(location = 0) out vec4 o;\n"
                            "layout(binding = 1) uniform sampler2D t[2];\n"
                            "void main() {{ int y = int(gl_FragCoord.y);\n"
                            "{} o = texelFetch(t[{}], ivec2(0), 0); }}\n",
                            kExtension, before, index),
                     bindings);
  };
  EXPECT_TRUE(draw("y / 64").trapped(kNotTheSame));
  EXPECT_EQ(draw("nonuniformEXT(y / 64)").trap(), "");
  EXPECT_EQ(draw("y / 128").trap(), "");
  EXPECT_EQ(draw("1", "for (int k = 0; k < 2; ++k) o += texelFetch(t[k], ivec2(0), 0);").trap(),
            "");
}

}  // namespace
}  // namespace refract
