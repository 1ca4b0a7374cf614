// SPDX-License-Identifier: Apache-2.0
// Shaders and inputs as users provide them, written for OpenGL ES and OpenGL (tests/jobs): they
// compile, all values are assigned by name, drivers draw the same as the interpreter, and they can
// be fuzzed. A comment in each file of tests/jobs/refused gives the expected error: "refused LINE:
// what".
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/harness.h"
#include "target/original_check.h"
#include "unit/shared/plain_error.h"

namespace refract {
namespace {

const std::string kFolder = REFRACT_SOURCE_DIR "/tests/jobs";

// File names in tests/jobs, or in tests/jobs/refused.
std::vector<std::string> Shaders(bool refused) {
  std::vector<std::string> names;
  const auto files = ListFiles(kFolder);
  if (!files) return names;
  for (const std::string& file : *files) {
    const std::string name = file.substr(kFolder.size() + 1);
    if (IsModuleFile(file) && name.starts_with("refused/") == refused) names.push_back(name);
  }
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return c == '.' || c == '/'; }, '_');
  return name;
}

// A fragment shader that has a vertex shader in the same folder needs its outputs.
bool CanRun(const std::string& path) {
  return Extension(path) != ".vert" && !FileExists(ReplaceExtension(path, ".vert"));
}

struct Ready {
  Bindings bindings;
  std::optional<Program> program;
};

void MakeReady(const std::vector<uint32_t>& words, const Inputs& inputs, const std::string& path,
               Ready* ready) {
  const auto module = ReadModule(words, path);
  ASSERT_TRUE(module) << module.error().message;
  const auto entry = FindEntryPoint(*module, "main", path);
  ASSERT_TRUE(entry) << entry.error().message;
  auto resolved = Resolve(*module, *entry, inputs, path);
  ASSERT_TRUE(resolved) << resolved.error().message;
  if (!CanRun(path)) return;  // each of the two stages uses only some of the inputs
  // Steps may add an input that is not read yet.
  std::erase_if(resolved->unused,
                [](const std::string& name) { return name.starts_with("added"); });
  EXPECT_EQ(resolved->unused, std::vector<std::string>());
  ready->bindings = std::move(resolved->bindings);
  auto program = Program::Decode(*module, *entry, ready->bindings, path);
  ASSERT_TRUE(program) << program.error().message;
  ready->program = std::move(*program);
}

bool SamePicture(const Outputs& a, const Outputs& b, Stability stability) {
  if (stability == Stability::kExact) return a == b;
  return Agree(Compare(ImageAtLocation0(a), ImageAtLocation0(b)), RuleFor(stability));
}

class Jobs : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    path_ = kFolder + "/" + GetParam();
    auto loaded = LoadModuleFile(path_);
    ASSERT_TRUE(loaded) << loaded.error().message;
    loaded_ = std::move(*loaded);
    auto inputs = LoadInputs(ReplaceExtension(path_, ".json"));
    ASSERT_TRUE(inputs) << inputs.error().message;
    inputs_ = std::make_shared<const Inputs>(std::move(*inputs));
  }
  std::string path_;
  LoadedModule loaded_;
  std::shared_ptr<const Inputs> inputs_;
};

TEST_P(Jobs, CompileAndWarnAbout300Es) {
  EXPECT_EQ(FindInvalid(loaded_.words, TargetEnvironment::kVulkan11), std::nullopt);
  const auto text = ReadFile(path_);
  ASSERT_TRUE(text);
  const bool old = text->find("#version 300 es") != std::string::npos;
  EXPECT_EQ(loaded_.warnings.size(), old ? 1u : 0u);
}

TEST_P(Jobs, RunTheSameEverywhere) {
  Ready ready;
  MakeReady(loaded_.words, *inputs_, path_, &ready);
  if (!ready.program) return;
  const auto judged = CheckOriginalProgram(*ready.program, {}, path_);
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_EQ(judged->undefined, std::vector<std::string>());
  EXPECT_TRUE(judged->deterministic) << judged->varies_with;
  EXPECT_NE(judged->stability, Stability::kUnstable);
  Job job;
  job.spirv = loaded_.words;
  job.bindings = ready.bindings;
  Harness harness;
  for (const char* name : {"lavapipe", "swiftshader"}) {
    SCOPED_TRACE(name);
    const Result<Target> target = FindTarget(name);
    ASSERT_TRUE(target) << target.error().message;
    const Result<RunResult> theirs = harness.Run(*target, job);
    ASSERT_TRUE(theirs) << theirs.error().message;
    ASSERT_EQ(theirs->verdict, RunOutcome::kOk) << theirs->detail;
    EXPECT_TRUE(SamePicture(theirs->outputs, judged->report.outputs, judged->stability));
  }
}

TEST_P(Jobs, AreRefusedWithoutTheOutputsOfTheVertexShader) {
  if (CanRun(path_)) return;
  Job job;
  job.spirv = loaded_.words;
  Harness harness;
  const auto target = FindTarget("lavapipe");
  ASSERT_TRUE(target) << target.error().message;
  const Result<RunResult> result = harness.Run(*target, job);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUnavailable);
}

TEST_P(Jobs, AreFuzzedAndReplayed) {
  const auto original = MakeOriginal(loaded_.words, path_, inputs_, {});
  ASSERT_TRUE(original) << original.error().message;
  EXPECT_TRUE(IsVulkan(original->environment));
  FuzzOptions options;
  options.seed = 5;
  options.max_steps = 50;
  options.all_passes = true;
  options.stop_by_chance = false;
  const auto fuzzed = Fuzz(*original, options);
  ASSERT_TRUE(fuzzed) << fuzzed.error().message;
  EXPECT_EQ(fuzzed->recording.steps.size(), 50u);
  const auto replayed = Replay(*original, fuzzed->recording, {});
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->words, fuzzed->words);
  Ready plain, variant;
  MakeReady(loaded_.words, *inputs_, path_, &plain);
  MakeReady(fuzzed->words, *fuzzed->context.inputs, path_, &variant);
  if (!plain.program || !variant.program) return;
  const RunReport before = refract::Run(*plain.program);
  const RunReport after = refract::Run(*variant.program);
  EXPECT_FALSE(after.trap);
  EXPECT_TRUE(SamePicture(before.outputs, after.outputs,
                          before.Exact() ? Stability::kExact : Stability::kStable));
}

INSTANTIATE_TEST_SUITE_P(Jobs, Jobs, testing::ValuesIn(Shaders(false)), TestName);

class RefusedJobs : public testing::TestWithParam<std::string> {};

TEST_P(RefusedJobs, ErrorsNameThePlaceAndTheReason) {
  const std::string path = kFolder + "/" + GetParam();
  const auto text = ReadFile(path);
  ASSERT_TRUE(text);
  constexpr std::string_view kRefused = "// refused ";
  const size_t at = text->find(kRefused);
  ASSERT_NE(at, std::string::npos);
  const size_t begin = at + kRefused.size();
  const auto loaded = LoadModuleFile(path);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().kind, ErrorKind::kBadInput);
  // Only the first line is compared: one error may cause more.
  EXPECT_EQ(PlainError(loaded.error().message),
            path + ":" + text->substr(begin, text->find('\n', begin) - begin));
}

INSTANTIATE_TEST_SUITE_P(Jobs, RefusedJobs, testing::ValuesIn(Shaders(true)), TestName);

}  // namespace
}  // namespace refract
