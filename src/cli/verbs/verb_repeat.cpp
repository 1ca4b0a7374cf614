// SPDX-License-Identifier: Apache-2.0
// refract repeat: checks whether the failure of a test folder reproduces, on its target or another.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/counted.h"
#include "cli/issue/test_folder_run.h"
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
  bool self_checking = false;
};

void Declare(RepeatArguments& given, Options& options) {
  options.Argument("FOLDER", &given.folder, "A test folder (docs/test-folder.md)");
  DeclareTarget(options, "--target,--targets", &given.target,
                "Target to run on instead of the target that the folder names: a name from "
                "`refract targets`, or "
                "the path of an ICD file");
  DeclareTargetFiles(options, &given.target_files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.Flag("--self-checking", &given.self_checking,
               "Run only the self-checking module of a wrong output (check.spv)");
  options.Number("--times", &given.times,
                 "Number of runs of each of the two modules (default 1); the failure must occur in "
                 "at least one run",
                 1, 10000);
}

Json ToJson(const RepeatArguments& given, const TestRecord& record, const Target& target,
            const std::string& version, const std::vector<TestRun>& runs) {
  Json json = {{"folder", given.folder},
               {"target", target.name},
               {"version", version},
               {"reproduced", false},
               {"verdict", FailureClassName(record.verdict)},
               {"signature", record.signature},
               {"runs", Json::array()}};
  for (const TestRun& run : runs) {
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
    return alone ? "ok: the module does not fail here"
                 : "ok: the variant computes the same as the original";
  }
  return format("{} ({})", finding.signature, Printable(finding.what));
}

// The modules to run.
Result<std::vector<RunnableModule>> LoadModules(const RepeatArguments& given,
                                                const TestRecord& record, Console& console) {
  if (!given.self_checking) return LoadTestModules(given.folder, record, console);
  Result<std::optional<RunnableModule>> check =
      LoadSmallModule(given.folder, record, "check", console);
  if (!check) return check.error();
  if (!*check) return Error{format("{}: the folder has no self-checking module", given.folder)};
  std::vector<RunnableModule> modules;
  modules.push_back(std::move(**check));
  return modules;
}

Result<ExitCode> Run(const RepeatArguments& given, Console& console) {
  const Result<TestRecord> record = ReadTestRecord(given.folder);
  if (!record) return record.error();
  const Result<Target> target =
      TargetOfTest(given.folder, *record, given.target, given.target_files);
  if (!target) return target.error();
  const Result<std::vector<RunnableModule>> both = LoadModules(given, *record, console);
  if (!both) return both.error();
  Harness harness;
  const TargetState state = harness.Probe(*target);
  if (!state.available) {
    return Error{format("target {}: {}", target->name, state.reason), ErrorKind::kUnavailable};
  }
  const Result<std::optional<RunResult>> expected =
      given.self_checking ? std::optional<RunResult>() : ExpectedOf(*both, *record);
  if (!expected) return expected.error();
  std::vector<TestRun> runs;
  for (uint64_t i = 0; i < given.times; ++i) {
    Result<TestRun> run = RunTest(*target, *both, *expected, *record, harness);
    if (!run) return run.error();
    runs.push_back(std::move(*run));
  }
  const auto matching =
      std::count_if(runs.begin(), runs.end(), [](const TestRun& run) { return run.matches; });
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
    const auto shown = std::find_if(runs.begin(), runs.end(), [&](const TestRun& run) {
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
    .main_options = {"--target", "--target-file", "--self-checking", "--times", "--json"},
    .declare = DeclareVerb<RepeatArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
