// SPDX-License-Identifier: Apache-2.0
// The levels that a correct implementation may give to the pixels of 8-bit targets.
#include <gtest/gtest.h>

#include <algorithm>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

constexpr const char* kNumbers = "layout(std140, binding = 0) uniform In { ivec4 k[16]; };\n";

/// A program that draws `width` x `height` pixels; k[i].x are the whole numbers from 0 on.
class Drawing {
 public:
  Drawing(const std::string& body, uint32_t width, uint32_t height = 1,
          const std::string& inputs = kNumbers)
      : module_(CompiledShader("t.frag", inputs + "layout(location = 0) out vec4 c;\n" + body)) {
    Bindings bindings;
    bindings.width = width;
    bindings.height = height;
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < 16; ++i) words.insert(words.end(), {i, 0, 0, 0});
    BoundBuffer buffer = StorageBuffer(0, BytesOfWords(words));
    buffer.storage = inputs != kNumbers;
    bindings.buffers = {std::move(buffer)};
    program_ = ProgramOf(*module_, bindings);
  }
  RunReport Run(const RunOptions& options = {}) const {
    RunReport report = refract::Run(*program_, options);
    EXPECT_FALSE(report.trap) << report.trap->message;
    return report;
  }

 private:
  std::unique_ptr<TableModule> module_;
  std::optional<Program> program_;
};

/// The bounds of a component: "7" if they are equal, else "7..9".
std::string BoundsText(const RunReport& report, size_t pixel, size_t component = 0) {
  const LevelBounds& bounds = report.target_bounds.at(0);
  const auto low = static_cast<uint8_t>(bounds.lowest.at(4 * pixel + component));
  const auto high = static_cast<uint8_t>(bounds.highest.at(4 * pixel + component));
  return low == high ? format("{}", low) : format("{}..{}", low, high);
}

std::vector<std::string> Reds(const RunReport& report, size_t pixels) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < pixels; ++i) texts.push_back(BoundsText(report, i));
  return texts;
}
using Texts = std::vector<std::string>;

TEST(TargetBounds, OneLevelWhereTheValueIsExact) {
  const Drawing drawing(
      "void main() { float x = float(k[int(gl_FragCoord.x)].x);\n"
      "  c = vec4(x * (1.0 / 255.0), x / 255.0, 0.25, 7.0); }",
      4);
  const RunReport report = drawing.Run();
  EXPECT_EQ(report.target_bounds.at(0).lowest, report.outputs.targets.at(0).texels);
  EXPECT_EQ(report.target_bounds.at(0).highest, report.outputs.targets.at(0).texels);
}

// 127.5 may be rounded either way, and 0.7 is near enough to 0.5 for that.
TEST(TargetBounds, TwoLevelsNearTheMiddle) {
  const Drawing drawing("void main() { c = vec4(0.5, (float(k[3].x) + 0.7) / 255.0, -1.0, 2.0); }",
                        1);
  const RunReport report = drawing.Run();
  EXPECT_EQ(BoundsText(report, 0, 0), "127..128");
  EXPECT_EQ(BoundsText(report, 0, 1), "3..4");
  EXPECT_EQ(BoundsText(report, 0, 2), "0");
  EXPECT_EQ(BoundsText(report, 0, 3), "255");
}

// sin(1) is 214.6 levels with an error of 2^-11, an eighth of a level. The error of 16 times this
// value is 2 levels.
TEST(TargetBounds, FollowTheErrorOfTheValue) {
  const Drawing drawing(
      "void main() { float x = sin(float(k[1].x));\n"
      "  c = vec4(x, 16.0 * x - 13.0, sin(100.0 * x), 1.0); }",
      1);
  const RunReport report = drawing.Run();
  EXPECT_EQ(BoundsText(report, 0, 0), "214..215");
  EXPECT_EQ(BoundsText(report, 0, 1), "116..121");
  EXPECT_EQ(BoundsText(report, 0, 2), "0..255");
  EXPECT_EQ(BoundsText(report, 0, 3), "255");
}

// The sine of the second pixel is so close to the limit that it may be on either side.
constexpr const char* kBranch =
    "void main() { float x = sin(float(k[int(gl_FragCoord.x)].x));\n"
    "  float y = 0.0;\n"
    "  if (x > 0.841471) y = 1.0;\n"
    "  c = vec4(y{}, 0.0, 0.0, 1.0); }";

std::string Branch(const std::string& added) {
  std::string text = kBranch;
  return text.replace(text.find("{}"), 2, added);
}

TEST(TargetBounds, UnknownWhereAnApproximateValueDecides) {
  const RunReport report = Drawing(Branch(""), 4).Run();
  EXPECT_TRUE(report.approximate_control);
  EXPECT_EQ(Reds(report, 4), (Texts{"0", "0..255", "255", "0"}));
  EXPECT_EQ(BoundsText(report, 1, 3), "0..255");
}

TEST(TargetBounds, UnknownInTheQuadWithDerivatives) {
  const RunReport report = Drawing(Branch(" + 0.0 * dFdx(gl_FragCoord.x)"), 4).Run();
  EXPECT_EQ(Reds(report, 4), (Texts{"0..255", "0..255", "255", "0"}));
}

// Reading a buffer does not make pixels depend on each other, but writing does.
TEST(TargetBounds, UnknownEverywhereIfOthersSeeTheEffect) {
  const std::string buffer = "layout(std430, binding = 0) buffer In { ivec4 k[16]; };\n";
  const RunReport read = Drawing(Branch(""), 4, 1, buffer).Run();
  EXPECT_EQ(Reds(read, 4), (Texts{"0", "0..255", "255", "0"}));
  std::string adds = Branch("");
  adds.insert(adds.find("y = 1.0;"), "atomicAdd(k[15].y, 1), ");
  const RunReport written = Drawing(adds, 4, 1, buffer).Run();
  EXPECT_EQ(Reds(written, 4), Texts(4, "0..255"));
}

TEST(TargetBounds, DiscardedPixelsAreBlack) {
  const std::string body =
      "void main() { float x = sin(float(k[int(gl_FragCoord.x)].x));\n"
      "  if (x > 0.841471) discard;\n"
      "  c = vec4(1.0); }";
  EXPECT_EQ(Reds(Drawing(body, 4).Run(), 4), (Texts{"255", "0..255", "0", "255"}));
}

TEST(TargetBounds, UndefinedComponentsAreUnknown) {
  const RunReport report = Drawing("void main() { c.xz = vec2(1.0); }", 1).Run();
  EXPECT_EQ(BoundsText(report, 0, 0), "255");
  EXPECT_EQ(BoundsText(report, 0, 1), "0..255");
}

TEST(TargetBounds, OnlyTheSampleIsKnown) {
  RunOptions options;
  options.sample = {1};
  const RunReport report = Drawing("void main() { c = vec4(1.0); }", 6).Run(options);
  EXPECT_EQ(Reds(report, 6), (Texts{"0..255", "0..255", "255", "255", "0..255", "0..255"}));
}

// An approximate value decides a branch, and there is no pixel whose bounds it could change.
TEST(TargetBounds, NoneWithoutATarget) {
  const std::unique_ptr<TableModule> module =
      CompiledShader("t.frag", "void main() { if (sin(gl_FragCoord.x) > 0.5) discard; }");
  Bindings bindings;
  bindings.width = bindings.height = 4;
  const std::optional<Program> program = ProgramOf(*module, bindings);
  ASSERT_TRUE(program);
  const RunReport report = refract::Run(*program);
  EXPECT_TRUE(report.approximate_control);
  EXPECT_TRUE(report.target_bounds.empty());
}

TEST(TargetBounds, PartsOfAFrameHaveTheSameBounds) {
  const Drawing drawing("void main() { c = vec4(sin(gl_FragCoord.xy / 40.0), 0.0, 1.0); }", 40, 70);
  RunOptions options;
  options.threads = 3;
  EXPECT_EQ(drawing.Run(options).target_bounds, drawing.Run().target_bounds);
}

// What an implementation may compute is within the bounds, whatever it chooses.
TEST(TargetBounds, HoldForPerturbedRuns) {
  const char* bodies[] = {
      "vec2 p = gl_FragCoord.xy / 16.0; c = vec4(sin(p.x * 3.0), cos(p.y), p.x / 3.0, 1.0);",
      "vec2 p = gl_FragCoord.xy / 16.0; c = vec4(length(p), p / 1.7, inversesqrt(1.0 + p.x));",
      // Built-in functions of approximate values.
      "vec2 p = gl_FragCoord.xy / 16.0; float a = sin(p.x * 3.0), b = cos(p.y * 2.0);\n"
      "c = vec4(sqrt(a + 1.5) * 0.5, exp(b - 1.5), log(a + 2.0) * 0.5, pow(1.2 + b, 1.7) * 0.2);",
      "vec2 p = gl_FragCoord.xy / 16.0; float a = sin(p.x * 3.0), b = cos(p.y * 2.0);\n"
      "c = vec4(length(vec2(a, b)) * 0.6, normalize(vec2(a, b + 2.0)) * 0.5 + 0.5,\n"
      "         smoothstep(-1.0, 1.0, a) * inversesqrt(b + 3.0));",
      "vec2 p = gl_FragCoord.xy / 16.0; float a = sin(p.x * 3.0), b = cos(p.y * 2.0);\n"
      "c = vec4(fract(a * 3.0), exp2(a) * 0.4, log2(b + 3.0) * 0.4, distance(p, vec2(a, b)));",
      "float s = 0.0; for (int i = 0; i < 9; ++i) s += exp(-gl_FragCoord.x) * 0.3 / (1.0 + s);\n"
      "c = vec4(s, fract(s * 7.0), s > 0.5 ? 1.0 : s, mix(0.2, 0.8, s));",
  };
  uint64_t changed = 0, known = 0;
  for (const char* body : bodies) {
    const Drawing drawing(format("void main() {{ {} }}", body), 16, 16);
    const RunReport first = drawing.Run();
    const LevelBounds& bounds = first.target_bounds.at(0);
    for (uint64_t seed = 1; seed <= 8; ++seed) {
      RunOptions options;
      options.perturb = seed;
      const RunReport other = drawing.Run(options);
      const std::string& texels = other.outputs.targets.at(0).texels;
      for (size_t i = 0; i < texels.size(); ++i) {
        const auto level = static_cast<uint8_t>(texels[i]);
        EXPECT_GE(level, static_cast<uint8_t>(bounds.lowest[i])) << body << i;
        EXPECT_LE(level, static_cast<uint8_t>(bounds.highest[i])) << body << i;
        changed += texels[i] != first.outputs.targets.at(0).texels[i];
        known += static_cast<uint8_t>(bounds.highest[i]) - static_cast<uint8_t>(bounds.lowest[i]) <
                 static_cast<uint8_t>(8);
      }
    }
  }
  EXPECT_GT(changed, 100u);
  EXPECT_GT(known, 10000u);
}

}  // namespace
}  // namespace refract
