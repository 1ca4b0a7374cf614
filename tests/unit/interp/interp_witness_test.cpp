// SPDX-License-Identifier: Apache-2.0
// The shaders of tests/interp, whose results the interpreter calls exact, on the drivers: what
// these leave in buffers, images and targets has to be the same byte for byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "glsl/load.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"
#include "target/harness.h"

namespace refract {
namespace {

std::filesystem::path Folder() {
  return std::filesystem::path(REFRACT_SOURCE_DIR) / "tests" / "interp";
}

std::vector<std::string> Shaders() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(Folder())) {
    const std::string ending = entry.path().extension().string();
    if (ending != ".comp" && ending != ".frag") continue;
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

class InterpWitness : public testing::TestWithParam<std::string> {};

TEST_P(InterpWitness, DriversAgree) {
  const std::string path = (Folder() / GetParam()).string();
  const Result<LoadedModule> loaded = LoadModuleFile(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  const Result<Module> module = ReadModule(loaded->words, path);
  ASSERT_TRUE(module) << module.error().message;
  const Result<EntryPoint> entry = FindEntryPoint(*module, "", path);
  ASSERT_TRUE(entry) << entry.error().message;
  const Result<Inputs> inputs =
      LoadInputs(std::filesystem::path(path).replace_extension(".json").string());
  ASSERT_TRUE(inputs) << inputs.error().message;
  const Result<ResolvedInputs> resolved = Resolve(*module, *entry, *inputs, path);
  ASSERT_TRUE(resolved) << resolved.error().message;
  const Result<Program> program = Program::Decode(*module, *entry, resolved->bindings, path);
  ASSERT_TRUE(program) << program.error().message;
  const RunReport report = refract::Run(*program);
  ASSERT_FALSE(report.trap) << report.trap->message;
  EXPECT_TRUE(report.Exact());
  // In any order and for any size of subgroups.
  for (const uint32_t size : {4u, 8u, 64u}) {
    RunOptions options;
    options.schedule.subgroup_size = size;
    options.schedule.order = size == 8 ? Schedule::Order::kBackward : Schedule::Order::kShuffled;
    options.schedule.seed = size;
    options.schedule.late_reconvergence = size == 64;
    EXPECT_EQ(refract::Run(*program, options).outputs, report.outputs) << size;
  }
  Job job;
  job.spirv = loaded->words;
  job.entry = entry->name;
  job.bindings = resolved->bindings;
  Harness harness;
  for (const char* name : {"lavapipe", "swiftshader"}) {
    SCOPED_TRACE(name);
    const Result<Target> target = FindTarget(name);
    ASSERT_TRUE(target) << target.error().message;
    const Result<RunResult> theirs = harness.Run(*target, job);
    ASSERT_TRUE(theirs) << theirs.error().message;
    ASSERT_EQ(theirs->verdict, RunOutcome::kOk) << theirs->detail;
    EXPECT_EQ(theirs->outputs, report.outputs);
  }
}

INSTANTIATE_TEST_SUITE_P(Interp, InterpWitness, testing::ValuesIn(Shaders()), [](const auto& info) {
  return info.param.substr(0, info.param.find('.'));
});

}  // namespace
}  // namespace refract
