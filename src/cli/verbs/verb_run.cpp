// SPDX-License-Identifier: Apache-2.0
// refract run: runs a module, or a module and its variant, on drivers and tools.
#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/comparison_options.h"
#include "cli/original_options.h"
#include "cli/paths.h"
#include "cli/run_report.h"
#include "cli/runnable_module.h"
#include "cli/target_comparison.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "target/blame_runs.h"
#include "target/harness.h"
#include "target/run_commands.h"
#include "target/time_limits.h"

namespace refract {
inline namespace cli {
namespace {

struct RunArguments {
  std::string module, variant;
  std::string inputs;
  std::vector<std::string> targets;
  std::vector<std::string> target_files;
  RunnableModuleArguments subject;
  std::string output;
  std::string rule = "auto";
  std::string thresholds;
};

void Declare(RunArguments& given, Options& options) {
  options.Argument("MODULE", &given.module,
                   "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, "
                   ".rgen, .rint, .rahit, .rchit, .rmiss or .rcall file");
  options.OptionalArgument("VARIANT", &given.variant,
                           "A variant of MODULE; the outputs of both are compared");
  DeclareTargets(
      options, &given.targets,
      "Targets to run on: names from `refract targets`, or paths of ICD files (default: "
      "interp, the interpreter). NAME:7 gives the seed 7 to a target that takes one; "
      "spirv-opt:--ccp,--merge-blocks runs spirv-opt with these passes; TOOL@DRIVER runs "
      "the output of a tool on this driver");
  DeclareTargetFiles(
      options, &given.target_files,
      "Descriptions of your own drivers and tools (docs/targets.md); a tool with the "
      "name of a built-in one replaces it");
  options.Text("-o,--output", "FILE or DIR", &given.output,
               "A file for the image (.png), if one module runs on one target; otherwise a folder "
               "for all outputs, the modules that tools write, and the logs of failures");
  options.Text("--inputs", "FILE", &given.inputs,
               "File with the inputs of both modules (default: the name of each module with the "
               "extension .json; a variant without such a file gets the inputs of MODULE)");
  DeclareCompanion(options, &given.subject.companion);
  options.Text("--entry", "NAME", &given.subject.entry, "Entry point (default: the only one)");
  options.Choice(
      "--rule", &given.rule, {"auto", "exact", "bounded", "stable", "spatial", "histogram"},
      "How outputs are compared, as in `refract compare`. Except under exact, floats in "
      "buffers, images and colour targets may differ by a 65,536th. bounded: a level of "
      "VARIANT is outside of the bounds that the interpreter computes for MODULE, or the "
      "pixels without narrow bounds differ under stable or spatial. auto (the default): "
      "exact if the verdict of `refract check` on MODULE is exact, else bounded. The "
      "rule also applies to targets, which are compared with each other if several have "
      "outputs");
  DeclareThresholds(options, &given.thresholds);
  options.Number("--timeout,--time-limit", &given.subject.time_limit,
                 "Time limit of a run in seconds; a longer run is a hang (default 10). With "
                 "VARIANT, the limit of MODULE is 20 times as long, and that of VARIANT is 20 "
                 "times what MODULE took, but at least this limit and at most that of MODULE",
                 1, 86400);
  options.Text("--target-env", "ENV", &given.subject.environment,
               "Environment that the output of tools must be valid for, such as vulkan1.1 or "
               "spv1.3 (default: by the version of their input)");
  DeclareValidator(options, &given.subject.validator);
  options.Flag("--validate", &given.subject.validate,
               "Run with the validation layer VK_LAYER_KHRONOS_validation");
  options.Flag("--zero-inputs", &given.subject.zero_inputs,
               "Use zeros for missing inputs instead of reporting an error");
  options.Flag("--partial-subgroups", &given.subject.partial_subgroups,
               "Also run compute shaders with subgroup operations if the workgroup size is not a "
               "multiple of the subgroup size");
}

Result<std::vector<RunnableModule>> LoadRunnableModules(const RunArguments& given,
                                                        Console& console) {
  std::vector<RunnableModule> subjects;
  const std::string inputs = InputsFileOf(given.module, given.inputs);
  Result<RunnableModule> original =
      LoadRunnableModule("original", given.module, inputs, given.subject, console);
  if (!original) return original.error();
  original->job.environment = EnvironmentOf(original->job);
  RunnableModuleArguments as_original = given.subject;
  as_original.usual_entry = original->job.entry;
  as_original.as_original = original->companion;
  subjects.push_back(std::move(*original));
  if (given.variant.empty()) return subjects;
  std::string own = InputsFileOf(given.variant, given.inputs);
  if (own.empty()) own = inputs;
  Result<RunnableModule> variant =
      LoadRunnableModule("variant", given.variant, own, as_original, console);
  if (!variant) return variant.error();
  variant->job.environment = subjects[0].job.environment;
  subjects.push_back(std::move(*variant));
  return subjects;
}

// Runs the subjects one after another.
Result<TargetReport> RunOn(const Target& target, const std::vector<RunnableModule>& subjects,
                           const ComparisonRule& rule, Harness& harness) {
  TargetReport report;
  report.target = target.name;
  double original_seconds = 0;
  for (const RunnableModule& subject : subjects) {
    Job job = subject.job;
    if (subjects.size() > 1) job.time_limit = PairLimit(job.time_limit, original_seconds);
    Result<RunResult> result = harness.Run(target, job);
    if (!result) {
      if (result.error().kind != ErrorKind::kUnavailable) return result.error();
      report.unavailable = result.error().message;
      return report;
    }
    // If a tool rejects the unchanged module, that is not a finding.
    if (subject.role == "original" && result->verdict == RunOutcome::kRejected) {
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

// Whether the output is one file: a single image. All other outputs need a folder.
bool IsOneFile(const RunArguments& given) {
  return JoinPassLists(given.targets).size() <= 1 && given.variant.empty() &&
         Extension(given.output) == ".png";
}

Status CheckArguments(const RunArguments& given) {
  if (const auto thresholds = TakeThresholds(given.thresholds); !thresholds) {
    return thresholds.error();
  }
  Status once = CheckOneStandardInput({given.module, given.variant, given.inputs});
  if (!once) return once;
  if (given.output == "-") {
    return Error{"-o -: images cannot be written to standard output; pass a file or a folder",
                 ErrorKind::kUsage};
  }
  if (Extension(given.output) == ".png" && !IsOneFile(given)) {
    return Error{format("-o {}: the run has several images; pass a folder", given.output),
                 ErrorKind::kUsage};
  }
  return {};
}

// The rules for comparing a variant with its original on one target, and targets with each other.
struct Rules {
  ComparisonRule pair;
  TargetRule targets;
  bool undefined = false;  // the interpreter found that the original has undefined behaviour
};

// Whether the outputs of several targets are compared with each other.
bool ComparesTargets(const std::vector<Target>& targets) {
  return std::count_if(targets.begin(), targets.end(), [](const Target& target) {
           const bool draws =
               target.command == nullptr || target.command->render != CommandTarget::Render::kNone;
           return target.kind != Target::Kind::kPipeline && draws;
         }) > 1;
}

// The rules that fit what the interpreter found out about the original.
Rules RulesFor(const OriginalCheck& judged, const RunnableModule& original, Console& console) {
  const bool whole = judged.extent.is_whole();
  if (!whole) {
    console.Say(
        format("{}: in {} s the interpreter judged only {}; other pixels are compared under "
               "rule spatial",
               original.file, original.job.time_limit, ExtentText(judged.extent)));
  }
  Rules rules;
  rules.pair = rules.targets.rule = RuleFor(judged);
  rules.undefined = !judged.undefined.empty();
  for (const std::string& what : judged.undefined) {
    console.Say(
        format("{}: the original has undefined behaviour, so differences are not meaningful: {}",
               original.file, what));
  }
  if (rules.undefined) {
    rules.targets.no_meaning = format("{} has undefined behaviour", original.file);
  } else if (!judged.deterministic) {
    rules.targets.no_meaning =
        format("the outputs of {} vary with {}", original.file, judged.varies_with);
  }
  rules.targets.exact = whole && judged.well_defined() && judged.deterministic &&
                        judged.stability == Stability::kExact;
  return rules;
}

// The rule of --rule, or the rules that fit the original. The interpreter is asked only if
// something is compared.
Rules ChooseRules(const RunArguments& given, const std::vector<RunnableModule>& subjects,
                  bool compares_targets, Console& console) {
  Rules rules;
  const std::optional<CompareRule> named = RuleByName(given.rule);
  if (named && *named != CompareRule::kBounded) {
    rules.pair = rules.targets.rule = *named;
    return rules;
  }
  if (subjects.size() == 1 && !compares_targets) return rules;
  OriginalCheckOptions options;
  options.schedules = compares_targets;
  options.time_limit = subjects[0].job.time_limit;
  const Result<OriginalCheck> judged = CheckOriginalModule(subjects[0], options);
  if (judged) {
    rules = RulesFor(*judged, subjects[0], console);
    if (named) rules.pair = rules.targets.rule = BoundedRule(*judged);
    return rules;
  }
  // Targets may round differently, even if a variant does what its original does.
  rules.targets.rule = CompareRule::kStable;
  if (subjects.size() > 1) {
    console.Say(
        format("comparing under rule exact, because the interpreter failed on the original: {}",
               judged.error().message));
  }
  if (compares_targets) {
    console.Say(
        format("comparing targets under rule stable, because the interpreter failed on the "
               "original: {}",
               judged.error().message));
  }
  return rules;
}

Result<ExitCode> Run(const RunArguments& given, Console& console) {
  if (Status fit = CheckArguments(given); !fit) return fit.error();
  std::vector<std::string> names = JoinPassLists(given.targets);
  if (names.empty()) names.push_back("interp");
  const Result<std::vector<Target>> known = FindTargets(given.target_files);
  if (!known) return known.error();
  std::vector<Target> targets;
  for (const std::string& name : names) {
    Result<Target> target = FindTarget(name, *known);
    if (!target) return target.error();
    targets.push_back(std::move(*target));
  }
  const Result<std::vector<RunnableModule>> subjects = LoadRunnableModules(given, console);
  if (!subjects) return subjects.error();
  Rules rules = ChooseRules(given, *subjects, ComparesTargets(targets), console);
  rules.pair.thresholds = rules.targets.rule.thresholds = *TakeThresholds(given.thresholds);
  const ComparisonRule& rule = rules.pair;
  Harness harness;
  std::vector<TargetReport> reports;
  for (const Target& target : targets) {
    Result<TargetReport> report = RunOn(target, *subjects, rule, harness);
    if (!report) return report.error();
    if (!console.json) console.Print(Summary(*report, rule));
    reports.push_back(std::move(*report));
  }
  const std::vector<TargetComparison> comparisons =
      CompareTargets(reports, rules.targets, (*subjects)[0].layouts);
  if (!console.json) console.Print(Summary(comparisons, rules.targets));
  if (!given.output.empty()) {
    const Status written = IsOneFile(given) ? WriteImage(given.output, &reports[0])
                                            : WriteFolder(given.output, &reports);
    if (!written) return written.error();
  }
  if (console.json) {
    nlohmann::ordered_json json = ToJson(reports, rule);
    json["targets"] = ToJson(comparisons, rules.targets);
    console.Print(json.dump(2) + "\n");
  }
  bool finding = rules.undefined || IsFinding(comparisons, rules.targets);
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
    .summary =
        "Run a module on drivers and tools, and compare the outputs: of the targets, and of the "
        "module with those of a variant",
    .example =
        "refract run references/column_sort.frag variant.spv --target "
        "lavapipe,spirv-opt-O -o images",
    .exit_codes = {{kFinding,
                    "a crash, a hang, a lost device or an error; a tool rejected the variant or "
                    "wrote an invalid module; or the outputs of the variant or of a target differ"},
                   {kFinding,
                    "undefined behaviour; in MODULE, even if only the interpreter finds it"},
                   {kTargetMissing, "a target is not on this machine or cannot run the module"}},
    .main_options = {"--targets", "--target-file", "--output", "--inputs", "--rule", "--timeout",
                     "--zero-inputs"},
    .declare = DeclareVerb<RunArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
