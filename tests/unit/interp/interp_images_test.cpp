// SPDX-License-Identifier: Apache-2.0
// Images in the interpreter: what reads, samples and writes give, and how far that is fixed.
#include <array>

#include "input/texels.h"
#include "unit/interp/image_run.h"

namespace refract {
namespace {

using F = spv::ImageFormat;

InterpRun Sampled(const std::string& body, const BoundImage& image = Ramp(), uint32_t size = 1) {
  return RunWith(image, "layout(binding = 1) uniform sampler2D s;", body, size);
}

// --- fetches and queries

TEST(InterpImages, FetchesTexels) {
  const InterpRun run =
      Sampled("vec4 t = texelFetch(s, ivec2(2, 1), 0);" + Put("t.x") + Put("t.y", 1) +
              Put("t.w", 2) + Put("texelFetchOffset(s, ivec2(0, 0), 0, ivec2(3, 1)).x", 3));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.number(0), 12.0f);
  EXPECT_EQ(run.number(1), 0.0f);
  EXPECT_EQ(run.number(2), 1.0f);  // what the format lacks
  EXPECT_EQ(run.number(3), 13.0f);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpImages, ABesideTheImageIsUndefined) {
  for (const char* at : {"ivec2(4, 0), 0", "ivec2(0, 2), 0", "ivec2(-1, 0), 0", "ivec2(0, 0), 1"}) {
    const InterpRun run =
        Sampled(std::string("if (texelFetch(s, ") + at + ").x > 1.0) data[0] = 1;");
    EXPECT_TRUE(run.trapped("the condition or selector is undefined")) << at << run.error;
  }
}

TEST(InterpImages, TellTheirSize) {
  const InterpRun run = Sampled(
      "ivec2 n = textureSize(s, 0); data[0] = n.x; data[1] = n.y; data[2] = "
      "textureQueryLevels(s);");
  EXPECT_EQ(run.word(0), 4u);
  EXPECT_EQ(run.word(1), 2u);
  EXPECT_EQ(run.word(2), 1u);
  EXPECT_TRUE(Sampled("if (textureSize(s, 1).x > 3) data[0] = 1;").trapped("undefined"));
}

TEST(InterpImages, FixedPointBecomesNumbers) {
  const InterpRun unorm =
      Sampled(Put("texelFetch(s, ivec2(0), 0).x") + Put("texelFetch(s, ivec2(0), 0).y", 1) +
                  Put("texelFetch(s, ivec2(0), 0).z", 2),
              ImageOf<uint8_t>(BoundImage::kCombined, F::Rgba8, 1, 1, {0, 51, 255, 7}));
  EXPECT_EQ(unorm.number(0), 0.0f);
  EXPECT_FLOAT_EQ(unorm.number(1), 0.2f);
  EXPECT_EQ(unorm.number(2), 1.0f);
  EXPECT_EQ(unorm.shadow(0), 0);
  EXPECT_EQ(unorm.shadow(1), 1);  // how 51 / 255 is rounded is open
  EXPECT_EQ(unorm.shadow(2), 0);
  const InterpRun snorm =
      Sampled(Put("texelFetch(s, ivec2(0), 0).x") + Put("texelFetch(s, ivec2(0), 0).y", 1) +
                  Put("texelFetch(s, ivec2(0), 0).z", 2),
              ImageOf<int8_t>(BoundImage::kCombined, F::Rgba8Snorm, 1, 1, {-128, -127, 127, 0}));
  EXPECT_EQ(snorm.number(0), -1.0f);
  EXPECT_EQ(snorm.number(1), -1.0f);
  EXPECT_EQ(snorm.number(2), 1.0f);
}

TEST(InterpImages, IntegersAreExtended) {
  const InterpRun run =
      RunWith(ImageOf<int8_t>(BoundImage::kCombined, F::Rgba8i, 1, 1, {-5, 5, -128, 127}),
              "layout(binding = 1) uniform isampler2D s;",
              "ivec4 t = texelFetch(s, ivec2(0), 0); data[0] = t.x; data[1] = t.y; data[2] = t.z;");
  EXPECT_EQ(static_cast<int32_t>(run.word(0)), -5);
  EXPECT_EQ(run.word(1), 5u);
  EXPECT_EQ(static_cast<int32_t>(run.word(2)), -128);
}

TEST(InterpImages, OfOtherShapes) {
  BoundImage line = ImageOf<float>(BoundImage::kCombined, F::R32f, 4, 1, {0, 1, 2, 3});
  line.dim = spv::Dim::Dim1D;
  InterpRun run = RunWith(line, "layout(binding = 1) uniform sampler1D s;",
                          Put("texelFetch(s, 2, 0).x") + "data[1] = textureSize(s, 0);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 2.0f);
  EXPECT_EQ(run.word(1), 4u);

  BoundImage box = Ramp();
  box.dim = spv::Dim::Dim3D;
  box.width = box.height = box.depth = 2;
  run = RunWith(box, "layout(binding = 1) uniform sampler3D s;",
                Put("texelFetch(s, ivec3(1, 0, 1), 0).x") +
                    Put("textureLod(s, vec3(0.25, 0.75, 0.75), 0.0).x", 1));
  EXPECT_EQ(run.number(0), 11.0f);
  EXPECT_EQ(run.number(1), 12.0f);

  BoundImage array = Ramp();
  array.arrayed = true;
  array.width = array.height = array.layers = 2;
  run = RunWith(array, "layout(binding = 1) uniform sampler2DArray s;",
                Put("texelFetch(s, ivec3(1, 0, 1), 0).x") +
                    Put("textureLod(s, vec3(0.25, 0.25, 0.6), 0.0).x", 1) +
                    Put("textureLod(s, vec3(0.25, 0.25, 9.0), 0.0).x", 2) +
                    "data[3] = textureSize(s, 0).z;");
  EXPECT_EQ(run.number(0), 11.0f);
  EXPECT_EQ(run.number(1), 10.0f);
  EXPECT_EQ(run.number(2), 10.0f);
  EXPECT_EQ(run.word(3), 2u);
}

// --- samples

TEST(InterpImages, NearestIsExactInsideATexel) {
  const InterpRun run =
      Sampled(Put("textureLod(s, vec2(0.625, 0.75), 0.0).x") +
              Put("textureLod(s, vec2(1.625, -0.25), 0.0).x", 1) +
              Put("textureLodOffset(s, vec2(0.875, 0.25), 0.0, ivec2(1, 0)).x", 2));
  EXPECT_EQ(run.number(0), 12.0f);
  EXPECT_EQ(run.number(1), 12.0f);  // it repeats
  EXPECT_EQ(run.number(2), 0.0f);
  EXPECT_TRUE(run.report.Exact());
  BoundImage clamped = Ramp();
  clamped.wrap = BoundImage::kClamp;
  const InterpRun edge = Sampled(Put("textureLod(s, vec2(1.625, -0.25), 0.0).x"), clamped);
  EXPECT_EQ(edge.number(0), 3.0f);
  EXPECT_EQ(edge.shadow(0), 0);
}

TEST(InterpImages, TexelsOutsideOfTheImage) {
  struct Row {
    BoundImage::Wrap wrap;
    float left, right;  // at x = -0.375 and x = 1.125
  };
  const float inside[4] = {0, 1, 2, 3};
  const std::string code = Put("textureLod(s, vec2(-0.375, 0.125), 0.0).x") +
                           Put("textureLod(s, vec2(1.125, 0.125), 0.0).x", 1) +
                           Put("textureLod(s, vec2(-1.375, 0.125), 0.0).x", 2);
  for (const Row& row :
       {Row{BoundImage::kRepeat, inside[2], inside[0]},
        Row{BoundImage::kMirror, inside[1], inside[3]},
        Row{BoundImage::kClamp, inside[0], inside[3]}, Row{BoundImage::kBorder, 1, 1},
        Row{BoundImage::kMirrorClamp, inside[1], inside[3]}}) {
    BoundImage image = Ramp();
    image.wrap = row.wrap;
    image.border = BoundImage::kWhite;
    const InterpRun run = Sampled(code, image);
    EXPECT_EQ(run.number(0), row.left) << row.wrap;
    EXPECT_EQ(run.number(1), row.right) << row.wrap;
    EXPECT_TRUE(run.report.Exact()) << row.wrap;
    // Two images away: it mirrors again, or is at the edge.
    const float far = row.wrap == BoundImage::kRepeat   ? inside[2]
                      : row.wrap == BoundImage::kMirror ? inside[2]
                      : row.wrap == BoundImage::kClamp  ? inside[0]
                      : row.wrap == BoundImage::kBorder ? 1
                                                        : inside[3];
    EXPECT_EQ(run.number(2), far) << row.wrap;
  }
}

// An image of 2 x 1 texels, in which each component is 7, with a border.
BoundImage Bordered(F format, BoundImage::Border border) {
  const TexelFormat& texels = *FindTexelFormat(format);
  std::string component = texels.kind == TexelFormat::kFloat ? std::string("\0\0\xe0\x40", 4)
                                                             : std::string("\7\0\0\0", 4);
  component.resize(texels.width / 8);
  BoundImage image = ImageOf<char>(BoundImage::kCombined, format, 2, 1, {});
  for (uint32_t i = 0; i < 2 * texels.components; ++i) image.texels += component;
  image.wrap = BoundImage::kBorder;
  image.border = border;
  return image;
}

// The border has the components of the format. The others are then added: 0, and alpha 1.
TEST(InterpImages, BordersHaveTheirColour) {
  struct Row {
    BoundImage::Border border;
    std::array<uint32_t, 4> red, red_green, all;  // by the components of the format
  };
  for (const Row& row : {Row{BoundImage::kTransparent, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}},
                         Row{BoundImage::kBlack, {0, 0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 1}},
                         Row{BoundImage::kWhite, {1, 0, 0, 1}, {1, 1, 0, 1}, {1, 1, 1, 1}}}) {
    for (const F format : {F::R32f, F::Rg32f, F::Rgba32f, F::R32ui, F::Rg8ui, F::Rgba8ui, F::R8i,
                           F::Rg32i, F::Rgba16i}) {
      const TexelFormat& texels = *FindTexelFormat(format);
      SCOPED_TRACE(texels.name);
      const auto& colour = texels.components == 1   ? row.red
                           : texels.components == 2 ? row.red_green
                                                    : row.all;
      const std::string prefix = texels.kind == TexelFormat::kFloat  ? ""
                                 : texels.kind == TexelFormat::kUint ? "u"
                                                                     : "i";
      const InterpRun run = RunWith(
          Bordered(format, row.border), "layout(binding = 1) uniform " + prefix + "sampler2D s;",
          "for (int k = 0; k < 4; ++k) {"
          "data[k] = uint(textureLod(s, vec2(1.5, 0.5), 0.0)[k]);"
          "data[k + 4] = uint(textureLod(s, vec2(0.75, -0.5), 0.0)[k]); }");
      EXPECT_EQ(run.error, "");
      for (uint32_t i = 0; i < 4; ++i) {
        EXPECT_EQ(run.word(i), colour[i]) << row.border << " " << i;
        EXPECT_EQ(run.word(i + 4), colour[i]) << row.border << " " << i;
      }
      EXPECT_TRUE(run.report.Exact());
    }
  }
}

// The texels of a gather: (0, 1), (1, 1), (1, 0), (0, 0). Three of them are outside.
TEST(InterpImages, GathersAtABorder) {
  const auto gathered = [](F format, BoundImage::Border border, const char* component) {
    const bool is_float = FindTexelFormat(format)->kind == TexelFormat::kFloat;
    const InterpRun run = RunWith(
        Bordered(format, border),
        std::string("layout(binding = 1) uniform ") + (is_float ? "" : "u") + "sampler2D s;",
        std::string("uvec4 g = uvec4(textureGather(s, vec2(1.0, 1.0), ") + component +
            ")); for (int k = 0; k < 4; ++k) data[k] = g[k];");
    EXPECT_TRUE(run.report.Exact());
    return std::array{run.word(0), run.word(1), run.word(2), run.word(3)};
  };
  using Texels = std::array<uint32_t, 4>;
  for (const F format : {F::Rgba32f, F::Rgba16ui}) {
    EXPECT_EQ(gathered(format, BoundImage::kTransparent, "3"), (Texels{0, 0, 0, 7}));
    EXPECT_EQ(gathered(format, BoundImage::kBlack, "3"), (Texels{1, 1, 1, 7}));
    EXPECT_EQ(gathered(format, BoundImage::kBlack, "2"), (Texels{0, 0, 0, 7}));
    EXPECT_EQ(gathered(format, BoundImage::kWhite, "0"), (Texels{1, 1, 1, 7}));
  }
  for (const F format : {F::Rg32f, F::Rg8ui}) {
    EXPECT_EQ(gathered(format, BoundImage::kWhite, "1"), (Texels{1, 1, 1, 7}));
    EXPECT_EQ(gathered(format, BoundImage::kWhite, "2"), (Texels{0, 0, 0, 0}));
    EXPECT_EQ(gathered(format, BoundImage::kTransparent, "3"), (Texels{1, 1, 1, 1}));
  }
}

TEST(InterpImages, FilteringMixesTheBorder) {
  BoundImage image = Bordered(F::Rgba32f, BoundImage::kTransparent);
  image.linear = true;
  const std::string code = Put("textureLod(s, vec2(1.0, 0.5), 0.0).x") +
                           Put("textureLod(s, vec2(1.0, 0.5), 0.0).w", 1) +
                           Put("textureLod(s, vec2(0.0, 0.0), 0.0).w", 2) +
                           Put("textureLod(s, vec2(1.75, 0.5), 0.0).w", 3);
  const auto numbers = [&] {
    const InterpRun run = Sampled(code, image);
    EXPECT_EQ(run.shadow(0), 1);
    EXPECT_EQ(run.shadow(3), 0);  // every texel is outside
    return std::array{run.number(0), run.number(1), run.number(2), run.number(3)};
  };
  EXPECT_EQ(numbers(), (std::array{3.5f, 3.5f, 1.75f, 0.0f}));
  image.border = BoundImage::kBlack;
  EXPECT_EQ(numbers(), (std::array{3.5f, 4.0f, 2.5f, 1.0f}));
  image.border = BoundImage::kWhite;
  EXPECT_EQ(numbers(), (std::array{4.0f, 4.0f, 2.5f, 1.0f}));
  // A format without alpha has alpha 1 on both sides.
  image = Bordered(F::R32f, BoundImage::kTransparent);
  image.linear = true;
  const InterpRun run = Sampled(code, image);
  EXPECT_EQ(run.number(0), 3.5f);
  EXPECT_EQ(run.number(1), 1.0f);
  EXPECT_EQ(run.shadow(1), 0);
}

TEST(InterpImages, NearestIsApproximateAtABorder) {
  const InterpRun run = Sampled(Put("textureLod(s, vec2(0.5, 0.25), 0.0).x") +
                                Put("textureLod(s, vec2(0.50048828125, 0.25), 0.0).x", 1) +
                                Put("textureLod(s, vec2(0.53125, 0.25), 0.0).x", 2));
  EXPECT_EQ(run.shadow(0), 1);
  EXPECT_EQ(run.shadow(1), 1);
  EXPECT_EQ(run.shadow(2), 0);
  EXPECT_EQ(run.number(2), 2.0f);
  // Where both texels are the same it does not matter which.
  const InterpRun same = Sampled(Put("textureLod(s, vec2(0.5, 0.25), 0.0).x"),
                                 ImageOf<float>(BoundImage::kCombined, F::R32f, 2, 1, {7, 7}));
  EXPECT_EQ(same.number(0), 7.0f);
  EXPECT_EQ(same.shadow(0), 0);
}

TEST(InterpImages, LinearIsExactAtCentresAndBetweenEquals) {
  BoundImage linear = Ramp();
  linear.linear = true;
  const InterpRun run = Sampled(Put("textureLod(s, vec2(0.625, 0.75), 0.0).x") +
                                    Put("textureLod(s, vec2(0.5, 0.75), 0.0).x", 1) +
                                    Put("textureLod(s, vec2(0.5, 0.5), 0.0).x", 2),
                                linear);
  EXPECT_EQ(run.number(0), 12.0f);
  EXPECT_EQ(run.shadow(0), 0);
  EXPECT_EQ(run.number(1), 11.5f);
  EXPECT_EQ(run.shadow(1), 1);
  EXPECT_EQ(run.number(2), 6.5f);
  EXPECT_EQ(run.shadow(2), 1);
  BoundImage equal = ImageOf<float>(BoundImage::kCombined, F::R32f, 2, 2, {3, 3, 3, 3});
  equal.linear = true;
  const InterpRun flat = Sampled(Put("textureLod(s, vec2(0.4, 0.7), 0.0).x"), equal);
  EXPECT_EQ(flat.number(0), 3.0f);
  EXPECT_EQ(flat.shadow(0), 0);
}

TEST(InterpImages, Projective) {
  const InterpRun run = Sampled(Put("textureProjLod(s, vec3(1.25, 1.5, 2.0), 0.0).x"));
  EXPECT_EQ(run.number(0), 12.0f);
  EXPECT_EQ(run.shadow(0), 0);
}

TEST(InterpImages, UndefinedCoordinatesTrapAndInfiniteOnesGiveNothing) {
  EXPECT_TRUE(
      Sampled("vec2 u; " + Put("textureLod(s, u, 0.0).x")).trapped("a coordinate is undefined"));
  EXPECT_TRUE(
      Sampled("ivec2 u; " + Put("texelFetch(s, u, 0).x")).trapped("a coordinate is undefined"));
  EXPECT_TRUE(Sampled("float n = uintBitsToFloat(data[9] | 0x7f800000u);"
                      "if (textureLod(s, vec2(n, 0.5), 0.0).x > 1.0) data[0] = 1;")
                  .trapped("the condition or selector is undefined"));
}

TEST(InterpImages, Gathers) {
  const InterpRun run = Sampled("vec4 g = textureGather(s, vec2(0.5, 0.5), 0);" + Put("g.x") +
                                Put("g.y", 1) + Put("g.z", 2) + Put("g.w", 3));
  EXPECT_EQ(run.number(0), 11.0f);
  EXPECT_EQ(run.number(1), 12.0f);
  EXPECT_EQ(run.number(2), 2.0f);
  EXPECT_EQ(run.number(3), 1.0f);
  EXPECT_EQ(run.shadow(0), 0);
  const InterpRun centre = Sampled("vec4 g = textureGather(s, vec2(0.625, 0.5), 0);" + Put("g.w"));
  EXPECT_EQ(centre.shadow(0), 1);  // the texel or the one before
}

TEST(InterpImages, GathersWithOffsets) {
  const InterpRun run = Sampled(
      "const ivec2 places[4] = ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(2, 1), ivec2(3, 1));"
      "vec4 g = textureGatherOffsets(s, vec2(0.25, 0.5), places, 0);" +
      Put("g.x") + Put("g.y", 1) + Put("g.z", 2) + Put("g.w", 3) +
      Put("textureGatherOffset(s, vec2(0.25, 0.5), ivec2(data[9] + 1, 0), 0).w", 4));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 0.0f);
  EXPECT_EQ(run.number(1), 1.0f);
  EXPECT_EQ(run.number(2), 12.0f);
  EXPECT_EQ(run.number(3), 13.0f);
  EXPECT_EQ(run.number(4), 1.0f);
  EXPECT_TRUE(Sampled("ivec2 u; " + Put("textureGatherOffset(s, vec2(0.5), u, 0).x"))
                  .trapped("an offset is undefined"));
}

TEST(InterpImages, LevelsHaveToBeDefined) {
  EXPECT_TRUE(
      Sampled("int u; " + Put("texelFetch(s, ivec2(0), u).x")).trapped("the level is undefined"));
  EXPECT_TRUE(Sampled("int u; data[0] = textureSize(s, u).x;").trapped("the level is undefined"));
}

// A coordinate that is off by an unknown amount may be of any texel.
TEST(InterpImages, ApproximateCoordinates) {
  const InterpRun run =
      Sampled(Put("textureLod(s, vec2(float(data[9] + 1) / 1.6, 0.25), 0.0).x") +
              Put("textureLod(s, vec2(1.0 / float(data[9] + 2), 0.25), 0.0).x", 1));
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.number(0), 2.0f);
  EXPECT_EQ(run.shadow(0), 0);
  EXPECT_EQ(run.shadow(1), 1);
  EXPECT_FALSE(run.report.approximate_control);
}

TEST(InterpImages, SeparateSamplers) {
  Bindings bindings = ComputeBindings();
  bindings.images.push_back(Ramp(BoundImage::kSampled));
  BoundImage sampler;
  sampler.binding = 2;
  sampler.kind = BoundImage::kSampler;
  sampler.linear = true;
  bindings.images.push_back(sampler);
  const InterpRun run = InterpretCompute(
      "data[0] = floatBitsToUint(at(t, vec2(0.5, 0.25)));", {},
      "layout(binding = 1) uniform texture2D t; layout(binding = 2) uniform sampler s;\n"
      "float at(texture2D image, vec2 p) { return textureLod(sampler2D(image, s), p, 0.0).x; }",
      1, bindings);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.number(0), 1.5f);
}

TEST(InterpImages, ImplicitLevels) {
  Bindings bindings;
  bindings.width = bindings.height = 4;
  bindings.float_target = F::Rgba32f;
  BoundImage image = Ramp();
  bindings.images.push_back(image);
  const InterpRun run =
      Interpret(GlslStage::kFragment,
                "#version 450\nlayout(binding = 1) uniform sampler2D s;\n"
                "layout(location = 0) out vec4 colour;\n"
                "void main() { colour = texture(s, gl_FragCoord.xy / 4.0, 0.5); }\n",
                bindings);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.pixel(2, 0), 2.0f);
  EXPECT_EQ(run.pixel(3, 3), 13.0f);
  EXPECT_EQ(run.pixel_shadow(2, 1), 0);
}

// --- storage images

BoundImage Storage(F format, uint32_t width, uint32_t height = 1) {
  return ImageOf<char>(BoundImage::kStorage, format, width, height,
                       std::vector<char>(size_t{width} * height * TexelSize(format)));
}

TEST(InterpImages, StoresAndLoads) {
  const InterpRun run =
      RunWith(Storage(F::R32ui, 8), "layout(binding = 1, r32ui) uniform uimage2D m;",
              "imageStore(m, ivec2(i, 0), uvec4(i * 3)); data[i] = imageLoad(m, ivec2(i, 0)).x;"
              "if (i == 0) data[20] = imageSize(m).x;",
              8);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.word(5), 15u);
  EXPECT_EQ(run.word(20), 8u);
  ASSERT_EQ(run.report.outputs.images.size(), 1u);
  uint32_t texel = 0;
  std::memcpy(&texel, run.report.outputs.images[0].texels.data() + 28, 4);
  EXPECT_EQ(texel, 21u);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpImages, StoresConvert) {
  const InterpRun unorm =
      RunWith(Storage(F::Rgba8, 2), "layout(binding = 1, rgba8) uniform image2D m;",
              "imageStore(m, ivec2(0), vec4(0.2, 2.0, -1.0, 1.0));"
              "imageStore(m, ivec2(1, 0), vec4(0.5));");
  const std::string& texels = unorm.report.outputs.images.at(0).texels;
  EXPECT_EQ(texels.substr(0, 4), std::string("\x33\xff\0\xff", 4));
  ASSERT_EQ(unorm.report.image_shadows.at(0).size(), 2u);
  EXPECT_EQ(unorm.report.image_shadows[0][0], 0);
  EXPECT_EQ(unorm.report.image_shadows[0][1], 1);  // 127.5: either
  const InterpRun snorm =
      RunWith(Storage(F::Rgba8Snorm, 1), "layout(binding = 1, rgba8_snorm) uniform image2D m;",
              "imageStore(m, ivec2(0), vec4(-1.0, 1.0, -7.0, 0.0));");
  EXPECT_EQ(snorm.report.outputs.images.at(0).texels, std::string("\x81\x7f\x81\0", 4));
  const InterpRun half =
      RunWith(Storage(F::R16f, 2), "layout(binding = 1, r16f) uniform image2D m;",
              "imageStore(m, ivec2(0), vec4(1.5));"
              "imageStore(m, ivec2(1, 0), vec4(1.0009));");
  EXPECT_EQ(half.report.outputs.images.at(0).texels.substr(0, 2), std::string("\0\x3e", 2));
  EXPECT_EQ(half.report.image_shadows.at(0)[0], 0);
  EXPECT_EQ(half.report.image_shadows.at(0)[1], 1);
}

TEST(InterpImages, IntegersThatDoNotFitAreUndefined) {
  const InterpRun run =
      RunWith(Storage(F::Rgba8i, 3), "layout(binding = 1, rgba8i) uniform iimage2D m;",
              "imageStore(m, ivec2(0), ivec4(-128, 127, 0, -1));"
              "imageStore(m, ivec2(1, 0), ivec4(128, 0, 0, 0));");
  EXPECT_EQ(run.trap(), "");
  const std::string& shadows = run.report.image_shadows.at(0);
  EXPECT_EQ(shadows, std::string("\0\x02\0", 3));
  EXPECT_FALSE(run.report.OutputsDefined());
}

TEST(InterpImages, StoresBesideTheImageDoNothingAndUndefinedOnesTrap) {
  const std::string image = "layout(binding = 1, r32f) uniform image2D m;";
  const InterpRun beside =
      RunWith(Storage(F::R32f, 2), image, "imageStore(m, ivec2(2, 0), vec4(1)); data[0] = 1;");
  EXPECT_EQ(beside.trap(), "");
  EXPECT_EQ(beside.report.outputs.images.at(0).texels, std::string(8, '\0'));
  EXPECT_TRUE(
      RunWith(Storage(F::R32f, 2), image, "float u; imageStore(m, ivec2(0), vec4(u));")
          .trapped("an undefined value is stored to memory that other invocations can read"));
  // Of components that the format does not have it does not matter.
  EXPECT_EQ(
      RunWith(Storage(F::R32f, 2), image, "float u; imageStore(m, ivec2(0), vec4(1, u, u, u));")
          .trap(),
      "");
  EXPECT_TRUE(
      RunWith(Storage(F::R32f, 2), image, "if (imageLoad(m, ivec2(2, 0)).x > 0.0) data[0] = 1;")
          .trapped("the condition or selector is undefined"));
}

TEST(InterpImages, RacesAreFound) {
  const std::string image = "layout(binding = 1, r32ui) coherent uniform uimage2D m;";
  const auto run = [&](const std::string& body) {
    return RunWith(Storage(F::R32ui, 8), image, body, 8);
  };
  const InterpRun both = run("imageStore(m, ivec2(0), uvec4(i));");
  EXPECT_TRUE(both.trapped("a data race with invocation 0")) << both.trap();
  EXPECT_TRUE(both.trapped("at texel 0")) << both.trap();
  const std::string write = "imageStore(m, ivec2(i, 0), uvec4(i));";
  const std::string read = "data[i] = imageLoad(m, ivec2(7 - i, 0)).x;";
  EXPECT_TRUE(run(write + "barrier();" + read).trapped("OpImageRead"));
  const InterpRun fenced = run(write + "memoryBarrierImage(); barrier();" + read);
  EXPECT_EQ(fenced.trap(), "");
  EXPECT_EQ(fenced.word(2), 5u);
}

TEST(InterpImages, Atomics) {
  const std::string image = "layout(binding = 1, r32ui) uniform uimage2D m;";
  const InterpRun run =
      RunWith(Storage(F::R32ui, 2), image, "data[i] = imageAtomicAdd(m, ivec2(1, 0), i + 1);", 8);
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  uint32_t texel = 0;
  std::memcpy(&texel, run.report.outputs.images.at(0).texels.data() + 4, 4);
  EXPECT_EQ(texel, 36u);
  EXPECT_EQ(run.word(3), 6u);
  EXPECT_TRUE(RunWith(Storage(F::R32ui, 2), image,
                      "imageAtomicAdd(m, ivec2(1, 0), 1); imageStore(m, ivec2(1, 0), uvec4(1));", 8)
                  .trapped("a data race"));
  EXPECT_TRUE(RunWith(Storage(F::R32ui, 2), image,
                      "if (imageAtomicAdd(m, ivec2(5, 0), 1) > 3) data[0] = 1;")
                  .trapped("the condition or selector is undefined"));
}

// --- what is refused

TEST(InterpImages, RefusedByName) {
  const InterpRun shape =
      RunWith(Ramp(), "layout(binding = 1) uniform sampler3D s;", "data[0] = textureSize(s, 0).x;");
  EXPECT_NE(shape.error.find("the dimensions of the bound image do not match the image type"),
            std::string::npos)
      << shape.error;
  const InterpRun projected = RunWith(Ramp(), "layout(binding = 1) uniform sampler2DShadow s;",
                                      Put("textureProjLod(s, vec4(0.5), 0.0)"));
  EXPECT_NE(projected.error.find("OpImageSampleProjDrefExplicitLod"), std::string::npos)
      << projected.error;
  BoundImage broken = Ramp();
  broken.texels.pop_back();
  EXPECT_NE(Sampled("data[0] = 1;" + Put("texelFetch(s, ivec2(0), 0).x"), broken).error, "");
}

// With coordinates in texels, (x + 0.5, y + 0.5) is the centre of a texel.
TEST(InterpImages, CoordinatesInTexels) {
  BoundImage image = Ramp();
  image.wrap = BoundImage::kClamp;
  image.texel_coordinates = true;
  const std::string declaration = "layout(binding = 1) uniform sampler2D s;";
  const InterpRun run = RunWith(image, declaration,
                                Put("textureLod(s, vec2(2.5, 1.5), 0.0).x") +
                                    Put("textureLod(s, vec2(-7.5, 0.25), 0.0).x", 1) +
                                    Put("textureLod(s, vec2(9.5, 1.75), 0.0).x", 2) +
                                    Put("textureGather(s, vec2(2.0, 1.0)).x", 3));
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_TRUE(run.report.Exact());
  EXPECT_EQ(run.number(0), 12.0f);
  EXPECT_EQ(run.number(1), 0.0f);
  EXPECT_EQ(run.number(2), 13.0f);
  EXPECT_EQ(run.number(3), 11.0f);
  image.linear = true;
  const InterpRun linear = RunWith(image, declaration, Put("textureLod(s, vec2(1.5, 1.0), 0.0).x"));
  EXPECT_EQ(linear.number(0), 6.0f);
  for (const char* const sample :
       {"textureLodOffset(s, vec2(1), 0.0, ivec2(1))", "textureProjLod(s, vec3(1), 0.0)",
        "textureGatherOffset(s, vec2(1), ivec2(1))"}) {
    const InterpRun excluded = RunWith(image, declaration, Put(std::string(sample) + ".x"));
    EXPECT_TRUE(excluded.trapped("the coordinates of the sampler are those of texels")) << sample;
  }
  BoundImage cube = image;
  cube.texel_coordinates = true;
  cube.arrayed = true;
  EXPECT_FALSE(IsSound(cube));
}

TEST(InterpImages, MinimumAndMaximumOfTexels) {
  BoundImage image = Ramp();
  image.linear = true;
  image.wrap = BoundImage::kClamp;
  const std::string declaration = "layout(binding = 1) uniform sampler2D s;";
  // The corner between four texels; a centre; between two texels of a row; near a centre.
  const std::string body = Put("textureLod(s, vec2(0.5, 0.5), 0.0).x") +
                           Put("textureLod(s, vec2(0.375, 0.25), 0.0).x", 1) +
                           Put("textureLod(s, vec2(0.5, 0.75), 0.0).x", 2) +
                           Put("textureLod(s, vec2(0.3750001, 0.25), 0.0).x", 3);
  image.reduction = BoundImage::kMinimum;
  const InterpRun least = RunWith(image, declaration, body);
  EXPECT_EQ(least.error, "");
  EXPECT_EQ(least.number(0), 1.0f);
  EXPECT_EQ(least.number(1), 1.0f);
  EXPECT_EQ(least.number(2), 11.0f);
  image.reduction = BoundImage::kMaximum;
  const InterpRun most = RunWith(image, declaration, body);
  EXPECT_EQ(most.number(0), 12.0f);
  EXPECT_EQ(most.number(1), 1.0f);
  EXPECT_EQ(most.number(2), 12.0f);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(least.shadow(i), 0) << i;
    EXPECT_EQ(most.shadow(i), 0) << i;
  }
  // The weight of the next texel may be rounded to 0.
  EXPECT_EQ(most.shadow(3), 1);
  // A gather has no reduction.
  EXPECT_EQ(RunWith(image, declaration, Put("textureGather(s, vec2(0.5, 0.5)).x")).number(0),
            11.0f);
}

}  // namespace
}  // namespace refract
