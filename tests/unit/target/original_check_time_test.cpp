// SPDX-License-Identifier: Apache-2.0
// The interpreter under a time limit: runs end, verdicts are about a sample, and results that took
// long are cached.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <set>
#include <string>

#include "base/deadline.h"
#include "base/file.h"
#include "base/temporary_folder.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "target/cached_original_check.h"
#include "target/sample.h"

namespace refract {
namespace {

// A shader ready to run. It stays in place, because the program points to the module.
struct Shader {
  Shader(const std::string& file, const std::string& source, const Inputs& inputs) {
    const Result<LoadedModule> loaded = LoadModuleBytes(file, source);
    EXPECT_TRUE(loaded) << loaded.error().message;
    job.spirv = loaded->words;
    module.emplace(*ReadModule(job.spirv, file));
    const EntryPoint entry = *FindEntryPoint(*module, "", file);
    job.entry = entry.name;
    job.bindings = Resolve(*module, entry, inputs, file)->bindings;
    program.emplace(*Program::Decode(*module, entry, job.bindings, file));
  }
  Shader(const Shader&) = delete;
  Shader& operator=(const Shader&) = delete;

  Job job;
  std::optional<Module> module;
  std::optional<Program> program;
};

Inputs Frame(uint32_t width, uint32_t height) {
  Inputs inputs;
  inputs.has_framebuffer = true;
  inputs.width = width;
  inputs.height = height;
  return inputs;
}

Inputs Groups(uint32_t x, uint32_t y, uint32_t z) {
  Inputs inputs;
  inputs.compute.emplace();
  inputs.compute->groups[0] = x;
  inputs.compute->groups[1] = y;
  inputs.compute->groups[2] = z;
  return inputs;
}

std::string Fragment(const std::string& body) {
  return "#version 450\nlayout(location = 0) out vec4 c;\nvoid main() {\n" + body + "\n}\n";
}

// A loop with `times` iterations for each pixel, about 9 steps per iteration. Exact.
std::string Loops(uint32_t times) {
  return Fragment("uint x = uint(gl_FragCoord.x);\nfor (uint i = 0u; i < " + std::to_string(times) +
                  "u; ++i) x = x * 5u + 1u;\nc = vec4(float(x & 1u));");
}

TEST(Deadline, EndsARunAtOnceAsALimit) {
  std::atomic<bool> stop{true};
  RunOptions options;
  options.deadline = Deadline::In(0, &stop);
  EXPECT_TRUE(options.deadline.HasPassed());
  for (const uint32_t threads : {1u, 4u}) {
    Shader shader("loops.frag", Loops(100000), Frame(64, 64));
    options.threads = threads;
    const RunReport report = refract::Run(*shader.program, options);
    ASSERT_TRUE(report.trap);
    EXPECT_EQ(report.trap->kind, Trap::Kind::kLimit);
    EXPECT_TRUE(report.trap->out_of_time);
    EXPECT_LE(report.steps, uint64_t{threads} << 17);
  }
}

TEST(Deadline, EndsARunInTheMiddleOfABlock) {
  std::atomic<bool> stop{true};
  RunOptions options;
  options.deadline = Deadline::In(0, &stop);
  std::string body = "uint x = uint(gl_FragCoord.x);\n";
  for (int i = 0; i < 2000; ++i) body += "x = x * 5u + 1u;\n";
  Shader shader("line.frag", Fragment(body + "c = vec4(float(x & 1u));"), Frame(16, 16));
  const RunReport report = refract::Run(*shader.program, options);
  ASSERT_TRUE(report.trap);
  EXPECT_TRUE(report.trap->out_of_time);
}

TEST(Deadline, DoesNotChangeARunThatEndsInTime) {
  Shader shader("loops.frag", Loops(2000), Frame(32, 32));
  const RunReport free = refract::Run(*shader.program);
  RunOptions options;
  options.deadline = Deadline::In(1000);
  const RunReport timed = refract::Run(*shader.program, options);
  EXPECT_FALSE(timed.trap);
  EXPECT_EQ(free.outputs, timed.outputs);
  EXPECT_EQ(free.steps, timed.steps);
}

TEST(Deadline, IsNeverByDefault) {
  EXPECT_TRUE(Deadline().is_never());
  EXPECT_TRUE(Deadline::In(0).is_never());
  EXPECT_FALSE(Deadline().HasPassed());
  const Deadline soon = Deadline::In(1000);
  EXPECT_FALSE(soon.HasPassed());
  EXPECT_GT(soon.Left(), 900);
  EXPECT_LE(soon.Left(), 1000);
}

TEST(Sample, IsSpreadOverTheImage) {
  Shader shader("a.frag", Loops(1), Frame(256, 128));
  EXPECT_EQ(CountSampleUnits(*shader.program), 128u * 64);
  EXPECT_TRUE(SpreadSample(*shader.program, 128 * 64).empty());
  for (const uint64_t count : {1u, 4u, 64u, 1000u, 4096u}) {
    const std::vector<uint32_t> sample = SpreadSample(*shader.program, count);
    EXPECT_EQ(sample, SpreadSample(*shader.program, count));
    EXPECT_GE(sample.size() * 2, count);
    EXPECT_LE(sample.size(), count);
    EXPECT_TRUE(std::is_sorted(sample.begin(), sample.end()));
    EXPECT_EQ(std::set<uint32_t>(sample.begin(), sample.end()).size(), sample.size());
    EXPECT_LT(sample.back(), 128u * 64);
    if (count < 1000) continue;
    // Each of 32 squares has about as many.
    std::vector<size_t> squares(32);
    for (const uint32_t quad : sample) ++squares[quad / 128 / 16 * 8 + quad % 128 / 16];
    const auto [least, most] = std::minmax_element(squares.begin(), squares.end());
    EXPECT_GE(*least * 2, sample.size() / 32) << count;
    EXPECT_LE(*most, 2 * (sample.size() / 32 + 1)) << count;
  }
}

TEST(Sample, DescribesItsExtent) {
  Shader odd("a.frag", Loops(1), Frame(5, 3));
  EXPECT_EQ(ExtentText(ExtentOf(*odd.program, {})), "all 15 pixels");
  EXPECT_EQ(ExtentText(ExtentOf(*odd.program, {0, 2, 5})), "7 of 15 pixels");
  Shader large("a.frag", Loops(1), Frame(1024, 1024));
  EXPECT_EQ(ExtentText(ExtentOf(*large.program, SpreadSample(*large.program, 1024))),
            "4,096 of 1,048,576 pixels");
  Shader dispatch("a.comp", "#version 450\nvoid main() {}\n", Groups(4, 2, 2));
  EXPECT_EQ(CountSampleUnits(*dispatch.program), 16u);
  EXPECT_EQ(ExtentText(ExtentOf(*dispatch.program, SpreadSample(*dispatch.program, 4))),
            "4 of 16 workgroups");
}

TEST(Sample, OnlyTheSampleIsCompared) {
  Shader shader("a.frag", Fragment("c = vec4(1);"), Frame(5, 3));
  const RunReport whole = refract::Run(*shader.program);
  RunOptions options;
  options.sample = {0, 5};
  RunReport part = refract::Run(*shader.program, options);
  EXPECT_NE(part.outputs, whole.outputs);
  CopyUnsampled(options.sample, whole.outputs, 1, &part.outputs);
  EXPECT_EQ(part.outputs, whole.outputs);
  // A difference in a pixel of the sample is kept; one in a pixel outside is not.
  Outputs other = whole.outputs;
  other.targets[0].texels[4 * (2 * 5 + 4)] = 7;
  CopyUnsampled(options.sample, other, 1, &part.outputs);
  EXPECT_NE(part.outputs, other);
  other = whole.outputs;
  other.targets[0].texels[4 * 3] = 7;
  CopyUnsampled(options.sample, other, 1, &part.outputs);
  EXPECT_EQ(part.outputs, other);
}

TEST(JudgeTime, ALongRunGivesAVerdictOnASample) {
  Shader shader("loops.frag", Loops(100000), Frame(512, 512));
  OriginalCheckOptions options;
  options.time_limit = 1;
  const Result<OriginalCheck> judged = CheckOriginalProgram(*shader.program, {}, "test", options);
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_TRUE(judged->well_defined());
  EXPECT_GT(judged->extent.looked_at, 0u);
  EXPECT_LT(judged->extent.looked_at, 512u * 512 / 4);
  EXPECT_EQ(judged->extent.looked_at, 4 * judged->sample.size());
  // All of the sample is exact, but the verdict exact requires the whole image.
  EXPECT_EQ(judged->stability, Stability::kStable);
  EXPECT_EQ(RuleFor(*judged).kind, CompareRule::kBounded);
  EXPECT_EQ(RuleFor(*judged).rest, CompareRule::kSpatial);
  // The same sample again, as for the comparison with a variant.
  options.may_sample = false;
  options.sample = judged->sample;
  options.time_limit = 60;
  const Result<OriginalCheck> again = CheckOriginalProgram(*shader.program, {}, "test", options);
  ASSERT_TRUE(again) << again.error().message;
  EXPECT_EQ(again->sample, judged->sample);
  EXPECT_EQ(again->report.outputs, judged->report.outputs);
}

TEST(JudgeTime, AShortRunCoversTheWholeImage) {
  Shader shader("cheap.frag", Fragment("c = vec4(1);"), Frame(64, 64));
  OriginalCheckOptions options;
  options.time_limit = 60;
  const Result<OriginalCheck> judged = CheckOriginalProgram(*shader.program, {}, "test", options);
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_TRUE(judged->extent.is_whole());
  EXPECT_EQ(judged->stability, Stability::kExact);
  EXPECT_EQ(RuleFor(*judged).kind, CompareRule::kExact);
}

TEST(JudgeTime, FindsUndefinedBehaviourInASample) {
  Shader shader("loops.frag",
                Fragment("uint x = uint(gl_FragCoord.x);\n"
                         "for (uint i = 0u; i < 100000u; ++i) x = x * 5u + 1u;\n"
                         "c = vec4(float(1u / ((x & 1u) >> 1)));"),
                Frame(512, 512));
  OriginalCheckOptions options;
  options.time_limit = 1;
  const Result<OriginalCheck> judged = CheckOriginalProgram(*shader.program, {}, "test", options);
  ASSERT_TRUE(judged) << judged.error().message;
  ASSERT_FALSE(judged->well_defined());
  EXPECT_NE(judged->undefined[0].find("division by zero"), std::string::npos);
}

TEST(JudgeTime, GivesNoVerdictIfOneUnitTakesTooLong) {
  Shader shader("loops.comp",
                "#version 450\nlayout(local_size_x = 256) in;\nvoid main() {\nuint x = 1u;\n"
                "for (uint i = 0u; i < 400000u; ++i) x = x * 5u + 1u;\n}\n",
                Groups(1, 1, 1));
  OriginalCheckOptions options;
  options.time_limit = 0.01;
  const Result<OriginalCheck> judged = CheckOriginalProgram(*shader.program, {}, "test", options);
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_EQ(judged->extent.looked_at, 0u);
  EXPECT_EQ(RuleFor(*judged).kind, CompareRule::kSpatial);
  options.may_sample = false;
  EXPECT_FALSE(CheckOriginalProgram(*shader.program, {}, "test", options));
}

class JudgeCache : public testing::Test {
 protected:
  Result<OriginalCheck> Judge(const Shader& shader, double seconds) {
    OriginalCheckOptions options;
    options.time_limit = seconds;
    return CheckOriginalJob(*shader.module, shader.job, {}, "test", options, cache_);
  }
  size_t Files() const { return ListFiles(folder_.path())->size(); }

  TemporaryFolder folder_ = *TemporaryFolder::Make();
  Cache cache_{folder_.path() + "/c", {}};
};

TEST_F(JudgeCache, KeepsResultsThatTookLong) {
  Shader shader("loops.frag", Loops(100000), Frame(512, 512));
  const Result<OriginalCheck> first = Judge(shader, 1);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_GT(first->extent.looked_at, 0u);
  EXPECT_EQ(Files(), 1u);
  // Without the cache, so little time would give no result.
  const Result<OriginalCheck> second = Judge(shader, 1e-6);
  ASSERT_TRUE(second) << second.error().message;
  EXPECT_EQ(second->extent.looked_at, first->extent.looked_at);
  EXPECT_EQ(second->sample, first->sample);
  EXPECT_EQ(second->stability, first->stability);
  EXPECT_EQ(second->report.outputs, first->report.outputs);
  EXPECT_EQ(second->report.target_shadows, first->report.target_shadows);
  EXPECT_EQ(second->report.target_bounds, first->report.target_bounds);
  EXPECT_EQ(second->report.steps, first->report.steps);
  // The cache has no entry for other inputs.
  Shader other("loops.frag", Loops(100000), Frame(512, 510));
  const Result<OriginalCheck> third = Judge(other, 1e-6);
  ASSERT_TRUE(third) << third.error().message;
  EXPECT_EQ(third->extent.looked_at, 0u);
}

TEST_F(JudgeCache, TheWholeReplacesASample) {
  Shader shader("loops.frag", Loops(30000), Frame(64, 64));
  const Result<OriginalCheck> first = Judge(shader, 0.25);
  ASSERT_TRUE(first) << first.error().message;
  ASSERT_FALSE(first->extent.is_whole());
  const Result<OriginalCheck> whole = Judge(shader, 0);
  ASSERT_TRUE(whole) << whole.error().message;
  EXPECT_TRUE(whole->extent.is_whole());
  EXPECT_EQ(whole->stability, Stability::kExact);
  const Result<OriginalCheck> kept = Judge(shader, 1e-6);
  ASSERT_TRUE(kept) << kept.error().message;
  EXPECT_TRUE(kept->extent.is_whole());
  EXPECT_EQ(kept->report.outputs, whole->report.outputs);
  EXPECT_EQ(Files(), 1u);
}

TEST_F(JudgeCache, DoesNotKeepResultsThatAreQuick) {
  Shader shader("cheap.frag", Fragment("c = vec4(1);"), Frame(16, 16));
  ASSERT_TRUE(Judge(shader, 10));
  EXPECT_EQ(Files(), 0u);
}

}  // namespace
}  // namespace refract
