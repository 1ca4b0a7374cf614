// SPDX-License-Identifier: Apache-2.0
// Frames with several samples in the interpreter: built-ins of samples, masks, and which
// invocations run.
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

// Draws 2x1 pixels to one target of unsigned integers.
InterpRun Draw(const std::string& body, uint32_t samples, bool per_sample,
               const RunOptions& options = {}) {
  Bindings bindings;
  bindings.width = 2;
  bindings.height = 1;
  bindings.samples = samples;
  bindings.per_sample = per_sample;
  bindings.buffers.push_back(BoundBuffer{0, 0, true, std::string(16, '\0')});
  return Interpret(GlslStage::kFragment,
                   "#version 450\n"
                   "layout(binding = 0) buffer Data { uint runs, more[3]; };\n"
                   "layout(location = 0) out uvec4 c;\nvoid main() {" +
                       body + "}\n",
                   bindings, options);
}

uint32_t Word(const InterpRun& run, uint32_t place, uint32_t component = 0) {
  uint32_t word = 0;
  std::memcpy(&word, run.report.outputs.targets.at(0).texels.data() + 16 * place + 4 * component,
              4);
  return word;
}

uint32_t Runs(const InterpRun& run) {
  uint32_t word = 0;
  std::memcpy(&word, run.report.outputs.buffers.at(0).bytes.data(), 4);
  return word;
}

TEST(InterpFrameSamples, EachSampleHasItsNumberAndPlace) {
  const InterpRun run = Draw(
      "atomicAdd(runs, 1u); uvec2 at = uvec2(gl_FragCoord.xy * 16.0);"
      "uvec2 inside = uvec2(gl_SamplePosition * 16.0);"
      "c = uvec4(gl_SampleID, at.x, inside.x << 8 | inside.y, gl_SampleMaskIn[0]);",
      4, true);
  ASSERT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_TRUE(run.report.Exact());
  const ColourTarget& target = run.report.outputs.targets.at(0);
  EXPECT_EQ(target.width, 8u);
  EXPECT_EQ(target.height, 1u);
  EXPECT_EQ(Runs(run), 8u);
  constexpr uint32_t kX[] = {6, 14, 2, 10}, kY[] = {2, 6, 10, 14};
  for (uint32_t place = 0; place < 8; ++place) {
    const uint32_t sample = place % 4;
    EXPECT_EQ(Word(run, place, 0), sample);
    EXPECT_EQ(Word(run, place, 1), place / 4 * 16 + kX[sample]);
    EXPECT_EQ(Word(run, place, 2), kX[sample] << 8 | kY[sample]);
    EXPECT_EQ(Word(run, place, 3), 1u << sample);
  }
}

TEST(InterpFrameSamples, AnInvocationOfAPixelDrawsToAllItsSamples) {
  const InterpRun run = Draw("c = uvec4(uvec2(gl_FragCoord.xy * 16.0), 7, 0);", 8, false);
  EXPECT_TRUE(run.report.Exact());
  for (uint32_t place = 0; place < 16; ++place) {
    EXPECT_EQ(Word(run, place, 0), place / 8 * 16 + 8);
    EXPECT_EQ(Word(run, place, 2), 7u);
  }
  // It may run several times, each time for some of the samples.
  const InterpRun mask = Draw("c = uvec4(gl_SampleMaskIn[0], 0, 0, 0);", 8, false);
  EXPECT_EQ(Word(mask, 0), 255u);
  EXPECT_EQ(mask.report.target_shadows.at(0)[0], 1);
  EXPECT_EQ(mask.report.target_shadows.at(0)[1], 0);
}

TEST(InterpFrameSamples, TheMaskSelectsSamples) {
  const InterpRun pixel =
      Draw("c = uvec4(9); gl_SampleMask[0] = gl_FragCoord.x < 1 ? 5 : 16;", 4, false);
  const InterpRun sample =
      Draw("c = uvec4(9); gl_SampleMask[0] = gl_FragCoord.x < 1 ? 5 : 16;", 4, true);
  for (const InterpRun* run : {&pixel, &sample}) {
    EXPECT_TRUE(run->report.Exact());
    for (uint32_t place = 0; place < 8; ++place) {
      EXPECT_EQ(Word(*run, place), place == 0 || place == 2 ? 9u : 0u) << place;
    }
  }
  const InterpRun unknown = Draw("int mask; c = uvec4(9); gl_SampleMask[0] = mask;", 2, false);
  EXPECT_FALSE(unknown.report.OutputsDefined());
}

TEST(InterpFrameSamples, DiscardedInvocationsDrawNothing) {
  const InterpRun run = Draw("if (gl_SampleID == 1) discard; c = uvec4(3);", 2, true);
  EXPECT_TRUE(run.report.Exact());
  for (uint32_t place = 0; place < 4; ++place)
    EXPECT_EQ(Word(run, place), place % 2 == 1 ? 0u : 3u);
}

// A sample of the frame has whole pixels.
TEST(InterpFrameSamples, APartOfTheFrameHasAllSamplesOfItsPixels) {
  RunOptions options;
  options.sample = {0};
  const InterpRun run = Draw("atomicAdd(runs, 1u); c = uvec4(gl_SampleID + 1);", 4, true, options);
  EXPECT_EQ(Runs(run), 8u);
  for (uint32_t place = 0; place < 8; ++place) EXPECT_EQ(Word(run, place), place % 4 + 1);
}

TEST(InterpFrameSamples, DerivativesAreBetweenTheSameSamples) {
  const InterpRun run = Draw("c = uvec4(dFdx(gl_FragCoord.x) * 16.0);", 4, true);
  EXPECT_TRUE(run.report.Exact());
  for (uint32_t place = 0; place < 8; ++place) EXPECT_EQ(Word(run, place), 16u);
}

TEST(InterpFrameSamples, NamesTheSampleOfARace) {
  const InterpRun run = Draw("more[0] = uint(gl_SampleID); c = uvec4(0);", 2, true);
  EXPECT_TRUE(run.trapped("sample ")) << run.trap();
  EXPECT_TRUE(run.trapped("of the pixel (")) << run.trap();
}

// Vulkan allows to run it several times for a pixel.
TEST(InterpFrameSamples, RefusesStoresOfInvocationsOfPixels) {
  EXPECT_NE(Draw("atomicAdd(runs, 1u); c = uvec4(0);", 2, false).error.find("stores to memory"),
            std::string::npos);
}

TEST(InterpFrameSamples, DenormalsOfATargetAreApproximate) {
  Bindings bindings;
  bindings.width = bindings.height = 1;
  bindings.samples = 2;
  bindings.float_target = spv::ImageFormat::Rgba32f;
  const InterpRun run =
      Interpret(GlslStage::kFragment,
                "#version 450\nlayout(location = 0) out vec4 c;\n"
                "void main() {\n"
                "  c = vec4(1, uintBitsToFloat(0x80000000u), 0, uintBitsToFloat(1u));\n}",
                bindings);
  ASSERT_EQ(run.error, "");
  EXPECT_EQ(run.report.target_shadows.at(0)[0], 0);
  EXPECT_EQ(run.report.target_shadows.at(0)[1], 1);
  EXPECT_EQ(run.report.target_shadows.at(0)[2], 0);
  EXPECT_EQ(run.report.target_shadows.at(0)[3], 1);
}

TEST(InterpFrameSamples, AttachmentsHaveSamplesOfThePixel) {
  Bindings bindings;
  bindings.width = 2;
  bindings.height = 1;
  bindings.samples = 2;
  bindings.per_sample = true;
  BoundImage image;
  image.kind = BoundImage::kAttachment;
  image.format = spv::ImageFormat::R8ui;
  image.width = 2;
  image.height = 1;
  image.samples = 2;
  image.texels = "\1\2\3\4";
  bindings.images.push_back(image);
  const InterpRun run =
      Interpret(GlslStage::kFragment,
                "#version 450\nlayout(location = 0) out uvec4 c;\n"
                "layout(input_attachment_index = 0, binding = 0) uniform usubpassInputMS a;\n"
                "void main() { c = uvec4(subpassLoad(a, 0).x, subpassLoad(a, 1).x, 0, 0); }",
                bindings);
  ASSERT_EQ(run.error, "");
  EXPECT_TRUE(run.report.Exact());
  EXPECT_EQ(Word(run, 1, 0), 1u);
  EXPECT_EQ(Word(run, 1, 1), 2u);
  EXPECT_EQ(Word(run, 3, 0), 3u);
  EXPECT_EQ(Word(run, 2, 1), 4u);
}

}  // namespace
}  // namespace refract
