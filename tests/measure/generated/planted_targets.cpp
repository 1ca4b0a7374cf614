// SPDX-License-Identifier: Apache-2.0
#include "measure/generated/planted_targets.h"

#include <sys/resource.h>

#include <filesystem>

#include "base/file.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "planted/passes.h"
#include "target/targets.h"

namespace refract::measure {

Result<PlantedTargets> PlantedTargets::Make(const std::string& optimiser) {
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  const std::string path = std::filesystem::absolute(optimiser).string();
  std::vector<std::optional<planted::Bug>> bugs = {std::nullopt};
  for (size_t i = 0; i < planted::BugTable().size(); ++i) {
    bugs.emplace_back(static_cast<planted::Bug>(i));
  }
  std::vector<std::string> names;
  for (const std::optional<planted::Bug>& bug : bugs) {
    const std::string name = bug ? std::string(planted::BugTable()[static_cast<size_t>(*bug)].name)
                                 : std::string("no_bug");
    const std::string arguments = bug ? format(R"("--bug", "{}", )", name) : "";
    const Status written = WriteFile(format("{}/{}.json", folder->path(), name),
                                     format(R"({{"name": "{}", "description": "our small optimiser",
  "commands": [{{"run": ["{}", "--divergence", {}"{{in}}", "{{out}}"], "output": "spirv",
    "time_limit": 3, "version": ["--list"]}}],
  "render": true}})",
                                            name, path, arguments));
    if (!written) return written.error();
    names.push_back(name);
  }
  const Result<std::vector<Target>> known = FindTargets({folder->path()});
  if (!known) return known.error();
  PlantedTargets targets;
  for (size_t i = 0; i < bugs.size(); ++i) {
    Result<Target> target = FindTarget(names[i] + "@interp", *known);
    if (!target) return target.error();
    targets.targets_.emplace(bugs[i], std::move(*target));
  }
  return targets;
}

Result<std::string> PlantedTargets::FailureOf(const TestProgram& program,
                                              std::optional<planted::Bug> bug,
                                              Harness& harness) const {
  RunSettings settings;
  settings.time_limit = kTimeLimit;
  const Result<Job> job = ProgramJob(program.original(), settings);
  if (!job) return job.error();
  const Result<RunResult> ran = harness.Run(Of(bug), *job);
  if (!ran) return ran.error();
  return FindingOfProgram(Of(bug), *ran).signature;
}

std::vector<planted::Bug> PlantedTargets::BugsReached(const std::vector<uint32_t>& words) {
  Result<planted::Program> program = planted::ReadProgram(words, "program");
  if (!program) return {};
  planted::OptimiseDivergence(&*program);
  planted::Optimise(&*program, planted::Passes());
  std::vector<planted::Bug> reached;
  for (size_t i = 0; i < planted::BugTable().size(); ++i) {
    const auto bug = static_cast<planted::Bug>(i);
    if (program->bugs.Reached(bug)) reached.push_back(bug);
  }
  return reached;
}

double ProcessorSeconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage used{};
    getrusage(who, &used);
    for (const timeval& time : {used.ru_utime, used.ru_stime}) {
      seconds += static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
    }
  }
  return seconds;
}

}  // namespace refract::measure
