// SPDX-License-Identifier: Apache-2.0
// Cubes, depth comparisons, texel buffers and formats in the interpreter.
#include "unit/interp/image_run.h"

namespace refract {
namespace {

using F = spv::ImageFormat;

// Two by two texels for each face; the texel at (x, y) of face f is 100 f + 10 y + x.
BoundImage Cube(uint32_t cubes = 1) {
  std::vector<float> texels;
  for (uint32_t face = 0; face < 6 * cubes; ++face) {
    for (const uint32_t place : {0u, 1u, 10u, 11u}) {
      texels.push_back(static_cast<float>(100 * face + place));
    }
  }
  BoundImage cube = ImageOf<float>(BoundImage::kCombined, F::R32f, 2, 2, texels);
  cube.dim = spv::Dim::Cube;
  cube.arrayed = cubes > 1;
  cube.layers = 6 * cubes;
  return cube;
}

InterpRun FromCube(const std::string& body) {
  return RunWith(Cube(), "layout(binding = 1) uniform samplerCube s;", body);
}

// The expected texels follow from the table of Vulkan, "Cube Map Face Selection".
TEST(InterpImageKinds, CubesSelectTheFaceAndTheTexel) {
  struct Case {
    const char* direction;
    float texel;
  };
  constexpr Case kCases[] = {
      {"2.0, 1.0, 1.0", 0},     {"2.0, -1.0, -1.0", 11},  {"-2.0, 1.0, 1.0", 101},
      {"1.0, 2.0, 1.0", 211},   {"-1.0, -2.0, 1.0", 300}, {"1.0, 1.0, 2.0", 401},
      {"1.0, -1.0, -2.0", 510},
  };
  for (const Case& row : kCases) {
    const InterpRun run =
        FromCube(Put(std::string("textureLod(s, vec3(") + row.direction + "), 0.0).x"));
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(run.number(0), row.texel) << row.direction;
    EXPECT_TRUE(run.report.Exact()) << row.direction;
  }
}

TEST(InterpImageKinds, ADirectionBetweenFacesIsNotExact) {
  EXPECT_FALSE(FromCube(Put("textureLod(s, vec3(1.0, 0.3, 1.0), 0.0).x")).report.Exact());
  EXPECT_FALSE(FromCube(Put("textureLod(s, vec3(1.0, 0.9999, 0.3), 0.0).x")).report.Exact());
  EXPECT_TRUE(
      FromCube("if (textureLod(s, vec3(0.0), 0.0).x > 1.0) data[0] = 1;").trapped("undefined"));
}

TEST(InterpImageKinds, CubesOfAnArray) {
  const std::string declaration = "layout(binding = 1) uniform samplerCubeArray s;";
  const InterpRun run = RunWith(Cube(2), declaration,
                                Put("textureLod(s, vec4(2.0, 1.0, 1.0, 1.0), 0.0).x") +
                                    "ivec3 n = textureSize(s, 0); data[1] = n.x; data[2] = n.z;");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 600.0f);
  EXPECT_EQ(run.word(1), 2u);
  EXPECT_EQ(run.word(2), 2u);
}

TEST(InterpImageKinds, CubesInStorage) {
  BoundImage cube = Cube();
  cube.kind = BoundImage::kStorage;
  const InterpRun run =
      RunWith(cube, "layout(binding = 1, r32f) uniform imageCube m;",
              Put("imageLoad(m, ivec3(1, 0, 4)).x") + "imageStore(m, ivec3(0, 1, 5), vec4(7));");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 401.0f);
  float stored = 0;
  std::memcpy(&stored, run.report.outputs.images.at(0).texels.data() + 4 * (5 * 4 + 2), 4);
  EXPECT_EQ(stored, 7.0f);
}

BoundImage Depths(BoundImage::Compare compare) {
  BoundImage image =
      ImageOf<float>(BoundImage::kCombined, F::R32f, 2, 2, {0.25f, 0.5f, 0.75f, 1.0f});
  image.compare = compare;
  return image;
}

// Compares 0.5 with the four texels; a bit of the result for each texel that passes.
uint32_t Passing(BoundImage::Compare compare) {
  const InterpRun run = RunWith(Depths(compare), "layout(binding = 1) uniform sampler2DShadow s;",
                                R"(
      vec2 at = vec2(i & 1, i >> 1) * 0.5 + 0.25;
      data[i] = uint(textureLod(s, vec3(at, 0.5), 0.0));)",
                                4);
  EXPECT_EQ(run.error, "");
  EXPECT_TRUE(run.report.Exact());
  return run.word(0) | run.word(1) << 1 | run.word(2) << 2 | run.word(3) << 3;
}

TEST(InterpImageKinds, DepthsAreCompared) {
  EXPECT_EQ(Passing(BoundImage::kNever), 0u);
  EXPECT_EQ(Passing(BoundImage::kLess), 0b1100u);
  EXPECT_EQ(Passing(BoundImage::kEqual), 0b0010u);
  EXPECT_EQ(Passing(BoundImage::kLessOrEqual), 0b1110u);
  EXPECT_EQ(Passing(BoundImage::kGreater), 0b0001u);
  EXPECT_EQ(Passing(BoundImage::kNotEqual), 0b1101u);
  EXPECT_EQ(Passing(BoundImage::kGreaterOrEqual), 0b0011u);
  EXPECT_EQ(Passing(BoundImage::kAlways), 0b1111u);
}

TEST(InterpImageKinds, GathersCompareDepths) {
  const InterpRun run =
      RunWith(Depths(BoundImage::kLess), "layout(binding = 1) uniform sampler2DShadow s;",
              "vec4 g = textureGather(s, vec2(0.5), 0.6);" + Put("g.x") + Put("g.y", 1) +
                  Put("g.z", 2) + Put("g.w", 3));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 1.0f);  // the texel at (0, 1)
  EXPECT_EQ(run.number(1), 1.0f);
  EXPECT_EQ(run.number(2), 0.0f);
  EXPECT_EQ(run.number(3), 0.0f);
}

TEST(InterpImageKinds, TexelBuffers) {
  BoundImage buffer = ImageOf<uint32_t>(BoundImage::kSampled, F::R32ui, 3, 1, {5, 6, 7});
  buffer.dim = spv::Dim::Buffer;
  const InterpRun run = RunWith(buffer, "layout(binding = 1) uniform utextureBuffer s;",
                                "data[0] = texelFetch(s, 2).x;");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.word(0), 7u);
  buffer.kind = BoundImage::kStorage;
  const InterpRun stored = RunWith(buffer, "layout(binding = 1, r32ui) uniform uimageBuffer m;",
                                   "imageAtomicAdd(m, 1, i + 1);", 4);
  EXPECT_EQ(stored.error, "");
  uint32_t texel = 0;
  std::memcpy(&texel, stored.report.outputs.images.at(0).texels.data() + 4, 4);
  EXPECT_EQ(texel, 16u);
}

TEST(InterpImageKinds, SixteenBitsOfFixedPoint) {
  const BoundImage image = ImageOf<uint16_t>(BoundImage::kStorage, F::Rg16, 1, 1, {0xffff, 0});
  const InterpRun run =
      RunWith(image, "layout(binding = 1, rg16) uniform image2D m;",
              Put("imageLoad(m, ivec2(0)).x") + Put("imageLoad(m, ivec2(0)).w", 1) +
                  "imageStore(m, ivec2(0), vec4(0, 1, 0, 0));");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 1.0f);
  EXPECT_EQ(run.number(1), 1.0f);
  EXPECT_EQ(run.report.outputs.images.at(0).texels, std::string("\0\0\xff\xff", 4));
}

}  // namespace
}  // namespace refract
