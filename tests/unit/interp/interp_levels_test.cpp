// SPDX-License-Identifier: Apache-2.0
// Mip levels in the interpreter: which level fetches, queries and samples read, and when that is
// open.
#include "unit/interp/image_run.h"

namespace refract {
namespace {

using F = spv::ImageFormat;

// 8 x 8, 4 x 4, 2 x 2 and 1 x 1 floats; the texels of level n are 10 n.
BoundImage Chain() {
  std::vector<float> texels;
  for (int level = 0; level < 4; ++level) {
    texels.resize(texels.size() + (64u >> (2 * level)), 10.0f * static_cast<float>(level));
  }
  BoundImage image = ImageOf<float>(BoundImage::kCombined, F::R32f, 8, 8, texels);
  image.levels = 4;
  return image;
}

InterpRun SampledLevels(const std::string& body, const BoundImage& image = Chain()) {
  return RunWith(image, "layout(binding = 1) uniform sampler2D s;", body);
}

InterpRun AtLod(const std::string& lod, const BoundImage& image = Chain()) {
  return SampledLevels(Put("textureLod(s, vec2(0.5625), " + lod + ").x"), image);
}

// The run reads one texel of one level without doubt.
void ExpectExact(const InterpRun& run, float number) {
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.number(0), number);
  EXPECT_TRUE(run.report.Exact());
}

void ExpectOpen(const InterpRun& run) {
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_FALSE(run.report.Exact());
}

TEST(InterpLevels, FetchesAndQueriesNameALevel) {
  const InterpRun run = SampledLevels(
      "ivec2 n = textureSize(s, 2); data[0] = n.x; data[1] = textureQueryLevels(s);" +
      Put("texelFetch(s, ivec2(3, 3), 1).x", 2) + Put("texelFetch(s, ivec2(0), 3).x", 3));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 2u);
  EXPECT_EQ(run.word(1), 4u);
  EXPECT_EQ(run.number(2), 10.0f);
  EXPECT_EQ(run.number(3), 30.0f);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpLevels, WhatIsOutsideOfALevelIsUndefined) {
  for (const char* at : {"ivec2(4, 0), 1", "ivec2(0), 4", "ivec2(0), -1"}) {
    const InterpRun run =
        SampledLevels(std::string("if (texelFetch(s, ") + at + ").x > 1.0) data[0] = 1;");
    EXPECT_TRUE(run.trapped("the condition or selector is undefined")) << at << run.error;
  }
  EXPECT_TRUE(SampledLevels("if (textureSize(s, 4).x > 3) data[0] = 1;").trapped("undefined"));
}

TEST(InterpLevels, SamplesReadTheNearestLevel) {
  ExpectExact(AtLod("1.0"), 10);
  ExpectExact(AtLod("1.25"), 10);
  ExpectExact(AtLod("1.75"), 20);
  ExpectExact(AtLod("-5.0"), 0);
  ExpectExact(AtLod("100.0"), 30);
  // Half between two levels, and closer to that than the accuracy of a level of detail.
  ExpectOpen(AtLod("1.5"));
  ExpectOpen(AtLod("1.45"));
}

TEST(InterpLevels, EqualTexelsSettleTheLevel) {
  BoundImage image = Chain();
  image.texels = std::string(image.texels.size(), '\0');
  ExpectExact(AtLod("1.5", image), 0);
  image.mip.linear = true;
  ExpectExact(AtLod("1.3", image), 0);
}

TEST(InterpLevels, FiltersBetweenLevels) {
  BoundImage image = Chain();
  image.mip.linear = true;
  ExpectExact(AtLod("2.0", image), 20);
  ExpectExact(AtLod("9.5", image), 30);
  const InterpRun between = AtLod("1.25", image);
  ExpectOpen(between);
  EXPECT_EQ(between.number(0), 12.5f);
}

TEST(InterpLevels, SamplersLimitTheLevel) {
  BoundImage image = Chain();
  image.mip.min_lod = 2;
  ExpectExact(AtLod("0.0", image), 20);
  image.mip = {};
  image.mip.max_lod = 1;
  ExpectExact(AtLod("3.0", image), 10);
  image.mip = {};
  image.mip.bias = 1;
  ExpectExact(AtLod("1.0", image), 20);
  // Every device allows the bias of the sampler, but a sum may be limited to it.
  image.mip.bias = -3;
  ExpectExact(AtLod("3.0", image), 0);
}

TEST(InterpLevels, GradientsLeaveTheScaleOpen) {
  const auto along = [&](const std::string& slope) {
    return SampledLevels(Put("textureGrad(s, vec2(0.5625), vec2(" + slope + ", 0), vec2(0)).x"));
  };
  ExpectExact(along("0.0"), 0);
  ExpectExact(along("0.01"), 0);
  ExpectExact(along("exp2(0.75) / 8.0"), 10);  // from 0.75 to 1.25
  ExpectExact(along("100.0"), 30);
  ExpectOpen(along("exp2(1.25) / 8.0"));
}

TEST(InterpLevels, GathersReadTheFirstLevel) {
  BoundImage image = Chain();
  image.mip.min_lod = 2;
  ExpectExact(SampledLevels(Put("textureGather(s, vec2(0.5)).x"), image), 0);
}

TEST(InterpLevels, UndefinedLevelsAreRefused) {
  EXPECT_TRUE(SampledLevels("float u; " + Put("textureLod(s, vec2(0.5625), u).x"))
                  .trapped("the level of detail is undefined"));
}

TEST(InterpLevels, HaveTheLayersOfTheImage) {
  // 2 x 1 and 1 x 1, each with two layers.
  BoundImage image = ImageOf<float>(BoundImage::kCombined, F::R32f, 2, 1, {0, 1, 2, 3, 4, 5});
  image.arrayed = true;
  image.layers = image.levels = 2;
  const InterpRun run =
      RunWith(image, "layout(binding = 1) uniform sampler2DArray s;",
              Put("textureLod(s, vec3(0.25, 0.5, 1), 0.0).x") +
                  Put("textureLod(s, vec3(0.25, 0.5, 1), 1.0).x", 1) +
                  "data[2] = textureSize(s, 1).z; data[3] = textureSize(s, 1).x;");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 2.0f);
  EXPECT_EQ(run.number(1), 5.0f);
  EXPECT_EQ(run.word(2), 2u);
  EXPECT_EQ(run.word(3), 1u);
}

}  // namespace
}  // namespace refract
