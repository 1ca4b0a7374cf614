// SPDX-License-Identifier: Apache-2.0
// Tests the measures of the corpus themselves: they notice what they should, and nothing else.
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "measure/faults.h"
#include "measure/measurement.h"

namespace refract::measure {
namespace {

constexpr char kColumnSort[] = REFRACT_SOURCE_DIR "/references/column_sort.frag";

Reference Loaded(const std::string& name, const std::string& source, const std::string& inputs) {
  const auto folder = TemporaryFolder::Make();
  EXPECT_TRUE(folder);
  const std::string file = folder->path() + "/" + name;
  EXPECT_TRUE(WriteFile(file, source));
  EXPECT_TRUE(WriteFile(ReplaceExtension(file, ".json"), inputs));
  Result<Reference> reference = LoadReference(file);
  EXPECT_TRUE(reference) << reference.error().message;
  return reference ? std::move(*reference) : Reference();
}

// A fragment shader whose body sets `int v` and which draws `v & mask`.
Reference Small(const std::string& body, int mask) {
  return Loaded("small.frag",
                "#version 310 es\n// Draws a number. It is stable.\nprecision highp float;\n"
                "layout(location = 0) out vec4 color;\n"
                "layout(binding = 0) uniform block { int mask; };\n"
                "void main() {\n  int x = int(gl_FragCoord.x), y = int(gl_FragCoord.y), v = 0;\n" +
                    body + "\n  color = vec4(float(v & mask) / 255.0, 0.0, 0.0, 1.0);\n}\n",
                "{\"mask\": {\"func\": \"glUniform1i\", \"args\": [" + std::to_string(mask) +
                    "], \"binding\": 0}, \"$framebuffer\": {\"width\": 16, \"height\": 16}}\n");
}

constexpr char kBusy[] =
    "for (int i = 0; i < 5; i++) { v = v * 7 + (x ^ (y << 2)) - i; if (v > 60) v -= 50; }";

TEST(SharedLines, AreAllForACopyAndFewForAnotherShader) {
  const auto column_sort = LoadReference(kColumnSort);
  const auto other = LoadReference(REFRACT_SOURCE_DIR "/references/fixed_mandelbrot.frag");
  ASSERT_TRUE(column_sort && other);
  EXPECT_EQ(SharedPercent(column_sort->code, column_sort->code), 100);
  EXPECT_LT(SharedPercent(column_sort->code, other->code), 33);
  EXPECT_EQ(SharedPercent({}, other->code), 0);
  // Other names and one more constant: it still counts as the same code.
  const Reference a = Small(kBusy, 255);
  const Reference b = Small("int w = 3;" + std::string(kBusy) + " v += w;", 255);
  EXPECT_GT(SharedPercent(a.code, b.code), 80);
  EXPECT_LT(SharedPercent(b.code, a.code), 100);
}

TEST(FaultInjector, AreOfEveryKindDistinctAndDeterminedByTheSeed) {
  const auto reference = LoadReference(kColumnSort);
  ASSERT_TRUE(reference);
  const auto module = ReadModule(reference->subject.job.spirv, "column_sort");
  ASSERT_TRUE(module);
  const auto entry = EntryPoints(*module).front();
  const auto program =
      Program::Decode(*module, entry, reference->subject.job.bindings, "column_sort");
  ASSERT_TRUE(program);
  RunOptions options;
  options.trace = true;
  options.sample = {0, 77, 2000};
  const RunReport report = refract::Run(*program, options);
  FaultInjector first(*module, report.blocks, 1), again(*module, report.blocks, 1);
  std::set<std::vector<uint32_t>> modules;
  std::map<FaultKind, int> kinds;
  for (int i = 0; i < 300; ++i) {
    const auto fault = first.Draw(), same = again.Draw();
    ASSERT_TRUE(fault && same);
    const std::vector<uint32_t> words = WriteModule(fault->module);
    EXPECT_EQ(words, WriteModule(same->module));
    EXPECT_NE(words, reference->subject.job.spirv);
    EXPECT_TRUE(modules.insert(words).second);
    ++kinds[fault->kind];
  }
  EXPECT_EQ(kinds.size(), kFaultKinds.size());
  // Nothing was executed, so there is no fault to draw.
  EXPECT_FALSE(FaultInjector(*module, {}, 1).Draw());
}

TEST(Sensitivity, IsHighIfAllBitsAreDrawnAndLowIfNoneIs) {
  const auto seen = MeasureSensitivity(Small(kBusy, 255).subject, "busy", 60);
  const auto hidden = MeasureSensitivity(Small(kBusy, 0).subject, "busy", 60);
  ASSERT_TRUE(seen && hidden);
  EXPECT_GT(seen->Percent(), 85);
  EXPECT_LT(hidden->Percent(), 70);  // only the mask and the colour still matter
  const FaultTally total = hidden->Total();
  EXPECT_EQ(total.noticed() + total.unchanged, 60u);
  EXPECT_EQ(hidden->unnoticed.size(), total.unchanged);
}

TEST(Sensitivity, EndlessLoopsEnd) {
  const auto sensitivity = MeasureSensitivity(Small(kBusy, 255).subject, "loops", 200);
  ASSERT_TRUE(sensitivity);
  EXPECT_GT(sensitivity->Total().endless, 0u);
}

TEST(Goldens, KeepEveryBit) {
  Outputs outputs;
  Bindings before;
  BoundBuffer input{0, 1, true, std::string(8, 'a')}, output{2, 3, true, std::string(65 * 4, 'b')};
  before.buffers = {input, output};
  output.bytes.replace(64 * 4, 4, "\x01\x02\x03\x04");
  outputs.buffers = {input, output};
  const std::vector<Golden> goldens = GoldensOf("name", outputs, before);
  ASSERT_EQ(goldens.size(), 1u);  // an unchanged buffer is not an output
  EXPECT_EQ(goldens[0].file, "name.png");
  const Image& picture = goldens[0].picture;
  EXPECT_EQ(picture.width, 64u);
  EXPECT_EQ(picture.height, 4u);
  const uint8_t* low = picture.pixel(64);
  const uint8_t* high = picture.pixel(3 * 64);
  EXPECT_EQ(std::vector<int>(low, low + 4), (std::vector<int>{1, 2, 3, 255}));
  EXPECT_EQ(std::vector<int>(high, high + 4), (std::vector<int>{4, 4, 4, 255}));
  const Variety variety = VarietyOf(outputs, before);
  EXPECT_TRUE(variety.words);
  EXPECT_EQ(variety.different, 2u);
  EXPECT_EQ(variety.bytes, 65u * 4);
}

TEST(Corpus, ComplainsAboutWhatIsNotAsRequired) {
  const auto folder = TemporaryFolder::Make();
  ASSERT_TRUE(folder);
  Harness harness;
  MeasureOptions options;
  options.goldens = folder->path();
  const Reference small = Small(kBusy, 255);
  EXPECT_EQ(small.title, "Draws a number.");
  // Too few lines and instructions, and no golden.
  EXPECT_EQ(UnmetGoals(Measure(small, options, harness)).size(), 3u);
  options.bless = true;
  EXPECT_EQ(UnmetGoals(Measure(small, options, harness)).size(), 2u);
  options.bless = false;
  EXPECT_EQ(UnmetGoals(Measure(small, options, harness)).size(), 2u);
  // The image is black, and so differs from the golden.
  const std::vector<std::string> complaints =
      UnmetGoals(Measure(Small(kBusy, 0), options, harness));
  ASSERT_EQ(complaints.size(), 5u);
  EXPECT_EQ(complaints[2], "1 different colours, wanted 6");
  EXPECT_EQ(complaints[3], "100.0 % are one of the colours, wanted at most 60 %");
  EXPECT_TRUE(complaints[4].starts_with("small.png differs from what is drawn in"));
}

TEST(Corpus, TitlesAreFirstSentences) {
  EXPECT_EQ(TitleOf("#version 450\n// SPDX-License-Identifier: X\n// Draws a cat. And a dog.\n"),
            "Draws a cat.");
  EXPECT_EQ(
      TitleOf("; SPIR-V\n; Version: 1.4\n; Draws a\n; dog\n\n; Stable.\nOpCapability Shader\n"),
      "Draws a dog");
  EXPECT_EQ(TitleOf("#version 450\nvoid main() {}\n// Late.\n"), "");
}

}  // namespace
}  // namespace refract::measure
