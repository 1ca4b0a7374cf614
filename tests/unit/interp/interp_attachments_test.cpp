// SPDX-License-Identifier: Apache-2.0
// Input attachments in the interpreter: each fragment reads the texel at its own pixel.
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

// Draws 3x2 pixels; the texel of the pixel (x, y) is 10 y + x.
InterpRun Draw(const std::string& body) {
  Bindings bindings;
  bindings.width = 3;
  bindings.height = 2;
  BoundImage image;
  image.kind = BoundImage::kAttachment;
  image.format = spv::ImageFormat::R32ui;
  image.width = 3;
  image.height = 2;
  for (uint32_t y = 0; y < 2; ++y) {
    for (uint32_t x = 0; x < 3; ++x)
      image.texels += std::string{static_cast<char>(10 * y + x), 0, 0, 0};
  }
  bindings.images.push_back(image);
  return Interpret(GlslStage::kFragment,
                   "#version 450\n"
                   "layout(input_attachment_index = 0, binding = 0) uniform usubpassInput a;\n"
                   "layout(location = 0) out uvec4 c;\nvoid main() {" +
                       body + "}\n",
                   bindings);
}

uint32_t Word(const InterpRun& run, uint32_t x, uint32_t y, uint32_t component) {
  uint32_t word = 0;
  std::memcpy(&word,
              run.report.outputs.targets.at(0).texels.data() + 16 * (3 * y + x) + 4 * component, 4);
  return word;
}

TEST(InterpAttachments, EachFragmentReadsItsPixel) {
  const InterpRun run = Draw("c = subpassLoad(a);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  EXPECT_TRUE(run.report.Exact());
  for (uint32_t y = 0; y < 2; ++y) {
    for (uint32_t x = 0; x < 3; ++x) EXPECT_EQ(Word(run, x, y, 0), 10 * y + x);
  }
  // Components that the format lacks.
  EXPECT_EQ(Word(run, 0, 0, 1), 0u);
  EXPECT_EQ(Word(run, 0, 0, 3), 1u);
}

TEST(InterpAttachments, HelperInvocationsOutsideTheFrameReadUndefinedValues) {
  // The derivative at the last column needs the texel right of the frame.
  const InterpRun run = Draw("c.x = uint(abs(dFdxFine(float(subpassLoad(a).x))));");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.pixel_shadow(0, 0), 0);
  EXPECT_EQ(Word(run, 0, 0, 0), 1u);
  EXPECT_EQ(run.pixel_shadow(2, 0), 2);
}

}  // namespace
}  // namespace refract
