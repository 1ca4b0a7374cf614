// SPDX-License-Identifier: Apache-2.0
// refract coverage: which code of a target the tests run; refract coverage build.
#include "base/counted.h"
#include "cli/verbs.h"
#include "coverage/build.h"

namespace refract {
inline namespace cli {
namespace {

void Declare(CoverageBuildOptions& given, Options& options) {
  std::vector<std::string> names;
  for (const CoverageRecipe& recipe : CoverageRecipes()) names.emplace_back(recipe.name);
  options.Argument(
      "TARGET", &given.recipe,
      "What to build: cmake (any CMake project), glslang, lavapipe, radv, spirv-cross, "
      "spirv-opt, spirv-val or swiftshader");
  options.Argument("SOURCE", &given.source, "The folder with its sources");
  options.RequiredText("-o,--output", "DIR", &given.output,
                       "Output folder, which `coverage run` takes. A second build in the same "
                       "folder only builds what changed");
  options.Text("--program", "FILE", &given.program,
               "For cmake: the program, relative to the build folder (tools/my-opt)");
  options.Repeated("--option", "TEXT", &given.options,
                   "Option for cmake or meson, such as -DNAME=VALUE; may be given several times");
  options.Number("-j,--jobs", &given.jobs, "Number of compilers at a time (default: as ninja does)",
                 1, 1024);
  options.Duration("--time-limit", &given.time_limit,
                   "Time limit of configuring, and of building (default 2h)", 1);
}

Result<ExitCode> Run(const CoverageBuildOptions& given, Console& console) {
  if (FindCoverageRecipe(given.recipe) == nullptr) {
    std::string names;
    for (const CoverageRecipe& recipe : CoverageRecipes()) {
      names += format("\n  {:<12} {}", recipe.name, recipe.summary);
    }
    return Error{format("unknown target '{}'; the targets are:{}", given.recipe, names),
                 ErrorKind::kUsage};
  }
  if ((given.recipe == "cmake") == given.program.empty()) {
    return Error{given.program.empty() ? "--program is missing: cmake does not say which program "
                                         "is the target"
                                       : "--program is only for cmake",
                 ErrorKind::kUsage};
  }
  const Result<CoverageBuild> built =
      MakeCoverageBuild(given, [&](const std::string& line) { console.Say(line); });
  if (!built) return built.error();
  console.Print(format("{}\n", built->result));
  console.Say(format("next: refract coverage run {} TESTS -o FILE{}", given.output,
                     built->is_driver ? "" : " --target NAME"));
  return kDone;
}

}  // namespace

const Verb kCoverageBuildVerb = {
    .name = "build",
    .summary = "Build a target from its sources with counters of what runs",
    .example = "refract coverage build spirv-opt SPIRV-Tools -o build/spirv-opt",
    .exit_codes = {{kTargetMissing, "clang, ninja, cmake or meson is not installed"}},
    .main_options = {"--output", "--program", "--option", "--jobs", "--time-limit"},
    .declare = DeclareVerb<CoverageBuildOptions, Declare, Run>,
};

const Verb kCoverageVerb = {
    .name = "coverage",
    .summary = "Find which code of a target only some tests run, and the tests that run it",
    .example = "refract coverage compare suite.coverage variants.coverage",
    .exit_codes = {},
    .parts = {&kCoverageBuildVerb, &kCoverageRunVerb, &kCoverageCompareVerb, &kCoverageGapsVerb,
              &kCoverageCoversVerb},
};

}  // namespace cli
}  // namespace refract
