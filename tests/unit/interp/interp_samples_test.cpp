// SPDX-License-Identifier: Apache-2.0
// Multisampled images in the interpreter: fetches of samples, queries, and what is undefined.
#include "unit/interp/image_run.h"

namespace refract {
namespace {

using F = spv::ImageFormat;

// 2 x 2 texels with 4 samples: sample s of the texel (x, y) is 100 y + 10 x + s.
BoundImage FourSamples(BoundImage::Kind kind = BoundImage::kCombined) {
  BoundImage image = ImageOf<int32_t>(
      kind, F::R32i, 2, 2, {0, 1, 2, 3, 10, 11, 12, 13, 100, 101, 102, 103, 110, 111, 112, 113});
  image.samples = 4;
  return image;
}

InterpRun Fetched(const std::string& body, const BoundImage& image = FourSamples()) {
  return RunWith(image, "layout(binding = 1) uniform isampler2DMS s;", body);
}

TEST(InterpSamples, FetchesEachSample) {
  const InterpRun run = Fetched(
      "data[0] = texelFetch(s, ivec2(1, 0), 2).x; data[1] = texelFetch(s, ivec2(0, 1), 3).x;"
      "data[2] = texelFetch(s, ivec2(1, 1), 0).x; data[3] = texelFetch(s, ivec2(1, 1), 0).w;");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(0), 12u);
  EXPECT_EQ(run.word(1), 103u);
  EXPECT_EQ(run.word(2), 110u);
  EXPECT_EQ(run.word(3), 1u);  // what the format lacks
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpSamples, ArraysHaveLayersOfSamples) {
  BoundImage image = FourSamples(BoundImage::kSampled);
  image.arrayed = true;
  image.height = 1;
  image.layers = 2;
  const InterpRun run =
      RunWith(image,
              "#extension GL_EXT_samplerless_texture_functions : require\n"
              "layout(binding = 1) uniform itexture2DMSArray s;",
              "data[0] = texelFetch(s, ivec3(1, 0, 1), 2).x; ivec3 n = textureSize(s);"
              "data[1] = n.x; data[2] = n.y; data[3] = n.z; data[4] = textureSamples(s);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.word(0), 112u);
  EXPECT_EQ(run.word(1), 2u);
  EXPECT_EQ(run.word(2), 1u);
  EXPECT_EQ(run.word(3), 2u);
  EXPECT_EQ(run.word(4), 4u);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpSamples, OutsideTheImageOrItsSamplesIsUndefined) {
  for (const char* at : {"ivec2(0, 0), 4", "ivec2(0, 0), -1", "ivec2(2, 0), 0", "ivec2(0, 2), 0"}) {
    const InterpRun run = Fetched(std::string("if (texelFetch(s, ") + at + ").x > 1) data[0] = 1;");
    EXPECT_TRUE(run.trapped("the condition or selector is undefined")) << at << run.error;
  }
  EXPECT_TRUE(Fetched("int k; data[0] = texelFetch(s, ivec2(0), k).x;").trapped("the sample"));
}

// Draws fill a multisampled image. They may flush denormals, and lose the sign of a zero.
TEST(InterpSamples, DenormalsAndNegativeZerosAreApproximate) {
  BoundImage image =
      ImageOf<uint32_t>(BoundImage::kCombined, F::R32f, 1, 1, {1, 0x3f800000, 0x80000000, 0});
  image.samples = 4;
  const InterpRun run =
      RunWith(image, "layout(binding = 1) uniform sampler2DMS s;",
              Put("texelFetch(s, ivec2(0), 0).x") + Put("texelFetch(s, ivec2(0), 1).x", 1) +
                  Put("texelFetch(s, ivec2(0), 2).x", 2) + Put("texelFetch(s, ivec2(0), 3).x", 3));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.shadow(0), 1);
  EXPECT_EQ(run.shadow(1), 0);
  EXPECT_EQ(run.number(1), 1.0f);
  EXPECT_EQ(run.shadow(2), 1);
  EXPECT_EQ(run.shadow(3), 0);
}

TEST(InterpSamples, StorageImagesKeepEachSample) {
  const InterpRun run =
      RunWith(FourSamples(BoundImage::kStorage), "layout(binding = 1, r32i) uniform iimage2DMS s;",
              "imageStore(s, ivec2(1, 0), 2, ivec4(77)); data[0] = imageLoad(s, ivec2(1, 0), 2).x;"
              "data[1] = imageLoad(s, ivec2(1, 0), 3).x; data[2] = imageSamples(s);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_TRUE(run.report.Exact());
  EXPECT_EQ(run.word(0), 77u);
  EXPECT_EQ(run.word(1), 13u);
  EXPECT_EQ(run.word(2), 4u);
  ASSERT_EQ(run.report.outputs.images.size(), 1u);
  int32_t sample = 0;
  std::memcpy(&sample, run.report.outputs.images[0].texels.data() + 4 * 6, 4);
  EXPECT_EQ(sample, 77);
}

TEST(InterpSamples, StorageImagesLoseDenormals) {
  BoundImage image =
      ImageOf<uint32_t>(BoundImage::kStorage, F::R32f, 1, 1, {1, 0x3f800000, 0x80000000, 0});
  image.samples = 4;
  const InterpRun run = RunWith(image, "layout(binding = 1, r32f) uniform image2DMS s;",
                                "imageStore(s, ivec2(0), 3, vec4(2));");
  EXPECT_EQ(run.error, "");
  ASSERT_EQ(run.report.image_shadows.size(), 1u);
  EXPECT_EQ(run.report.image_shadows[0], std::string("\1\0\1\0", 4));
}

TEST(InterpSamples, TheImageMustHaveSamples) {
  BoundImage image = FourSamples();
  image.samples = 1;
  image.width = 8;
  EXPECT_NE(Fetched("data[0] = texelFetch(s, ivec2(0), 0).x;", image)
                .error.find("the dimensions of the bound image do not match the image type"),
            std::string::npos);
}

}  // namespace
}  // namespace refract
