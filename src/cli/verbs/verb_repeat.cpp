// SPDX-License-Identifier: Apache-2.0
// refract repeat: checks whether the failure of a test folder reproduces, on its target or another.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counted.h"
#include "base/file.h"
#include "cli/original_options.h"
#include "cli/runnable_module.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "folder/test_folder.h"
#include "signature/normalise.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct RepeatArguments {
  std::string folder;
  std::string target;
  std::vector<std::string> target_files;
  uint64_t times = 1;
};

void Declare(RepeatArguments& given, Options& options) {
  options.Argument("FOLDER", &given.folder, "A test folder (docs/test-folder.md)");
  DeclareTarget(options, "--target,--targets", &given.target,
                "Target to run on instead of that of the folder: a name from `refract targets`, or "
                "the path of an ICD file");
  DeclareTargetFiles(options, &given.target_files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.Number(
      "--times", &given.times,
      "Number of runs of both modules (default 1); the failure must occur in at least one", 1,
      10000);
}

/// The result of one run of both modules.
struct Repetition {
  Finding finding;
  double seconds = 0;
  bool matches = false;
};

// Accepts only names of targets from a folder, no paths: a path could make us load any file.
Result<Target> TargetOf(const RepeatArguments& given, const TestRecord& record) {
  if (!given.target.empty()) return FindTarget(given.target, given.target_files);
  const std::string& name = record.target.name;
  if (name.ends_with(".json")) {
    return Error{format("{}: the target of the test is the ICD file {}; pass its path on this "
                        "machine with --target",
                        given.folder, Printable(name)),
                 ErrorKind::kUnavailable};
  }
  Result<Target> target = FindTarget(name, given.target_files);
  if (target || target.error().kind != ErrorKind::kUsage) return target;
  return Error{format("{}: the target of the test, {}, is unknown here; describe it with "
                      "--target-file, or choose another with --target",
                      given.folder, Printable(name)),
               ErrorKind::kUnavailable};
}

Result<RunnableModule> LoadFrom(const RepeatArguments& given, const TestRecord& record,
                                const std::string& name, const std::string& inputs,
                                Console& console) {
  RunnableModuleArguments arguments;
  arguments.entry = record.entry;
  const auto beside = [&](const char* shader) {
    std::string other = format("{}/{}.spv", given.folder, shader);
    return FileExists(other) ? other : std::string();
  };
  arguments.companion = {beside("vertex"), beside("fragment")};
  arguments.zero_inputs = record.zero_inputs;
  arguments.partial_subgroups = record.partial_subgroups;
  const std::string file = format("{}/{}.spv", given.folder, name);
  Result<RunnableModule> subject = LoadRunnableModule(name, file, inputs, arguments, console);
  if (!subject) return subject.error();
  subject->job.environment = record.environment;
  subject->job.validation = record.validation;
  subject->job.time_limit = record.time_limit;
  return subject;
}

// The original, and the reduced module or else the variant. For a control-flow program, only that.
Result<std::vector<RunnableModule>> LoadBoth(const RepeatArguments& given, const TestRecord& record,
                                             Console& console) {
  const std::string inputs = InputsFileOf(format("{}/original.spv", given.folder), "");
  Result<RunnableModule> original = LoadFrom(given, record, "original", inputs, console);
  if (!original) return original.error();
  std::vector<RunnableModule> both;
  both.push_back(std::move(*original));
  if (!record.fleshed_by.empty()) return both;
  const std::string name =
      FileExists(format("{}/reduced.spv", given.folder)) ? "reduced" : "variant";
  std::string own = InputsFileOf(format("{}/{}.spv", given.folder, name), "");
  if (own.empty()) own = inputs;
  Result<RunnableModule> variant = LoadFrom(given, record, name, own, console);
  if (!variant) return variant.error();
  both.push_back(std::move(*variant));
  return both;
}

Result<Repetition> RunBoth(const Target& target, const std::vector<RunnableModule>& both,
                           const TestRecord& record, Harness& harness) {
  Repetition repetition;
  // The inputs of a control-flow program have its expected output. It has no original.
  const bool alone = both.size() == 1;
  const Result<RunResult> original = alone ? RunResult() : harness.Run(target, both[0].job);
  if (!original) return original.error();
  Job job = both.back().job;
  job.time_limit = std::max(job.time_limit, 20 * original->seconds);
  Result<RunResult> variant = harness.Run(target, job);
  if (!variant) return variant.error();
  repetition.seconds = original->seconds + variant->seconds;
  if (alone && variant->verdict == RunOutcome::kOk) return repetition;
  repetition.finding = FindingOf(target.name, *original, *variant, record.rule, both[0].layouts);
  // The signature may have the name of the target, so it may differ on another target.
  if (variant->target == target.name) variant->target = record.target.name;
  const Finding as_there =
      FindingOf(record.target.name, *original, *variant, record.rule, both[0].layouts);
  repetition.matches = as_there.verdict == record.verdict && as_there.signature == record.signature;
  return repetition;
}

Json ToJson(const RepeatArguments& given, const TestRecord& record, const Target& target,
            const std::string& version, const std::vector<Repetition>& runs) {
  Json json = {{"folder", given.folder},
               {"target", target.name},
               {"version", version},
               {"reproduced", false},
               {"verdict", FailureClassName(record.verdict)},
               {"signature", record.signature},
               {"runs", Json::array()}};
  for (const Repetition& run : runs) {
    if (run.matches) json["reproduced"] = true;
    json["runs"].push_back({{"matches", run.matches},
                            {"verdict", VerdictName(run.finding.verdict)},
                            {"signature", run.finding.signature},
                            {"what", run.finding.what},
                            {"original_fails", run.finding.original_fails},
                            {"seconds", run.seconds}});
  }
  return json;
}

std::string Seen(const Finding& finding, bool alone) {
  if (!finding.original_fails.empty()) return finding.original_fails;
  if (!finding.verdict) {
    return alone ? "ok: the output is the expected one"
                 : "ok: the variant computes the same as the original";
  }
  return format("{} ({})", finding.signature, Printable(finding.what));
}

Result<ExitCode> Run(const RepeatArguments& given, Console& console) {
  const Result<TestRecord> record = ReadTestRecord(given.folder);
  if (!record) return record.error();
  const Result<Target> target = TargetOf(given, *record);
  if (!target) return target.error();
  const Result<std::vector<RunnableModule>> both = LoadBoth(given, *record, console);
  if (!both) return both.error();
  Harness harness;
  const TargetState state = harness.Probe(*target);
  if (!state.available) {
    return Error{format("target {}: {}", target->name, state.reason), ErrorKind::kUnavailable};
  }
  std::vector<Repetition> runs;
  for (uint64_t i = 0; i < given.times; ++i) {
    Result<Repetition> run = RunBoth(*target, *both, *record, harness);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  const auto matching =
      std::count_if(runs.begin(), runs.end(), [](const Repetition& run) { return run.matches; });
  if (console.json) {
    console.Print(ToJson(given, *record, *target, state.version, runs)
                      .dump(2, ' ', false, Json::error_handler_t::replace) +
                  "\n");
  } else {
    console.Print(format("{}: {} of {} on {} ({})\n",
                         matching > 0 ? "reproduced" : "not reproduced", matching,
                         Counted(runs.size(), "run"), target->name, state.version));
    const TargetRecord& there = record->target;
    console.Print(format("expected: {}, seen on {}{}\n", Printable(record->signature),
                         Printable(there.name),
                         there.version.empty() ? "" : format(" ({})", Printable(there.version))));
    const auto shown = std::find_if(runs.begin(), runs.end(), [&](const Repetition& run) {
      return run.matches == (matching > 0);
    });
    console.Print(format("here:     {}\n", Seen(shown->finding, both->size() == 1)));
  }
  return matching > 0 ? kDone : kNotInteresting;
}

}  // namespace

const Verb kRepeatVerb = {
    .name = "repeat",
    .summary = "Re-run a test folder and report whether the failure reproduces",
    .example = "refract repeat found/lavapipe_1 --target swiftshader",
    .exit_codes = {{kNotInteresting, "the failure did not reproduce"},
                   {kTargetMissing, "the target is not on this machine or cannot run the module"}},
    .main_options = {"--target", "--target-file", "--times", "--json"},
    .declare = DeclareVerb<RepeatArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
