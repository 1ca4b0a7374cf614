// SPDX-License-Identifier: Apache-2.0
// The table of the passes of spirv-opt, lists by name, and lists drawn from seeds.
#include "target/optimiser_passes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <spirv/unified1/spirv.hpp11>

#include "base/subprocess.h"
#include "target/targets.h"
#include "unit/shared/harness_shaders.h"

namespace refract {
namespace {

using List = std::vector<std::string>;
using Use = OptimiserPass::Use;

TEST(OptimiserPasses, AreSortedAndHaveReasons) {
  std::string_view last;
  for (const OptimiserPass& pass : OptimiserPasses()) {
    EXPECT_LT(last, pass.name);
    last = pass.name;
    EXPECT_TRUE(pass.use == Use::kDrawn || !pass.reason.empty()) << pass.name;
    EXPECT_TRUE(pass.before.empty() || FindOptimiserPass(pass.before) != nullptr) << pass.name;
    EXPECT_EQ(FindOptimiserPass(pass.name), &pass);
  }
}

TEST(OptimiserPasses, AreFoundByFlag) {
  const auto name = [](std::string_view flag) {
    const OptimiserPass* pass = FindOptimiserPass(flag);
    return pass == nullptr ? std::string_view("none") : pass->name;
  };
  EXPECT_EQ(name("--ccp"), "ccp");
  EXPECT_EQ(name("--scalar-replacement=0"), "scalar-replacement=0");
  EXPECT_EQ(name("--loop-fission=9"), "loop-fission=4");
  EXPECT_EQ(name("--loop-fission"), "none");  // this pass needs a number
  EXPECT_EQ(name("--target-env=vulkan1.1"), "none");
  EXPECT_TRUE(IsPassFlag("-Os"));
  EXPECT_FALSE(IsPassFlag("-o"));
  EXPECT_FALSE(IsPassFlag("ccp"));
}

TEST(OptimiserPasses, ListsByNameIncludeRequiredPasses) {
  const auto list = [](const List& names) {
    const Result<List> flags = PassList(names);
    return flags ? *flags : List{flags.error().message};
  };
  EXPECT_EQ(list({"--ccp", "merge-blocks"}), (List{"--ccp", "--merge-blocks"}));
  EXPECT_EQ(list({"--merge-return"}), (List{"--eliminate-dead-branches", "--merge-return"}));
  EXPECT_EQ(list({"--eliminate-dead-branches", "--merge-return", "-O"}),
            (List{"--eliminate-dead-branches", "--merge-return", "-O"}));
  EXPECT_EQ(list({"--no-such"}),
            List{"unknown spirv-opt pass '--no-such'; `refract targets --passes` lists the known "
                 "passes"});
  EXPECT_EQ(list({"--relax-float-ops"}),
            List{"pass --relax-float-ops is not allowed: decorates all floats RelaxedPrecision, "
                 "which allows 16 bits"});
}

TEST(OptimiserPasses, AreDrawnFromTheSeedAlone) {
  std::set<std::string> seen;
  std::set<size_t> lengths;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    const List flags = DrawPassList(seed);
    EXPECT_EQ(flags, DrawPassList(seed));
    EXPECT_FALSE(flags.empty());
    lengths.insert(flags.size());
    for (size_t i = 0; i < flags.size(); ++i) {
      const OptimiserPass* pass = FindOptimiserPass(flags[i]);
      ASSERT_NE(pass, nullptr);
      EXPECT_EQ(pass->use, Use::kDrawn);
      seen.insert(flags[i]);
      if (!pass->before.empty()) {
        ASSERT_GT(i, 0u);
        EXPECT_EQ(flags[i - 1].substr(2), pass->before);
      }
      EXPECT_TRUE(!pass->once || std::count(flags.begin(), flags.end(), flags[i]) == 1);
    }
  }
  // Lists are recorded as NAME:SEED, so the list of a seed must never change.
  EXPECT_EQ(DrawPassList(6), (List{"--wrap-opkill", "--loop-fission=4", "--simplify-instructions",
                                   "--loop-invariant-code-motion"}));
  const auto drawn = std::count_if(OptimiserPasses().begin(), OptimiserPasses().end(),
                                   [](const OptimiserPass& p) { return p.use == Use::kDrawn; });
  EXPECT_EQ(seen.size(), static_cast<size_t>(drawn));
  EXPECT_GT(lengths.size(), 10u);
}

TEST(OptimiserPasses, EachIsDrawnAloneInTurn) {
  std::set<std::string> seen;
  size_t drawn = 0;
  for (const OptimiserPass& pass : OptimiserPasses()) drawn += pass.use == Use::kDrawn ? 1 : 0;
  for (uint64_t seed = 0; seed < drawn; ++seed) seen.insert(DrawPass(seed).back());
  EXPECT_EQ(seen.size(), drawn);
  EXPECT_EQ(DrawPass(drawn), DrawPass(0));
}

TEST(OptimiserPasses, AreRefusedForModulesThatTheyCannotProcess) {
  Job job;
  job.spirv = CoordinatesShader();
  EXPECT_EQ(WhyPassesCannotRun({"--graphics-robust-access", "--freeze-spec-const", "-O"}, job), "");
  // Replaces the capability in the first instruction, OpCapability Shader.
  const auto with = [&](spv::Capability capability) {
    Job other = job;
    other.spirv.at(6) = static_cast<uint32_t>(capability);
    return other;
  };
  EXPECT_EQ(WhyPassesCannotRun({"--ccp", "--graphics-robust-access"},
                               with(spv::Capability::VariablePointers)),
            "--graphics-robust-access needs a module without variable pointers");
  EXPECT_EQ(WhyPassesCannotRun({"--graphics-robust-access"}, with(spv::Capability::Kernel)),
            "--graphics-robust-access needs a shader module, not a kernel");
  EXPECT_EQ(WhyPassesCannotRun({"--ccp"}, with(spv::Capability::Kernel)), "");
  job.bindings.constants.push_back({});
  EXPECT_EQ(WhyPassesCannotRun({"--freeze-spec-const"}, job),
            "--freeze-spec-const needs inputs without values for specialisation constants");
}

TEST(OptimiserPasses, AreAcceptedInNamesOfTargets) {
  EXPECT_EQ(JoinPassLists({"lavapipe", "spirv-opt:--ccp", "--merge-blocks", "-O", "interp"}),
            (List{"lavapipe", "spirv-opt:--ccp,--merge-blocks,-O", "interp"}));
  EXPECT_EQ(JoinPassLists({"lavapipe", "--ccp"}), (List{"lavapipe", "--ccp"}));
  const auto find = [](const std::string& name) {
    const Result<Target> target = FindTarget(name);
    return target ? target->name : target.error().message;
  };
  // The meaning of a name does not depend on whether the program is installed.
  const auto error = [&](const std::string& name) {
    const Result<Target> target = FindTarget(name);
    return target ? std::string("found") : target.error().message;
  };
  EXPECT_EQ(error("spirv-opt-O:7"),
            "target spirv-opt-O:7: spirv-opt-O takes neither a seed nor passes after a colon");
  EXPECT_EQ(error("spirv-opt:seven"),
            "target spirv-opt:seven: spirv-opt takes a seed or passes, as in :7 or "
            ":--ccp,--merge-blocks");
  EXPECT_EQ(error("spirv-opt:--inst-debug-printf"),
            "target spirv-opt:--inst-debug-printf: pass --inst-debug-printf is not allowed: adds "
            "its own buffers to the bindings");
  EXPECT_EQ(error("spirv-opt-O@spirv-val"),
            "target spirv-opt-O@spirv-val: expected TARGET@DRIVER: a command target, and the "
            "driver that draws its output");
  EXPECT_EQ(error("interp@lavapipe").substr(0, 23), "target interp@lavapipe:");
  if (!FindProgram("spirv-opt").empty()) {
    EXPECT_EQ(find("spirv-opt-passes"), "spirv-opt-passes:0");
    const Result<Target> target = FindTarget("spirv-opt-passes:7");
    ASSERT_TRUE(target);
    EXPECT_EQ(target->command->steps[0].passes, DrawPassList(7));
    EXPECT_EQ(FindTarget(RecordedName(*target))->command->steps[0].passes, DrawPassList(7));
    const Target other = Reseeded(*target, 9);
    EXPECT_EQ(other.name, "spirv-opt-passes:9");
    EXPECT_EQ(other.command->steps[0].passes, DrawPassList(9));
  }
}

}  // namespace
}  // namespace refract
