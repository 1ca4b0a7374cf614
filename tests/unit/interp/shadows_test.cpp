// SPDX-License-Identifier: Apache-2.0
// What is exact and what is not: sums and products that may be rearranged, reduced precision,
// denormals and zeros, 8-bit targets, and outputs that nothing was written to.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "base/text.h"
#include "check_rows.h"

namespace refract {
namespace {

struct Pixel {
  float value = 0;
  Shadow shadow = Shadow::kExact;
};

// Three floats in, one out; stored as a float, so that the sign of a zero is no bit of interest.
Pixel Compute(const std::string& body, const std::vector<float>& in,
              const std::string& decorations = "", const std::string& mode = "") {
  TableRow row;
  row.instruction = "shadow";
  row.result = "f32";
  row.operands = {"f32", "f32", "f32"};
  row.body = body;
  row.decorations = decorations;
  if (!mode.empty()) {
    row.capabilities = format("OpCapability {}\nOpExtension \"SPV_KHR_float_controls\"\n", mode);
    row.modes = format("OpExecutionMode %main {} 32\n", mode);
  }
  const auto module = Assembled(RowAssembly(row, {{0, 0, 0}}, RowForm::kBuffers), 3);
  if (!module) return {};
  std::vector<uint32_t> words;
  for (const float value : in) words.push_back(std::bit_cast<uint32_t>(value));
  words.resize(3);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, BytesOfWords(words)),
                      StorageBuffer(1, std::string(4, '\0'))};
  const auto program = ProgramOf(*module, bindings);
  const RunReport report = refract::Run(*program);
  EXPECT_FALSE(report.trap) << report.trap->message;
  Pixel result;
  result.value = std::bit_cast<float>(WordsOf(report.outputs.buffers.at(1).bytes)[0]);
  const std::string& shadows = report.buffer_shadows.at(1);
  if (!shadows.empty()) result.shadow = static_cast<Shadow>(shadows[0]);
  return result;
}

constexpr const char* kSum = "%s~ = OpFAdd %f32 $0 $1\n$r = OpFAdd %f32 %s~ $2";
constexpr const char* kStrict = "OpDecorate %s_0 NoContraction\nOpDecorate %r_0 NoContraction\n";
constexpr const char* kRelaxed =
    "OpDecorate %s_0 RelaxedPrecision\nOpDecorate %r_0 RelaxedPrecision\n";

void ExpectShadow(const Pixel& result, float value, Shadow shadow, const char* what) {
  EXPECT_EQ(result.value, value) << what;
  EXPECT_EQ(result.shadow, shadow) << what;
}

// An exact operand can make the result exact, whatever an approximate operand is.
TEST(Shadows, ExactWhereAnExactOperandDeterminesTheResult) {
  const std::string approximate = "%s~ = OpFAdd %f32 $0 $1\n%u~ = OpBitcast %u32 %s~\n";
  const auto compute = [&](const std::string& body) {
    return Compute(approximate + body, {0.1f, 0.2f, 5});
  };
  const std::string choose = "$r = OpSelect %f32 %t~ $1 $2";
  const std::string is_zero = "\n%t~ = OpIEqual %b %m~ %c_u32_0\n" + choose;
  ExpectShadow(compute("%m~ = OpExtInst %u32 %glsl UMin %u~ %c_u32_0" + is_zero), 0.2f,
               Shadow::kExact, "min");
  ExpectShadow(compute("%m~ = OpExtInst %u32 %glsl UMin %c_u32_0 %u~" + is_zero), 0.2f,
               Shadow::kExact, "min, the other way round");
  ExpectShadow(compute("%t~ = OpULessThan %b %u~ %c_u32_0\n" + choose), 5, Shadow::kExact,
               "below 0");
  ExpectShadow(compute("%t~ = OpUGreaterThanEqual %b %u~ %c_u32_0\n" + choose), 0.2f,
               Shadow::kExact, "at least 0");
  EXPECT_EQ(compute("%t~ = OpULessThan %b %u~ %c_u32_1\n" + choose).shadow, Shadow::kApproximate);
  EXPECT_EQ(compute("%t~ = OpIEqual %b %u~ %c_u32_0\n" + choose).shadow, Shadow::kApproximate);
}

TEST(Shadows, Rearrangement) {
  ExpectShadow(Compute(kSum, {1, 2, -7}), -4, Shadow::kExact, "whole numbers");
  ExpectShadow(Compute(kSum, {16777215, 1, 0}), 16777216, Shadow::kExact, "24 bits");
  ExpectShadow(Compute(kSum, {16777215, 1, 1}), 16777216, Shadow::kApproximate, "25 bits");
  // In our order nothing is lost, in another something is.
  ExpectShadow(Compute(kSum, {1e8f, -1e8f, 1}), 1, Shadow::kApproximate, "cancels");
  ExpectShadow(Compute(kSum, {1e8f, -1e8f, 1}, kStrict), 1, Shadow::kExact, "cancels, in order");
  ExpectShadow(Compute(kSum, {1e8f, 1, -1e8f}), 0, Shadow::kApproximate, "absorbed");
  ExpectShadow(Compute(kSum, {1e8f, 1, -1e8f}, kStrict), 0, Shadow::kApproximate, "absorbed still");
  ExpectShadow(Compute(kSum, {0.5f, 0.25f, 8}), 8.75f, Shadow::kExact, "quarters");
  const char* product = "%s~ = OpFMul %f32 $0 $1\n$r = OpFAdd %f32 %s~ $2";
  ExpectShadow(Compute(product, {3, 5, 7}), 22, Shadow::kExact, "product of whole numbers");
  ExpectShadow(Compute(product, {0.1f, 0.1f, 7}), 0.1f * 0.1f + 7, Shadow::kApproximate,
               "contracted or not");
  ExpectShadow(Compute("%s~ = OpFAdd %f32 $0 $1\n$r = OpFMul %f32 %s~ $2", {4096, 1, 4097}),
               4097.0f * 4097.0f, Shadow::kApproximate, "distributed");
  ExpectShadow(Compute("%s~ = OpFAdd %f32 $0 $1\n$r = OpFMul %f32 %s~ $2", {12, 1, 100}), 1300,
               Shadow::kExact, "distributed, all small");
}

// Sums of doubles, whose range is beyond what a note says of magnitude and grain.
Shadow SumOfDoubles(const std::vector<double>& in, const std::string& body) {
  TableRow row;
  row.instruction = "shadow";
  row.result = "f64";
  row.operands = {"f64", "f64", "f64"};
  row.body = body;
  Bits tuple;
  for (const double value : in) tuple.push_back(std::bit_cast<uint64_t>(value));
  const auto module = Assembled(RowAssembly(row, {tuple}, RowForm::kBuffers), 3);
  Bindings bindings;
  bindings.buffers = {StorageBuffer(0, OperandBytes(row, {tuple})),
                      StorageBuffer(1, std::string(8, '\0'))};
  const auto program = ProgramOf(*module, bindings);
  const RunReport report = refract::Run(*program);
  const std::string& shadows = report.buffer_shadows.at(1);
  return shadows.empty() ? Shadow::kExact : static_cast<Shadow>(shadows[0]);
}

TEST(Shadows, RearrangementOfDoubles) {
  const char* sum = "%s~ = OpFAdd %f64 $0 $1\n$r = OpFAdd %f64 %s~ $2";
  EXPECT_EQ(SumOfDoubles({1, 2, 3}, sum), Shadow::kExact);
  EXPECT_EQ(SumOfDoubles({0x1p600, -0x1p600, 0x1p80}, sum), Shadow::kApproximate);
  EXPECT_EQ(SumOfDoubles({0x1p600, -0x1p600, 1}, sum), Shadow::kApproximate);
  // 3 * 2^-500 - 2^-500 has the grain 2^-500, which the product makes 2^-100; then comes 1 - 1.
  const char* tiny = R"(%p~ = OpFSub %f64 $0 $1
%q~ = OpFMul %f64 %p~ $2
%big~ = OpFMul %f64 $2 $2
%d~ = OpFSub %f64 %big~ %big~
$r = OpFAdd %f64 %d~ %q~)";
  EXPECT_EQ(SumOfDoubles({0x1.8p-499, 0x1p-500, 0x1p400}, tiny), Shadow::kApproximate);
}

TEST(Shadows, ReducedPrecision) {
  ExpectShadow(Compute(kSum, {1, 2, 3}, kRelaxed), 6, Shadow::kExact, "small");
  ExpectShadow(Compute(kSum, {2000, 2000, 1}, kRelaxed), 4001, Shadow::kApproximate, "12 bits");
  ExpectShadow(Compute(kSum, {2000, 2000, 1}), 4001, Shadow::kExact, "not reduced");
  ExpectShadow(Compute(kSum, {60000, 10000, 0}, kRelaxed), 70000, Shadow::kApproximate,
               "beyond halves");
}

TEST(Shadows, DenormalsAndZeros) {
  const float denormal = 0x1p-140f;
  const char* twice = "$r = OpFAdd %f32 $0 $0";
  ExpectShadow(Compute(twice, {denormal}), 2 * denormal, Shadow::kApproximate, "may be flushed");
  ExpectShadow(Compute(twice, {denormal}, "", "DenormPreserve"), 2 * denormal, Shadow::kExact,
               "preserved");
  ExpectShadow(Compute("$r = OpCopyObject %f32 $0", {denormal}), denormal, Shadow::kExact,
               "a copy is no arithmetic");
  ExpectShadow(Compute("$r = OpFNegate %f32 $0", {denormal}), -denormal, Shadow::kApproximate,
               "negated");
  ExpectShadow(Compute("$r = OpFMul %f32 $0 $1", {0x1p-70f, 0x1p-70f}), denormal,
               Shadow::kApproximate, "made by a product");
  // A zero made by arithmetic may have either sign; its bits are approximate, the number is not.
  const char* difference =
      "%d~ = OpFSub %f32 $0 $0\n%s~ = OpFAdd %f32 $1 %d~\n"
      "%z~ = OpFOrdEqual %b %d~ $2\n$r = OpSelect %f32 %z~ %s~ $0";
  ExpectShadow(Compute(difference, {3, 5, 0}), 5, Shadow::kExact, "added and compared");
  ExpectShadow(Compute("$r = OpFSub %f32 $0 $0", {3}), 0, Shadow::kApproximate, "its bits");
  EXPECT_EQ(Compute("$r = OpFMul %f32 $0 $1", {-1, 0}).shadow, Shadow::kApproximate);
}

// NaN and infinity: anything may come of them unless a mode says they are kept.
TEST(Shadows, NotANumber) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const char* body :
       {"$r = OpFSub %f32 $0 $0", "$r = OpFMul %f32 $0 $1", "$r = OpFDiv %f32 $1 $1"}) {
    EXPECT_EQ(Compute(body, {infinity, 0, 0}).shadow, Shadow::kApproximate) << body;
  }
  EXPECT_EQ(Compute("$r = OpFAdd %f32 $0 $1", {3e38f, 3e38f}).shadow, Shadow::kApproximate);
  EXPECT_EQ(Compute("$r = OpFDiv %f32 $0 $1", {1, 0}).shadow, Shadow::kApproximate);
  ExpectShadow(Compute("$r = OpFAdd %f32 $0 $1", {infinity, 1}, "", "SignedZeroInfNanPreserve"),
               infinity, Shadow::kExact, "kept");
}

// --- images

constexpr const char* kIn = "layout(std430, binding = 0) readonly buffer In { int k[]; };\n";

RunReport Draw(const std::string& body, const std::vector<int32_t>& values, uint32_t width) {
  const auto module = CompiledShader("t.frag", format("{}{}", kIn, body));
  EXPECT_TRUE(module);
  Bindings bindings;
  bindings.width = width;
  bindings.height = 1;
  std::vector<uint32_t> words(values.begin(), values.end());
  words.resize(std::max<size_t>(words.size(), 1));
  bindings.buffers = {StorageBuffer(0, BytesOfWords(words))};
  const auto program = ProgramOf(*module, bindings);
  RunReport report = refract::Run(*program);
  EXPECT_FALSE(report.trap) << report.trap->message;
  return report;
}

// Of every level: however the product is rounded, it is the same byte.
TEST(Shadows, LevelsOfA255th) {
  std::vector<int32_t> levels;
  for (int32_t i = 0; i < 256; ++i) levels.push_back(i);
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
void main() {
  float x = float(k[int(gl_FragCoord.x)]);
  c = vec4(x * (1.0 / 255.0), x / 255.0, 0.0, 1.0);
})",
                                levels, 256);
  const std::string& texels = report.outputs.targets.at(0).texels;
  for (size_t i = 0; i < 256; ++i) {
    EXPECT_EQ(static_cast<uint8_t>(texels[4 * i]), i);
    EXPECT_EQ(static_cast<uint8_t>(texels[4 * i + 1]), i);
  }
  EXPECT_EQ(report.target_shadows.at(0), std::string(1024, '\0'));
  EXPECT_FALSE(report.near_boundary);
}

TEST(Shadows, LevelsNearABoundary) {
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
void main() { c = vec4(float(k[0]) * 0.25, 0.0, 0.0, 1.0); })",
                                {2}, 1);
  EXPECT_TRUE(report.near_boundary);
  EXPECT_FALSE(report.Exact());
}

std::string ShadowsOf(const RunReport& report, size_t target = 0) {
  std::string text;
  for (const char shadow : report.target_shadows.at(target))
    text += static_cast<char>('0' + shadow);
  return text;
}

TEST(Outputs, NeverWritten) {
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
void main() { if (k[int(gl_FragCoord.x)] == 1) c = vec4(1); })",
                                {1, 0, 1, 1}, 4);
  EXPECT_EQ(ShadowsOf(report), "0000222200000000");
  EXPECT_FALSE(report.OutputsDefined());
}

TEST(Outputs, PartlyWritten) {
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
layout(location = 1) out uvec2 u;
void main() { c.xz = vec2(1); if (k[int(gl_FragCoord.x)] == 1) c.w = 0.0; u.y = 7u; u.x = 3u; })",
                                {1, 0}, 2);
  EXPECT_EQ(ShadowsOf(report), "02000202");
  EXPECT_EQ(ShadowsOf(report, 1), "00000000");
  EXPECT_FALSE(report.OutputsDefined());
}

TEST(Outputs, AllWritten) {
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
void main() { c = vec4(1); c.y = 0.0; })",
                                {}, 2);
  EXPECT_EQ(ShadowsOf(report), "00000000");
  EXPECT_TRUE(report.OutputsDefined());
}

TEST(Outputs, DiscardedIsNotUndefined) {
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
void main() { if (k[int(gl_FragCoord.x)] == 1) discard; c = vec4(1); })",
                                {0, 1}, 2);
  EXPECT_EQ(ShadowsOf(report), "00000000");
  EXPECT_TRUE(report.OutputsDefined());
  EXPECT_EQ(report.outputs.targets.at(0).texels, std::string("\xff\xff\xff\xff\0\0\0\0", 8));
}

// An undefined value may be drawn; the image shows it.
TEST(Outputs, UndefinedValues) {
  const RunReport report = Draw(R"(layout(location = 0) out vec4 c;
void main() {
  int by = k[int(gl_FragCoord.x)];
  c = vec4(sqrt(float(by)), float(1 << (by + 30)), normalize(vec2(float(by), 0.0)).x, 1.0);
})",
                                {1, -1, 0, 2}, 4);
  const std::string shadows = ShadowsOf(report);
  EXPECT_EQ(shadows.substr(4, 1), "2");
  EXPECT_EQ(shadows.substr(10, 1), "2");
  EXPECT_EQ(shadows.substr(13, 1), "2");
  EXPECT_EQ(shadows[15], '0');
  EXPECT_FALSE(report.OutputsDefined());
}

}  // namespace
}  // namespace refract
