// SPDX-License-Identifier: Apache-2.0
// Verdicts of the interpreter on whole shaders, and whether `stable` is reliable.
// tests/measure/corpus.cpp compares the references with drivers.
#include "target/original_check.h"

#include <gtest/gtest.h>

#include <cstdlib>

#include "driver/run.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "ir/tools.h"

namespace refract {
namespace {

struct Ready {
  Module module;
  Bindings bindings;
  std::optional<Program> program;
  std::string entry;
};

// Fills `ready` in place, because the program points to the module.
void Prepare(const std::vector<uint32_t>& words, const Inputs& inputs, Ready* ready) {
  Result<Module> module = ReadModule(words, "test");
  ASSERT_TRUE(module) << module.error().message;
  ready->module = std::move(*module);
  const Result<EntryPoint> entry = FindEntryPoint(ready->module, "", "test");
  ASSERT_TRUE(entry) << entry.error().message;
  ready->entry = entry->name;
  Result<ResolvedInputs> resolved = Resolve(ready->module, *entry, inputs, "test");
  ASSERT_TRUE(resolved) << resolved.error().message;
  ready->bindings = std::move(resolved->bindings);
  Result<Program> program = Program::Decode(ready->module, *entry, ready->bindings, "test");
  ASSERT_TRUE(program) << program.error().message;
  ready->program.emplace(std::move(*program));
}

std::vector<uint32_t> Compiled(const std::string& body, const std::string& head = "") {
  const Result<LoadedModule> loaded = LoadModuleBytes(
      "test.frag", "#version 450\n" + head + "layout(location = 0) out vec4 c;\nvoid main() {\n" +
                       body + "\n}\n");
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? loaded->words : std::vector<uint32_t>();
}

Inputs Frame(uint32_t side) {
  Inputs inputs;
  inputs.has_framebuffer = true;
  inputs.width = inputs.height = side;
  return inputs;
}

// `make soak OF=interpreter` tests everything, `make test` a part.
bool Full() {
  return std::getenv("REFRACT_FULL") != nullptr;
}

OriginalCheck Judged(const std::string& body, uint32_t side = 32) {
  Ready ready;
  Prepare(Compiled(body), Frame(side), &ready);
  const Result<OriginalCheck> judged = CheckOriginalProgram(*ready.program, {}, "test", {});
  EXPECT_TRUE(judged) << judged.error().message;
  return judged ? *judged : OriginalCheck();
}

TEST(Judge, ExactMeansOneValue) {
  EXPECT_EQ(Judged("c = vec4(int(gl_FragCoord.x) & 1, 0, 0, 1);").stability, Stability::kExact);
  // A product that is rounded, but far from a boundary between levels.
  EXPECT_EQ(Judged("c = vec4(vec3(int(gl_FragCoord.x)) * (1.0 / 255.0), 1);").stability,
            Stability::kExact);
  // In the middle between two levels: both are correct.
  EXPECT_NE(Judged("c = vec4(0.5);").stability, Stability::kExact);
  // Exact in this order of operations, but not in another.
  EXPECT_NE(
      Judged("float x = gl_FragCoord.x; c = vec4((1.0e9 * x + 0.25) - 1.0e9 * x > 0.1);").stability,
      Stability::kExact);
  EXPECT_EQ(Judged("precise float x = gl_FragCoord.x; c = vec4((8.0 * x + 0.25) - 8.0 * x > 0.1);")
                .stability,
            Stability::kExact);
}

TEST(Judge, StableMeansSmallDifferences) {
  const OriginalCheck waves =
      Judged("c = vec4(sin(gl_FragCoord.x * 0.05) * 0.5 + 0.5, 0, 0, 1);", 48);
  EXPECT_EQ(waves.stability, Stability::kStable);
  EXPECT_LE(waves.largest_change, 1u);
  // Magnifies the last bits of a sine.
  const OriginalCheck noise =
      Judged("c = vec4(fract(sin(gl_FragCoord.x * 0.05) * 43758.5), 0, 0, 1);");
  EXPECT_EQ(noise.stability, Stability::kUnstable);
  EXPECT_GT(noise.largest_change, 8u);
  // The rounding of a division decides a comparison, on a whole line of pixels.
  EXPECT_EQ(Judged("c = vec4(gl_FragCoord.x / gl_FragCoord.x == 1.0);").stability,
            Stability::kUnstable);
}

TEST(Judge, ReportsUndefinedBehaviour) {
  const auto one = [](const std::string& body) {
    const OriginalCheck judged = Judged(body);
    return judged.undefined.empty() ? std::string() : judged.undefined[0];
  };
  EXPECT_NE(one("int x = int(gl_FragCoord.x) - 3; c = vec4(7 / x);").find("division by zero"),
            std::string::npos);
  EXPECT_NE(one("int x = int(gl_FragCoord.x) - 3; c = vec4(7 / x);").find("invocation (3, 0, 0)"),
            std::string::npos);
  EXPECT_NE(one("if (gl_FragCoord.x > 3.0) c = vec4(1);").find("undefined in 384 components"),
            std::string::npos);
  EXPECT_EQ(one("if (gl_FragCoord.x > 3.0) c = vec4(1); else discard;"), "");
}

TEST(Judge, NullPointersAndIndicesIntoScalarsDoNotCrash) {
  const auto judge = [](const std::string& constant, const std::string& body) {
    const Result<std::vector<uint32_t>> words = Assemble(
        "OpCapability Shader\nOpCapability VariablePointers\nOpMemoryModel Logical GLSL450\n"
        "OpEntryPoint GLCompute %main \"main\"\nOpExecutionMode %main LocalSize 1 1 1\n"
        "%void = OpTypeVoid\n%type = OpTypeFunction %void\n%uint = OpTypeInt 32 0\n"
        "%pointer = OpTypePointer StorageBuffer %uint\n%one = OpConstant %uint 1\n" +
            constant + "%main = OpFunction %void None %type\n%label = OpLabel\n" + body +
            "OpReturn\nOpFunctionEnd\n",
        TargetEnvironment::kUniversal13);
    EXPECT_TRUE(words) << words.error().message;
    const Result<Module> module = ReadModule(*words, "test");
    EXPECT_TRUE(module);
    const Result<EntryPoint> entry = FindEntryPoint(*module, "", "test");
    const Result<Program> program = Program::Decode(*module, *entry, {}, "test");
    if (!program) return program.error().message;
    const RunReport report = refract::Run(*program);
    return report.trap ? report.trap->message : std::string();
  };
  EXPECT_NE(judge("%null = OpConstantNull %pointer\n", "%x = OpLoad %uint %null\n")
                .find("the pointer is null"),
            std::string::npos);
  // The validator does not check the operands of OpSpecConstantOp.
  EXPECT_NE(judge("%part = OpSpecConstantOp %uint CompositeExtract %one 0\n", "")
                .find("an index is out of range"),
            std::string::npos);
}

// Tests the stability test: images with perturbed rounding agree under the rule, and images with
// something moved or a patch inverted do not.
TEST(Judge, PerturbedImagesAgreeUnderTheRule) {
  const char* const bodies[] = {
      "vec2 p = gl_FragCoord.xy / 64.0; c = vec4(p, sqrt(p.x * p.y), 1);",
      "vec2 p = gl_FragCoord.xy / 64.0 - 0.5; c = vec4(exp(-8.0 * dot(p, p)), length(p), 0, 1);",
      "float a = atan(gl_FragCoord.y, gl_FragCoord.x); c = vec4(a * 0.6, cos(a), sin(a), 1);",
      "vec3 n = normalize(vec3(gl_FragCoord.xy - 32.0, 20.0)); c = vec4(n * 0.5 + 0.5, 1);",
  };
  int pictures = 0, changed = 0;
  for (const char* body : bodies) {
    SCOPED_TRACE(body);
    Ready ready;
    Prepare(Compiled(body), Frame(64), &ready);
    const RunReport base = refract::Run(*ready.program);
    const Image picture = ImageAtLocation0(base.outputs);
    ComparisonRule bounded = CompareRule::kBounded;
    bounded.bounds = std::make_shared<const std::vector<LevelBounds>>(base.target_bounds);
    bounded.thresholds.slack = 0;
    for (uint64_t seed = 1; seed <= (Full() ? 250 : 25); ++seed, ++pictures) {
      RunOptions options;
      options.perturb = seed;
      const Image perturbed = ImageAtLocation0(refract::Run(*ready.program, options).outputs);
      changed += !(perturbed == picture);
      EXPECT_TRUE(Agree(Compare(picture, perturbed), CompareRule::kStable)) << seed;
      EXPECT_TRUE(Agree(Compare(picture, perturbed, bounded), bounded)) << seed;
    }
    Image inverted = picture;
    for (uint32_t y = 20; y < 25; ++y) {
      for (uint32_t x = 30; x < 35; ++x) {
        for (int k = 0; k < 3; ++k) inverted.pixel(64 * y + x)[k] ^= 0xff;
      }
    }
    EXPECT_FALSE(Agree(Compare(picture, inverted), CompareRule::kStable));
    EXPECT_FALSE(Agree(Compare(picture, inverted, bounded), bounded));
    Image moved = picture;  // copies an 8x8 square from one corner to another
    for (uint32_t y = 0; y < 8; ++y) {
      for (uint32_t x = 0; x < 8; ++x) {
        std::copy_n(picture.pixel(64 * y + x), 4, moved.pixel(64 * (y + 50) + x + 50));
      }
    }
    EXPECT_FALSE(Agree(Compare(picture, moved), CompareRule::kStable));
  }
  EXPECT_EQ(pictures, Full() ? 1000 : 100);
  EXPECT_GT(changed, pictures / 4);  // something was perturbed
}

}  // namespace
}  // namespace refract
