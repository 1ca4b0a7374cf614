// SPDX-License-Identifier: Apache-2.0
// Depth targets in the interpreter: the depth of a fragment, its test, and what is known about
// both.
#include <cmath>

#include "unit/shared/interp_run.h"

namespace refract {
namespace {

using Compare = BoundImage::Compare;

// Draws 8x1 pixels with the 32-bit red of `body`; x is the number of the pixel.
InterpRun Draw(const std::string& body, const BoundDepth& depth, const std::string& before = "",
               const RunOptions& options = {}) {
  Bindings bindings;
  bindings.width = 8;
  bindings.height = 1;
  bindings.float_target = spv::ImageFormat::Rgba32f;
  bindings.depth = depth;
  BoundBuffer buffer{0, 0, true, std::string(16, '\0')};
  bindings.buffers.push_back(buffer);
  return Interpret(GlslStage::kFragment,
                   "#version 450\nlayout(binding = 0) buffer Data { uint n; float f; };\n" +
                       before +
                       "\nlayout(location = 0) out vec4 c;\n"
                       "void main() { int x = int(gl_FragCoord.x); c = vec4(1);\n" +
                       body + "}\n",
                   bindings, options);
}

float DepthAt(const InterpRun& run, uint32_t x) {
  const ColourTarget& target = run.report.outputs.targets.back();
  EXPECT_EQ(target.location, kDepthLocation);
  float depth = 0;
  std::memcpy(&depth, target.texels.data() + 16 * x, 4);
  return depth;
}
int DepthShadowAt(const InterpRun& run, uint32_t x) {
  return run.report.target_shadows.back()[4 * x];
}

TEST(InterpDepth, WithoutATargetTheDepthIsIgnored) {
  const InterpRun run = Draw("gl_FragDepth = 7.0;", {});
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.report.outputs.targets.size(), 1u);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpDepth, EachComparisonSelects) {
  // Depths 0, 0.25, 0.5, 0.75 and so on against 0.5: a bit for each of the first four pixels.
  const std::pair<Compare, uint32_t> rows[] = {
      {BoundImage::kNever, 0b0000},          {BoundImage::kLess, 0b0011},
      {BoundImage::kEqual, 0b0100},          {BoundImage::kLessOrEqual, 0b0111},
      {BoundImage::kGreater, 0b1000},        {BoundImage::kNotEqual, 0b1011},
      {BoundImage::kGreaterOrEqual, 0b1100}, {BoundImage::kAlways, 0b1111}};
  for (const auto& [compare, passing] : rows) {
    const InterpRun run = Draw("gl_FragDepth = float(x & 3) * 0.25;", {compare, 0.5});
    EXPECT_TRUE(run.report.Exact()) << compare;
    for (uint32_t x = 0; x < 4; ++x) {
      const bool passes = (passing >> x & 1) != 0;
      EXPECT_EQ(run.pixel(x, 0), passes ? 1 : 0) << compare << x;
      EXPECT_EQ(DepthAt(run, x), passes ? 0.25f * static_cast<float>(x) : 0.5f) << compare << x;
    }
  }
}

TEST(InterpDepth, ADepthThatIsNotWrittenIsThatOfTheTriangle) {
  const InterpRun run = Draw("if (x == 1) discard;", {BoundImage::kLess, 0.5});
  EXPECT_EQ(DepthAt(run, 0), 0);
  EXPECT_EQ(DepthAt(run, 1), 0.5f);  // discarded
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpDepth, UndefinedDepths) {
  const BoundDepth less{BoundImage::kLess, 0.5};
  // Not written, above 1, below 0, NaN: neither the test nor the depth is defined.
  for (const char* body :
       {"if (x != 1) gl_FragDepth = 0.25;", "gl_FragDepth = x == 1 ? 1.5 : 0.25;",
        "gl_FragDepth = x == 1 ? -0.5 : 0.25;",
        "gl_FragDepth = x == 1 ? uintBitsToFloat(0x7fc00000u + n) : 0.25;"}) {
    const InterpRun run = Draw(body, less);
    EXPECT_EQ(run.error, "");
    EXPECT_EQ(DepthShadowAt(run, 0), 0) << body;
    EXPECT_EQ(DepthShadowAt(run, 1), 2) << body;
    EXPECT_EQ(run.pixel_shadow(0, 0), 0) << body;
    EXPECT_EQ(run.pixel_shadow(1, 0), 2) << body;
    EXPECT_FALSE(run.report.OutputsDefined()) << body;
  }
  // The test does not depend on the depth.
  const InterpRun run = Draw("if (x != 1) gl_FragDepth = 0.25;", {BoundImage::kAlways, 0.5});
  EXPECT_EQ(run.pixel_shadow(1, 0), 0);
  EXPECT_EQ(DepthShadowAt(run, 1), 2);
}

TEST(InterpDepth, ApproximateDepths) {
  // 1 / 3 is approximate, but clearly less than 0.5; against itself, the test is open.
  const std::string third = "gl_FragDepth = 1.0 / (3.0 + f);";
  const InterpRun clear = Draw(third, {BoundImage::kLess, 0.5});
  EXPECT_EQ(clear.pixel_shadow(0, 0), 0);
  EXPECT_EQ(DepthShadowAt(clear, 0), 1);
  const InterpRun open = Draw(third, {BoundImage::kLess, 0x1.555556p-2});
  EXPECT_EQ(open.pixel_shadow(0, 0), 1);
  EXPECT_EQ(DepthShadowAt(open, 0), 1);
  // It may be above 1.
  const InterpRun beyond = Draw("gl_FragDepth = 3.0 / (3.0 + f);", {BoundImage::kLess, 0.5});
  EXPECT_EQ(beyond.pixel_shadow(0, 0), 1);
}

// What an approximate value decides makes the pixel uncertain, because it may have decided the
// test.
TEST(InterpDepth, ApproximateDecisions) {
  const std::string body = "gl_FragDepth = 0.25; if (1.0 / (3.0 + f) < 1.0 / 3.0) c = vec4(1);";
  const InterpRun run = Draw(body, {Compare::kLess, 0.5});
  EXPECT_TRUE(run.report.approximate_control);
  EXPECT_EQ(DepthShadowAt(run, 0), 1);
  RunOptions options;
  options.ignore_approximate_control = true;
  const InterpRun ignored = Draw(body, {Compare::kLess, 0.5}, "", options);
  EXPECT_FALSE(ignored.report.approximate_control);
  EXPECT_TRUE(ignored.report.Exact());
}

TEST(InterpDepth, AZeroHasNoSign) {
  const InterpRun run = Draw("gl_FragDepth = -f;", {BoundImage::kLess, 0.5});
  EXPECT_EQ(DepthShadowAt(run, 0), 0);
  EXPECT_FALSE(std::signbit(DepthAt(run, 0)));
}

TEST(InterpDepth, PromisesMustBeKept) {
  const BoundDepth less{BoundImage::kLess, 0.5};
  const auto shadow = [&](const std::string& mode, const std::string& depth) {
    return DepthShadowAt(
        Draw("gl_FragDepth = " + depth + ";", less, "layout(" + mode + ") out float gl_FragDepth;"),
        0);
  };
  // The triangle has the depth 0.
  EXPECT_EQ(shadow("depth_greater", "0.25"), 0);
  EXPECT_EQ(shadow("depth_less", "0.25"), 2);
  EXPECT_EQ(shadow("depth_less", "f"), 0);
  EXPECT_EQ(shadow("depth_unchanged", "gl_FragCoord.z"), 0);
  EXPECT_EQ(shadow("depth_unchanged", "0.25"), 2);
}

TEST(InterpDepth, EarlyTestsDecideWhetherTheShaderRuns) {
  const std::string body = "atomicAdd(n, 1u); gl_FragDepth = 0.75; if (x == 3) discard;";
  const std::string early = "layout(early_fragment_tests) in;";
  // The depth of the triangle is 0. The written depth has no effect, and discarded fragments keep
  // theirs.
  const InterpRun passes = Draw(body, {BoundImage::kLess, 0.5}, early);
  EXPECT_EQ(passes.word(0), 8u);
  for (uint32_t x = 0; x < 8; ++x) {
    EXPECT_EQ(DepthAt(passes, x), 0) << x;
    EXPECT_EQ(passes.pixel(x, 0), x == 3 ? 0 : 1) << x;
  }
  const InterpRun fails = Draw(body, {BoundImage::kGreater, 0.5}, early);
  EXPECT_EQ(fails.word(0), 0u);
  EXPECT_EQ(fails.pixel(0, 0), 0);
  EXPECT_EQ(DepthAt(fails, 0), 0.5f);
  EXPECT_TRUE(fails.report.Exact());
  // Late tests come after the stores.
  const InterpRun late = Draw(body, {BoundImage::kLess, 0.5});
  EXPECT_EQ(late.word(0), 8u);
  EXPECT_EQ(late.pixel(0, 0), 0);
}

TEST(InterpDepth, TheSampleMaskComesFirst) {
  const InterpRun run =
      Draw("gl_SampleMask[0] = x & 1; gl_FragDepth = 0.25;", {BoundImage::kLess, 0.5});
  EXPECT_EQ(DepthAt(run, 0), 0.5f);
  EXPECT_EQ(DepthAt(run, 1), 0.25f);
}

}  // namespace
}  // namespace refract
