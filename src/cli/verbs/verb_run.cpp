// SPDX-License-Identifier: Apache-2.0
// refract run: a module, or a module and a variant of it, on drivers and through tools.
#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/original_options.h"
#include "cli/paths.h"
#include "cli/run_report.h"
#include "cli/subject.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "target/blame_runs.h"
#include "target/harness.h"
#include "target/patience.h"
#include "target/run_commands.h"

namespace refract::inline cli {
namespace {

struct RunArguments {
  std::string module, variant;
  std::string inputs;
  std::vector<std::string> targets;
  std::vector<std::string> target_files;
  SubjectArguments subject;
  std::string output;
  std::string rule = "auto";
};

void Declare(RunArguments& given, Options& options) {
  options.Argument("MODULE", &given.module, "A .spv, .spvasm, .frag, .vert or .comp file");
  options.OptionalArgument("VARIANT", &given.variant, "A variant of it, to compare with");
  DeclareTargets(
      options, &given.targets,
      "Where to run: names from `refract targets`, or paths of ICD files (default: interp, the "
      "reference interpreter). NAME:7 is a target that takes a seed, with this one; "
      "spirv-opt:--ccp,--merge-blocks the optimiser with these passes; TOOL@DRIVER what a tool "
      "makes, drawn by this driver");
  DeclareTargetFiles(
      options, &given.target_files,
      "Descriptions of your own drivers and command targets (docs/targets.md); one with "
      "the name of a command target of ours takes its place");
  options.Text(
      "-o,--output", "FILE or DIR", &given.output,
      "The picture, if one module runs on one target; else a folder for all pictures, other "
      "targets, buffers, images, what tools made, and logs of failures");
  options.Text("--inputs", "FILE", &given.inputs,
               "Inputs of both (default: each one's name with .json, the variant's else as the "
               "module's)");
  DeclareCompanion(options, &given.subject.companion);
  options.Text("--entry", "NAME", &given.subject.entry, "The entry point (default: the only one)");
  options.Choice(
      "--rule", &given.rule, {"auto", "exact", "stable", "histogram"},
      "What counts as different, as in `refract compare`; under other rules than exact, floats "
      "in buffers, images and targets may be apart by a 65,536th. auto (the default): what "
      "`refract check` makes of the module: exact; stable; or histogram, if it is unstable");
  options.Number("--timeout,--time-limit", &given.subject.time_limit,
                 "Seconds until a run counts as hung (default 10). With a VARIANT, MODULE gets 20 "
                 "times as long, and VARIANT 20 times what MODULE took, but at least this and at "
                 "most what MODULE gets",
                 1, 86400);
  options.Text("--target-env", "ENV", &given.subject.environment,
               "What the output of tools has to be valid for, e.g. vulkan1.1 or spv1.3 (default: "
               "by the version of what they are given)");
  DeclareValidator(options, &given.subject.validator);
  options.Flag("--validate", &given.subject.validate, "Run under VK_LAYER_KHRONOS_validation");
  options.Flag("--zero-inputs", &given.subject.zero_inputs,
               "What is read but not given is zero instead of an error");
  options.Flag(
      "--partial-subgroups", &given.subject.partial_subgroups,
      "Run compute shaders with subgroup operations also where the workgroup is no multiple "
      "of the subgroup size");
}

Result<std::vector<Subject>> LoadSubjects(const RunArguments& given, Console& console) {
  std::vector<Subject> subjects;
  const std::string inputs = InputsFileOf(given.module, given.inputs);
  Result<Subject> original = LoadSubject("original", given.module, inputs, given.subject, console);
  if (!original) return original.error();
  original->job.environment = EnvironmentOf(original->job);
  SubjectArguments as_original = given.subject;
  as_original.usual_entry = original->job.entry;
  as_original.as_original = original->companion;
  subjects.push_back(std::move(*original));
  if (given.variant.empty()) return subjects;
  std::string own = InputsFileOf(given.variant, given.inputs);
  if (own.empty()) own = inputs;
  Result<Subject> variant = LoadSubject("variant", given.variant, own, as_original, console);
  if (!variant) return variant.error();
  variant->job.environment = subjects[0].job.environment;
  subjects.push_back(std::move(*variant));
  return subjects;
}

// Runs the subjects in turn.
Result<TargetReport> RunOn(const Target& target, const std::vector<Subject>& subjects,
                           CompareRule rule, Harness& harness) {
  TargetReport report;
  report.target = target.name;
  double original_seconds = 0;
  for (const Subject& subject : subjects) {
    Job job = subject.job;
    if (subjects.size() > 1) job.time_limit = PairLimit(job.time_limit, original_seconds);
    Result<RunResult> result = harness.Run(target, job);
    if (!result) {
      if (result.error().kind != ErrorKind::kUnavailable) return result.error();
      report.unavailable = result.error().message;
      return report;
    }
    // What a tool does not take before any change was made is no finding.
    if (subject.role == "original" && result->verdict == RunVerdict::kRejected) {
      report.unavailable =
          format("target {}: cannot run {}: {}", target.name, subject.file, result->detail);
      return report;
    }
    original_seconds = std::max(original_seconds, result->seconds);
    report.runs.push_back({subject.role, subject.file, std::move(*result), {}, {}, {}});
  }
  CompareRuns(rule, subjects[0].layouts, &report);
  if (target.command != nullptr && report.runs.size() == 2 && IsFinding(report, rule)) {
    report.blame =
        FindBlame(harness, {target, subjects[0].job, subjects[1].job, report.runs[0].result,
                            report.runs[1].result, rule, subjects[0].layouts});
  }
  return report;
}

// One picture can go into one file; everything else needs a folder.
bool IsOneFile(const RunArguments& given) {
  return JoinPassLists(given.targets).size() <= 1 && given.variant.empty() &&
         Extension(given.output) == ".png";
}

Status CheckArguments(const RunArguments& given) {
  Status once = CheckOneStandardInput({given.module, given.variant, given.inputs});
  if (!once) return once;
  if (given.output == "-") {
    return Error{"-o -: pictures go into a file or a folder; name one", ErrorKind::kUsage};
  }
  if (Extension(given.output) == ".png" && !IsOneFile(given)) {
    return Error{format("-o {}: there will be several pictures; name a folder", given.output),
                 ErrorKind::kUsage};
  }
  return {};
}

// The rule asked for, or the one that fits the original. Looking for that shows whether the
// original's behaviour is undefined.
CompareRule ChooseRule(const RunArguments& given, const std::vector<Subject>& subjects,
                       Console& console, bool* undefined) {
  if (const auto rule = RuleByName(given.rule)) return *rule;
  if (subjects.size() == 1) return CompareRule::kExact;  // nothing is compared
  JudgeOptions options;
  options.schedules = false;
  options.time_limit = subjects[0].job.time_limit;
  const Result<Judgement> judged = JudgeSubject(subjects[0], options);
  if (!judged) {
    console.Say(format("comparing exactly: {}", judged.error().message));
    return CompareRule::kExact;
  }
  if (!judged->extent.is_whole()) {
    console.Say(format("comparing by histograms: {}: in {} s the interpreter judged {}",
                       subjects[0].file, subjects[0].job.time_limit, ExtentText(judged->extent)));
  }
  *undefined = !judged->undefined.empty();
  for (const std::string& what : judged->undefined) {
    console.Say(format("{}: undefined behaviour, so what differs says nothing: {}",
                       subjects[0].file, what));
  }
  return RuleFor(*judged);
}

Result<ExitCode> Run(const RunArguments& given, Console& console) {
  if (Status fit = CheckArguments(given); !fit) return fit.error();
  std::vector<std::string> names = JoinPassLists(given.targets);
  if (names.empty()) names.push_back("interp");
  std::vector<Target> targets;
  for (const std::string& name : names) {
    Result<Target> target = FindTarget(name, given.target_files);
    if (!target) return target.error();
    targets.push_back(std::move(*target));
  }
  const Result<std::vector<Subject>> subjects = LoadSubjects(given, console);
  if (!subjects) return subjects.error();
  bool finding = false;
  const CompareRule rule = ChooseRule(given, *subjects, console, &finding);
  Harness harness;
  std::vector<TargetReport> reports;
  for (const Target& target : targets) {
    Result<TargetReport> report = RunOn(target, *subjects, rule, harness);
    if (!report) return report.error();
    if (!console.json) console.Print(Summary(*report, rule));
    reports.push_back(std::move(*report));
  }
  if (!given.output.empty()) {
    const Status written = IsOneFile(given) ? WritePicture(given.output, &reports[0])
                                            : WriteFolder(given.output, &reports);
    if (!written) return written.error();
  }
  if (console.json) console.Print(ToJson(reports, rule).dump(2) + "\n");

  bool unavailable = false;
  for (const TargetReport& report : reports) {
    finding = finding || IsFinding(report, rule);
    unavailable = unavailable || !report.unavailable.empty();
  }
  return finding ? kFinding : unavailable ? kTargetMissing : kDone;
}

}  // namespace

const Verb kRunVerb = {
    .name = "run",
    .summary = "Run a module on drivers and through tools; with a variant, compare what comes out",
    .example =
        "refract run references/column_sort.frag variant.spv --target "
        "lavapipe,spirv-opt-O -o pictures",
    .exit_codes = {{kFinding,
                    "a crash, a hang, a lost device, an error, a tool's no or invalid output, or a "
                    "difference"},
                   {kFinding,
                    "undefined behaviour, also if only the interpreter sees it in MODULE"},
                   {kTargetMissing, "a target is not on this machine or cannot run this module"}},
    .main_options = {"--targets", "--target-file", "--output", "--inputs", "--rule", "--timeout",
                     "--zero-inputs"},
    .declare = DeclareVerb<RunArguments, Declare, Run>,
};

}  // namespace refract::inline cli
