// SPDX-License-Identifier: Apache-2.0
// Derivatives, helper invocations and demotion in the interpreter.
#include "unit/shared/interp_run.h"

namespace refract {
namespace {

InterpRun Draw(const std::string& body, const RunOptions& options = {}, uint32_t width = 4,
               uint32_t height = 4) {
  Bindings bindings;
  bindings.width = width;
  bindings.height = height;
  bindings.float_target = spv::ImageFormat::Rgba32f;
  return Interpret(GlslStage::kFragment,
                   "#version 450\n#extension GL_EXT_demote_to_helper_invocation : enable\n"
                   "layout(location = 0) out vec4 colour;\n"
                   "void main() { vec2 p = gl_FragCoord.xy; float x = p.x, y = p.y;\n" +
                       body + "}\n",
                   bindings, options);
}

TEST(InterpDerivatives, OfLinearValuesAreExact) {
  const InterpRun run =
      Draw("colour = vec4(dFdx(3.0 * x + y), dFdy(3.0 * x + 2.0 * y), fwidth(x - 2.0 * y), 1);");
  EXPECT_EQ(run.error, "");
  EXPECT_EQ(run.trap(), "");
  for (uint32_t at = 0; at < 4; ++at) {
    EXPECT_EQ(run.pixel(at, 3, 0), 3.0f);
    EXPECT_EQ(run.pixel(at, 3, 1), 2.0f);
    EXPECT_EQ(run.pixel(at, 3, 2), 3.0f);
  }
  EXPECT_TRUE(run.report.Exact());
}

// x * y at the pixels (0, 0) to (1, 1): 0.25, 0.75, 0.75, 2.25.
TEST(InterpDerivatives, FineOnesAreOfTheirOwnRow) {
  const InterpRun run =
      Draw("colour = vec4(dFdxFine(x * y), dFdyFine(x * y), fwidthFine(x * y), 1);");
  EXPECT_EQ(run.pixel(0, 0, 0), 0.5f);
  EXPECT_EQ(run.pixel(1, 0, 0), 0.5f);
  EXPECT_EQ(run.pixel(0, 1, 0), 1.5f);
  EXPECT_EQ(run.pixel(0, 1, 1), 0.5f);
  EXPECT_EQ(run.pixel(1, 1, 1), 1.5f);
  EXPECT_EQ(run.pixel(1, 1, 2), 3.0f);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpDerivatives, CoarseOnesMayBeOfEitherRow) {
  const InterpRun run = Draw("colour = vec4(dFdxCoarse(x * y), dFdyCoarse(x), 0, 1);");
  EXPECT_EQ(run.pixel(0, 1, 0), 0.5f);
  EXPECT_EQ(run.pixel_shadow(0, 1, 0), 1);
  EXPECT_EQ(run.pixel(0, 1, 1), 0.0f);
  EXPECT_EQ(run.pixel_shadow(0, 1, 3), 0);
}

TEST(InterpDerivatives, PlainOnesAreAsTheScheduleSays) {
  RunOptions options;
  const std::string body = "colour = vec4(dFdx(x * y), dFdx(x), 0, 1);";
  const InterpRun fine = Draw(body, options);
  options.schedule.fine_derivatives = false;
  const InterpRun coarse = Draw(body, options);
  EXPECT_EQ(fine.pixel(0, 1, 0), 1.5f);
  EXPECT_EQ(coarse.pixel(0, 1, 0), 0.5f);
  EXPECT_EQ(fine.pixel_shadow(0, 1, 0), 1);
  EXPECT_EQ(coarse.pixel_shadow(0, 1, 0), 1);
  EXPECT_EQ(fine.pixel_shadow(0, 1, 1), 0);
  EXPECT_EQ(coarse.pixel(0, 1, 1), 1.0f);
}

TEST(InterpDerivatives, ThatRoundAreApproximate) {
  const InterpRun run = Draw("colour = vec4(dFdx(x * 16777216.0 + y * 0.125), 0, 0, 1);");
  EXPECT_EQ(run.pixel_shadow(0, 0), 1);
}

TEST(InterpDerivatives, AreUndefinedWithoutTheWholeQuad) {
  const InterpRun run = Draw("colour = vec4(0); if (x < 1.0) colour.x = dFdx(y);");
  EXPECT_EQ(run.trap(), "");
  EXPECT_EQ(run.pixel_shadow(0, 0, 0), 2);
  EXPECT_EQ(run.pixel_shadow(0, 0, 1), 0);
  EXPECT_EQ(run.pixel_shadow(1, 0, 0), 0);
  // A quad that takes the branch whole.
  const InterpRun whole = Draw("colour = vec4(0); if (x < 2.0) colour.x = dFdx(x);");
  EXPECT_EQ(whole.pixel_shadow(0, 0, 0), 0);
  EXPECT_EQ(whole.pixel(1, 0, 0), 1.0f);
  EXPECT_EQ(whole.pixel(2, 0, 0), 0.0f);
  EXPECT_TRUE(Draw("colour = vec4(0); if (x < 1.0) { if (dFdx(y) > 0.0) colour.x = 1.0; }")
                  .trapped("the condition or selector is undefined"));
}

TEST(InterpDerivatives, KilledInvocationsLeaveTheQuadAndDemotedStay) {
  const InterpRun killed = Draw("if (x < 1.0 && y < 1.0) discard; colour = vec4(dFdx(x));");
  EXPECT_EQ(killed.pixel_shadow(1, 1), 2);
  EXPECT_EQ(killed.pixel_shadow(2, 1), 0);
  const InterpRun demoted = Draw(
      "if (x < 1.0 && y < 1.0) demote;"
      "colour = vec4(dFdx(x), helperInvocationEXT() ? 1 : 0, 0, 1);");
  EXPECT_EQ(demoted.error, "");
  EXPECT_EQ(demoted.pixel_shadow(1, 1), 0);
  EXPECT_EQ(demoted.pixel(1, 1), 1.0f);
  EXPECT_EQ(demoted.pixel(1, 1, 1), 0.0f);
  // What it would have drawn is dropped: the target keeps what it was cleared with.
  EXPECT_EQ(demoted.pixel(0, 0, 3), 0.0f);
}

TEST(InterpDerivatives, WorkAtTheEdgeOfTheFrame) {
  const InterpRun run = Draw("colour = vec4(dFdx(x), dFdy(y), 0, 1);", {}, 3, 3);
  EXPECT_EQ(run.pixel(2, 2, 0), 1.0f);
  EXPECT_EQ(run.pixel(2, 2, 1), 1.0f);
  EXPECT_TRUE(run.report.Exact());
}

TEST(InterpDerivatives, OfUndefinedValuesAreUndefined) {
  const InterpRun run =
      Draw("float u; if (x < 1.0) u = 1.0; colour = vec4(dFdx(u), dFdy(u), 0, 1);");
  EXPECT_EQ(run.pixel_shadow(0, 0, 0), 2);
  EXPECT_EQ(run.pixel_shadow(1, 0, 1), 2);
}

// --- compute shaders

TEST(InterpDerivatives, InComputeShadersNeedAQuadLayout) {
  const std::string body = "data[i] = uint(dFdx(float(i * i)));";
  const std::string extension = "#extension GL_NV_compute_shader_derivatives : enable\n";
  const auto run = [&](const std::string& layout) {
    return Interpret(GlslStage::kCompute,
                     "#version 460\n" + extension + "layout(local_size_x = 8) in;\n" + layout +
                         "layout(binding = 0) buffer Data { uint data[]; };\n"
                         "void main() { uint i = gl_LocalInvocationID.x;" +
                         body + "}\n",
                     ComputeBindings());
  };
  const InterpRun linear = run("layout(derivative_group_linearNV) in;\n");
  EXPECT_EQ(linear.error, "");
  EXPECT_EQ(linear.word(0), 1u);
  EXPECT_EQ(linear.word(3), 5u);
  EXPECT_EQ(linear.word(4), 9u);
  EXPECT_EQ(linear.shadow(0), 1);  // 1 or, with the lower row's difference, 5
}

}  // namespace
}  // namespace refract
