// SPDX-License-Identifier: Apache-2.0
// Vertex and fragment shaders that are drawn together (tests/pipelines): drivers draw the same as
// the interpreter, whichever of the two shaders is under test, and variants of either draw the
// same.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <optional>

#include "base/file.h"
#include "base/random.h"
#include "engine/fuzz.h"
#include "engine/replay.h"
#include "glsl/load.h"
#include "input/resolve.h"
#include "ir/binary.h"
#include "target/finding.h"
#include "target/harness.h"
#include "target/original_check.h"

namespace refract {
namespace {

constexpr uint64_t kMeshes = 60;
const std::string kFolder = REFRACT_SOURCE_DIR "/tests/pipelines";

std::vector<std::string> Shaders() {
  std::vector<std::string> names;
  const auto files = ListFiles(kFolder);
  if (!files) return names;
  for (const std::string& file : *files) {
    if (IsModuleFile(file)) names.push_back(file.substr(kFolder.size() + 1));
  }
  return names;
}

std::string TestName(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '.', '_');
  return name;
}

std::vector<uint32_t> Load(const std::string& path) {
  auto loaded = LoadModuleFile(path);
  EXPECT_TRUE(loaded) << loaded.error().message;
  return loaded ? std::move(loaded->words) : std::vector<uint32_t>();
}

// A job, with its module decoded for the interpreter.
struct Ready {
  Module module;
  EntryPoint entry;
  Job job;
  std::optional<Program> program;
};

std::unique_ptr<Ready> MakeReady(const std::vector<uint32_t>& words, const Inputs& inputs,
                                 const std::string& name) {
  auto ready = std::make_unique<Ready>();
  auto module = ReadModule(words, name);
  EXPECT_TRUE(module) << module.error().message;
  ready->module = std::move(*module);
  auto entry = FindEntryPoint(ready->module, "main", name);
  EXPECT_TRUE(entry) << entry.error().message;
  ready->entry = std::move(*entry);
  auto resolved = Resolve(ready->module, ready->entry, inputs, name);
  EXPECT_TRUE(resolved) << resolved.error().message;
  if (!resolved) return ready;
  ready->job.spirv = words;
  ready->job.bindings = std::move(resolved->bindings);
  auto program = Program::Decode(ready->module, ready->entry, ready->job.bindings, name);
  EXPECT_TRUE(program) << program.error().message;
  if (program) ready->program = std::move(*program);
  return ready;
}

// Runs on a driver and only checks that the run is ok.
Outputs RunOn(const char* name, const Job& job, Harness* harness) {
  const Result<Target> target = FindTarget(name);
  EXPECT_TRUE(target) << target.error().message;
  const Result<RunResult> result = harness->Run(*target, job);
  EXPECT_TRUE(result) << result.error().message;
  if (!result) return {};
  EXPECT_EQ(result->verdict, RunOutcome::kOk) << result->detail;
  return result->outputs;
}

class Pipelines : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    path_ = kFolder + "/" + GetParam();
    words_ = Load(path_);
    auto inputs = LoadInputs(ReplaceExtension(path_, ".json"));
    ASSERT_TRUE(inputs) << inputs.error().message;
    const bool is_vertex = Extension(path_) == ".vert";
    const std::string other = ReplaceExtension(path_, is_vertex ? ".frag" : ".vert");
    if (FileExists(other)) {
      auto companion =
          MakeCompanion(Load(other), other,
                        is_vertex ? spv::ExecutionModel::Fragment : spv::ExecutionModel::Vertex);
      ASSERT_TRUE(companion) << companion.error().message;
      inputs->companion = std::move(*companion);
    }
    inputs_ = std::make_shared<const Inputs>(std::move(*inputs));
  }

  Outputs RunOn(const char* name, const Job& job) { return refract::RunOn(name, job, &harness_); }

  std::string path_;
  std::vector<uint32_t> words_;
  std::shared_ptr<const Inputs> inputs_;
  Harness harness_;
};

// Compares every component that the interpreter calls exact bit for bit, and requires at least
// `least_exact` of them. Buffers must be equal.
void ExpectAlike(const Outputs& theirs, const RunReport& report, size_t least_covered,
                 size_t least_exact) {
  ASSERT_EQ(theirs.targets.size(), report.outputs.targets.size());
  size_t covered = 0, exact = 0;
  for (size_t t = 0; t < theirs.targets.size(); ++t) {
    const ColourTarget& a = theirs.targets[t];
    const ColourTarget& b = report.outputs.targets[t];
    ASSERT_EQ(a.format, b.format);
    ASSERT_EQ(a.texels.size(), b.texels.size());
    const size_t size = TexelSize(a.format) / 4;
    for (size_t i = 0; i < report.target_shadows[t].size(); ++i) {
      covered += b.texels.compare(i * size, size, std::string(size, '\0')) != 0 ? 1 : 0;
      if (report.target_shadows[t][i] != 0) continue;
      ++exact;
      ASSERT_EQ(a.texels.substr(i * size, size), b.texels.substr(i * size, size))
          << "location " << a.location << ", pixel (" << i / 4 % a.width << ", " << i / 4 / a.width
          << "), component " << i % 4;
    }
  }
  EXPECT_GE(covered, least_covered);
  EXPECT_GE(exact, least_exact);
  EXPECT_EQ(theirs.buffers, report.outputs.buffers);
}

TEST_P(Pipelines, DrawTheSameEverywhere) {
  const auto ready = MakeReady(words_, *inputs_, path_);
  ASSERT_TRUE(ready->program.has_value());
  const auto judged = CheckOriginalProgram(*ready->program, {}, path_);
  ASSERT_TRUE(judged) << judged.error().message;
  EXPECT_EQ(judged->undefined, std::vector<std::string>());
  EXPECT_TRUE(judged->deterministic) << judged->varies_with;
  const std::string& name = GetParam();
  const bool is_exact = name.starts_with("stepped_hills");
  EXPECT_EQ(judged->stability == Stability::kExact, is_exact);
  EXPECT_TRUE(judged->stability != Stability::kUnstable || !name.starts_with("bent_lens"));
  for (const char* driver : {"lavapipe", "swiftshader"}) {
    SCOPED_TRACE(driver);
    const Outputs theirs = RunOn(driver, ready->job);
    ExpectAlike(theirs, judged->report, 1000, name.starts_with("bent_lens") ? 0 : 1000);
    EXPECT_TRUE(!is_exact || theirs == judged->report.outputs);
    if (judged->stability == Stability::kStable && ImageAtLocation0(theirs).pixel_count() != 0) {
      EXPECT_TRUE(Agree(Compare(ImageAtLocation0(theirs), ImageAtLocation0(judged->report.outputs)),
                        CompareRule::kStable));
    }
  }
}

// Executing a part of the quads gives the same values as executing all.
TEST_P(Pipelines, AreTheSameInASample) {
  const auto ready = MakeReady(words_, *inputs_, path_);
  ASSERT_TRUE(ready->program.has_value());
  const RunReport whole = refract::Run(*ready->program);
  RunOptions options;
  options.schedule.order = Schedule::Order::kBackward;
  const uint32_t width = ready->job.bindings.width;
  for (uint32_t quad = 3; quad < width / 2 * (ready->job.bindings.height / 2); quad += 7) {
    options.sample.push_back(quad);
  }
  const RunReport part = refract::Run(*ready->program, options);
  ASSERT_FALSE(part.trap) << part.trap->message;
  size_t seen = 0;
  for (const uint32_t quad : options.sample) {
    const size_t pixel = size_t{quad / (width / 2) * 2} * width + quad % (width / 2) * 2;
    for (size_t t = 0; t < whole.outputs.targets.size(); ++t) {
      const size_t size = TexelSize(whole.outputs.targets[t].format);
      for (const size_t at : {pixel, pixel + 1, pixel + width, pixel + width + 1}) {
        EXPECT_EQ(whole.outputs.targets[t].texels.substr(at * size, size),
                  part.outputs.targets[t].texels.substr(at * size, size));
        EXPECT_EQ(whole.target_shadows[t].substr(4 * at, 4),
                  part.target_shadows[t].substr(4 * at, 4));
        ++seen;
      }
    }
  }
  EXPECT_GT(seen, 100u);
}

TEST_P(Pipelines, HaveVariantsThatDrawTheSame) {
  const auto original = MakeOriginal(words_, path_, inputs_, {});
  ASSERT_TRUE(original) << original.error().message;
  FuzzOptions options;
  options.seed = 11;
  options.max_steps = 120;
  options.all_passes = true;
  options.stop_by_chance = false;
  options.self_check = true;
  options.execution_facts = true;
  const auto fuzzed = Fuzz(*original, options);
  ASSERT_TRUE(fuzzed) << fuzzed.error().message;
  EXPECT_EQ(fuzzed->recording.steps.size(), 120u);
  const auto replayed = Replay(*original, fuzzed->recording, {});
  ASSERT_TRUE(replayed) << replayed.error().message;
  EXPECT_EQ(replayed->words, fuzzed->words);
  const auto before = MakeReady(words_, *inputs_, path_);
  const auto after = MakeReady(
      fuzzed->words, fuzzed->context.inputs ? *fuzzed->context.inputs : *inputs_, "variant");
  ASSERT_TRUE(before->program.has_value());
  ASSERT_TRUE(after->program.has_value());
  EXPECT_EQ(before->job.bindings.companion, after->job.bindings.companion);
  const auto judged = CheckOriginalProgram(*before->program, {}, path_);
  ASSERT_TRUE(judged) << judged.error().message;
  RunResult drawn, varied;
  drawn.outputs = RunOn("lavapipe", before->job);
  varied.outputs = RunOn("lavapipe", after->job);
  const Finding found = FindingOf("lavapipe", drawn, varied, RuleFor(judged->stability), {});
  EXPECT_FALSE(found.verdict.has_value()) << found.what;
}

INSTANTIATE_TEST_SUITE_P(, Pipelines, testing::ValuesIn(Shaders()), TestName);

// --- random meshes: edges through pixel centres, corners at the same places and on one line, far
// outside of the frame, with negative w, before the near plane

float Coordinate(Random& random, uint32_t kind, uint32_t side) {
  const int reach = random.Below(4) == 0 ? 3 : 1;
  const auto of = [&](uint32_t parts) {
    const uint64_t places = 2 * uint64_t{parts} * static_cast<uint32_t>(reach) + 1;
    return static_cast<float>(static_cast<double>(random.Below(places)) / parts - reach);
  };
  switch (kind) {
    case 0:  // sixteenths of pixels
      return of(side * 8);
    case 1:  // centres and corners of pixels
      return of(side);
    case 2:  // on a few lines
      return of(3);
    default:
      return of(1u << 20);
  }
}

Inputs RandomMesh(uint64_t seed) {
  Random random(seed);
  Inputs inputs;
  inputs.width = 16 + 8 * static_cast<uint32_t>(random.Below(4));
  inputs.height = 16 + 8 * static_cast<uint32_t>(random.Below(3));
  VerticesInput& vertices = inputs.vertices.emplace();
  vertices.count = static_cast<uint32_t>(random.Between(3, 12));
  vertices.topology = static_cast<BoundMesh::Topology>(random.Below(3));
  vertices.instances = static_cast<uint32_t>(random.Between(1, 2));
  for (uint64_t i = random.Below(2) * random.Between(3, 16); i > 0; --i) {
    vertices.indices.push_back(static_cast<uint32_t>(random.Below(vertices.count)));
  }
  AttributeInput place, tag;
  place.value.scalar = InputValue::kFloat;
  place.value.rows = 4;
  tag.location = 1;
  tag.value.width = 8;
  place.value.count = tag.value.count = vertices.count;
  const auto kind = static_cast<uint32_t>(random.Below(5));
  for (uint32_t i = 0; i < vertices.count; ++i) {
    const bool flat = kind < 3 || random.Below(2) == 0;
    const float w = flat ? 1 : static_cast<float>(random.Between(0, 6)) - 1.5f;
    const uint32_t own = kind == 4 ? static_cast<uint32_t>(random.Below(4)) : kind;
    const float depth = flat ? 0.25f * static_cast<float>(random.Below(5))
                             : static_cast<float>(random.Below(7)) / 4 - 0.25f;
    for (const float number : {Coordinate(random, own, inputs.width) * w,
                               Coordinate(random, own, inputs.height) * w, depth * w, w}) {
      place.value.words.push_back(std::bit_cast<uint32_t>(number));
    }
    tag.value.words.push_back(random.Below(64));
  }
  vertices.attributes = {place, tag};
  return inputs;
}

// Draws random meshes on drivers and in the interpreter; returns how many components are exact.
// `numbers`: the integers of the first target; `input`: the declaration of an interpolated input.
size_t DrawMeshes(uint32_t samples, bool per_sample, const std::string& numbers,
                  const std::string& input) {
  const auto vertex = LoadModuleBytes("mesh.vert", R"(#version 450
    layout(location = 0) in vec4 place;
    layout(location = 1) in int tag;
    layout(location = 0) flat out ivec4 numbers;
    layout(location = 1) out float smoothed;
    void main() {
      gl_Position = place;
      numbers = ivec4(tag, gl_VertexIndex, gl_InstanceIndex, 1);
      smoothed = float(tag);
    })");
  const auto fragment = LoadModuleBytes("mesh.frag", R"(#version 450
    layout(location = 0) flat in ivec4 numbers;
    layout(location = 1) )" + input + R"( float smoothed;
    layout(location = 0) out ivec4 seen;
    layout(location = 1) out vec4 colour;
    void main() {
      seen = ivec4()" + numbers + R"(, gl_FrontFacing ? 1 : 2);
      colour = vec4(smoothed / 128.0, smoothed > 20.0 ? 1.0 : 0.0, gl_FragCoord.z, 1.0);
    })");
  EXPECT_TRUE(vertex && fragment);
  if (!vertex || !fragment) return 0;
  auto companion = MakeCompanion(fragment->words, "mesh.frag", spv::ExecutionModel::Fragment);
  EXPECT_TRUE(companion);
  if (!companion) return 0;
  Harness harness;
  size_t exact = 0;
  for (uint64_t seed = 1; seed <= kMeshes; ++seed) {
    SCOPED_TRACE(seed);
    Inputs inputs = RandomMesh(seed);
    inputs.samples = samples;
    inputs.per_sample = per_sample;
    inputs.companion = *companion;
    const auto ready = MakeReady(vertex->words, inputs, "mesh.vert");
    EXPECT_TRUE(ready->program.has_value());
    if (!ready->program) return 0;
    const RunReport report = refract::Run(*ready->program);
    EXPECT_FALSE(report.trap) << report.trap->message;
    exact += static_cast<size_t>(
        std::count(report.target_shadows[0].begin(), report.target_shadows[0].end(), 0));
    for (const char* driver : {"lavapipe", "swiftshader"}) {
      SCOPED_TRACE(driver);
      ExpectAlike(RunOn(driver, ready->job, &harness), report, 0, 0);
    }
  }
  return exact;
}

TEST(RandomMeshes, AreDrawnAsTheInterpreterSays) {
  EXPECT_GT(DrawMeshes(1, false, "numbers.xyz", "in"), kMeshes * 1000);
}

TEST(RandomMeshes, CoverSamplesAsTheInterpreterSays) {
  EXPECT_GT(DrawMeshes(4, false, "numbers.xy, gl_SampleMaskIn[0]", "in"), kMeshes * 2000);
}

TEST(RandomMeshes, RunForSamplesAsTheInterpreterSays) {
  EXPECT_GT(DrawMeshes(4, true, "numbers.x, gl_SampleID, gl_SampleMaskIn[0]", "sample in"),
            kMeshes * 4000);
}

}  // namespace
}  // namespace refract
