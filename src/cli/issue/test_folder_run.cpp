// SPDX-License-Identifier: Apache-2.0
#include "cli/issue/test_folder_run.h"

#include <algorithm>

#include "base/file.h"
#include "base/text.h"
#include "signature/normalise.h"

namespace refract {
inline namespace cli {
namespace {

Result<RunnableModule> LoadFrom(const std::string& folder, const TestRecord& record,
                                const std::string& name, const std::string& inputs,
                                Console& console) {
  RunnableModuleArguments arguments;
  arguments.entry = record.entry;
  const auto beside = [&](const char* shader) {
    std::string other = format("{}/{}.spv", folder, shader);
    return FileExists(other) ? other : std::string();
  };
  arguments.companion = {beside("vertex"),         beside("fragment"),    beside("control"),
                         beside("evaluation"),     beside("task"),        beside("mesh"),
                         beside("ray_generation"), beside("closest_hit"), beside("any_hit"),
                         beside("intersection"),   beside("callable")};
  arguments.zero_inputs = record.zero_inputs;
  arguments.partial_subgroups = record.partial_subgroups;
  const std::string file = format("{}/{}.spv", folder, name);
  Result<RunnableModule> subject = LoadRunnableModule(name, file, inputs, arguments, console);
  if (!subject) return subject.error();
  subject->job.environment = record.environment;
  subject->job.validation = record.validation;
  subject->job.time_limit = record.time_limit;
  return subject;
}

}  // namespace

Result<Target> TargetOfTest(const std::string& folder, const TestRecord& record,
                            const std::string& name, const std::vector<std::string>& files) {
  if (!record.covers.empty()) {
    return Error{format("{}: a test for coverage, which shows no failure", folder)};
  }
  if (!name.empty()) return FindTarget(name, files);
  const std::string& recorded = record.target.name;
  if (recorded.ends_with(".json")) {
    return Error{format("{}: the target of the test is the ICD file {}; pass its path on this "
                        "machine with --target",
                        folder, Printable(recorded)),
                 ErrorKind::kUnavailable};
  }
  Result<Target> target = FindTarget(recorded, files);
  if (target || target.error().kind != ErrorKind::kUsage) return target;
  return Error{format("{}: the target of the test, {}, is unknown here; describe it with "
                      "--target-file, or choose another with --target",
                      folder, Printable(recorded)),
               ErrorKind::kUnavailable};
}

std::string FailingModuleOf(const std::string& folder, const TestRecord& record) {
  if (!record.HasVariant()) return "original";
  return FileExists(format("{}/reduced.spv", folder)) ? "reduced" : "variant";
}

Result<std::vector<RunnableModule>> LoadTestModules(const std::string& folder,
                                                    const TestRecord& record, Console& console) {
  const std::string inputs = InputsFileOf(format("{}/original.spv", folder), "");
  Result<RunnableModule> original = LoadFrom(folder, record, "original", inputs, console);
  if (!original) return original.error();
  std::vector<RunnableModule> modules;
  modules.push_back(std::move(*original));
  if (!record.HasVariant()) return modules;
  const std::string name = FailingModuleOf(folder, record);
  std::string own = InputsFileOf(format("{}/{}.spv", folder, name), "");
  if (own.empty()) own = inputs;
  Result<RunnableModule> variant = LoadFrom(folder, record, name, own, console);
  if (!variant) return variant.error();
  modules.push_back(std::move(*variant));
  return modules;
}

Result<std::optional<RunnableModule>> LoadSmallModule(const std::string& folder,
                                                      const TestRecord& record,
                                                      const std::string& name, Console& console) {
  const std::string file = format("{}/{}.spv", folder, name);
  if (!FileExists(file)) return std::optional<RunnableModule>();
  std::string inputs = InputsFileOf(file, "");
  for (const std::string& other : {FailingModuleOf(folder, record), std::string("original")}) {
    if (inputs.empty()) inputs = InputsFileOf(format("{}/{}.spv", folder, other), "");
  }
  Result<RunnableModule> loaded = LoadFrom(folder, record, name, inputs, console);
  if (!loaded) return loaded.error();
  return std::optional<RunnableModule>(std::move(*loaded));
}

Result<std::optional<RunResult>> ExpectedOf(const std::vector<RunnableModule>& modules,
                                            const TestRecord& record) {
  if (!record.unchanged || !IsWrongOutput(record.verdict)) return std::optional<RunResult>();
  OriginalCheckOptions options;
  options.schedules = false;
  options.perturbations = 0;
  Result<OriginalCheck> check = CheckOriginalModule(modules[0], options);
  if (!check) return check.error();
  RunResult expected;
  expected.outputs = std::move(check->report.outputs);
  return std::optional<RunResult>(std::move(expected));
}

Result<TestRun> RunTest(const Target& target, const std::vector<RunnableModule>& modules,
                        const std::optional<RunResult>& expected, const TestRecord& record,
                        Harness& harness) {
  TestRun run;
  const bool alone = modules.size() == 1;
  Result<RunResult> original = expected ? *expected
                               : alone  ? RunResult()
                                        : harness.Run(target, modules[0].job);
  if (!original) return original.error();
  Job job = modules.back().job;
  job.time_limit = std::max(job.time_limit, 20 * original->seconds);
  Result<RunResult> variant = harness.Run(target, job);
  if (!variant) return variant.error();
  run.seconds = original->seconds + variant->seconds;
  run.original = std::move(*original);
  run.variant = std::move(*variant);
  if (alone && !expected && run.variant.verdict == RunOutcome::kOk) return run;
  // The interpreter decides what is expected, and not the key "$expected" of the inputs.
  if (expected && run.variant.verdict == RunOutcome::kUnexpected) {
    run.variant.verdict = RunOutcome::kOk;
  }
  const ComparedNames names =
      expected ? ComparedNames{"the interpreter", "the target"} : ComparedNames();
  const std::vector<BufferLayout>& layouts = modules[0].layouts;
  run.finding = FindingOf(target.name, run.original, run.variant, record.rule, layouts, names);
  // The signature may have the name of the target, so it may differ on another target.
  RunResult there = run.variant;
  if (there.target == target.name) there.target = record.target.name;
  const Finding as_there = FindingOf(record.target.name, run.original, there, record.rule, layouts);
  run.matches = as_there.verdict == record.verdict && as_there.signature == record.signature;
  return run;
}

}  // namespace cli
}  // namespace refract
