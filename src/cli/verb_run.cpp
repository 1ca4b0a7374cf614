// SPDX-License-Identifier: Apache-2.0
// refract run: a module, or a module and a variant of it, on drivers and through tools.
#include <algorithm>
#include <string>
#include <vector>

#include "base/file.h"
#include "cli/original_options.h"
#include "cli/paths.h"
#include "cli/run_report.h"
#include "cli/verbs.h"
#include "glsl/load.h"
#include "harness/harness.h"
#include "harness/run_commands.h"
#include "input/blocks.h"
#include "input/resolve.h"
#include "ir/binary.h"

namespace refract {
namespace {

struct RunArguments {
  std::string module, variant;
  std::string inputs;
  std::string entry;
  std::vector<std::string> targets;
  std::vector<std::string> target_files;
  std::string environment;
  LayoutFlags layout = {};
  std::string output;
  std::string rule = "exact";
  uint64_t time_limit = 10;
  bool validate = false;
  bool zero_inputs = false;
  bool partial_subgroups = false;
};

void Declare(RunArguments& given, Options& options) {
  options.Argument("MODULE", &given.module, "A .spv, .spvasm, .frag or .comp file");
  options.OptionalArgument("VARIANT", &given.variant, "A variant of it, to compare with");
  options.List("--target", "NAME[,NAME...]", &given.targets,
               "Where to run: names from `refract targets`, or paths of ICD files");
  options.Repeated("--targets", "DIR|FILE", &given.target_files,
                   "Descriptions of your own command targets (docs/targets.md); one with the name "
                   "of a target of ours takes its place");
  options.Text(
      "-o,--output", "FILE or DIR", &given.output,
      "The picture, if one module runs on one target; else a folder for all pictures, other "
      "targets, buffers, images, what tools made, and logs of failures");
  options.Text("--inputs", "FILE", &given.inputs,
               "Inputs of both (default: each one's name with .json, the variant's else as the "
               "module's)");
  options.Text("--entry", "NAME", &given.entry, "The entry point (default: the only one)");
  options.Choice(
      "--rule", &given.rule, {"exact", "stable", "histogram"},
      "What counts as different, as in `refract compare`; under other rules than exact, floats "
      "in buffers, images and targets may be apart by a 65,536th");
  options.Number("--time-limit", &given.time_limit,
                 "Seconds until a run counts as hung (default 10; a variant gets at least 20 times "
                 "what the module took)",
                 1, 86400);
  options.Text("--target-env", "ENV", &given.environment,
               "What the output of tools has to be valid for, e.g. vulkan1.1 or spv1.3 (default: "
               "by the version of what they are given)");
  DeclareLayout(options, &given.layout);
  options.Flag("--validate", &given.validate, "Run under VK_LAYER_KHRONOS_validation");
  options.Flag("--zero-inputs", &given.zero_inputs,
               "What is read but not given is zero instead of an error");
  options.Flag(
      "--partial-subgroups", &given.partial_subgroups,
      "Run compute shaders with subgroup operations also where the workgroup is no multiple "
      "of the subgroup size");
}

// What is run: the module or the variant.
struct Subject {
  std::string role;  ///< "original", "variant"
  std::string file;
  Job job;
  std::vector<BufferLayout> layouts;  ///< of the storage buffers
};

// What the words of the storage buffers are.
Status AddLayouts(const Module& module, const EntryPoint& entry, const Bindings& bindings,
                  std::vector<BufferLayout>* layouts) {
  const Result<std::vector<BlockVariable>> blocks =
      BlocksOf(module, entry, BlockNames(module), bindings.constants);
  if (!blocks) return blocks.error();
  for (const BlockVariable& block : *blocks) {
    for (const BoundBuffer& buffer : bindings.buffers) {
      if (!buffer.storage || block.place != BlockPlace(false, buffer.set, buffer.binding)) continue;
      Result<Layout> layout = LayoutWithin(module, block, buffer.bytes.size(), bindings.constants);
      if (!layout) return layout.error();
      layouts->push_back({buffer.set, buffer.binding, std::move(*layout)});
    }
  }
  return {};
}

Result<Subject> Load(const std::string& role, const std::string& file, const std::string& inputs,
                     const RunArguments& given) {
  Subject subject{role, file, {}, {}};
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  const Result<Module> module = ReadModule(loaded->words, file);
  if (!module) return module.error();
  if (Status valid = Validate(loaded->words, UniversalEnvironment(module->version()),
                              ValidationOf(given.layout));
      !valid) {
    return Error{format("{}: {}", file, valid.error().message)};
  }
  const Result<EntryPoint> entry = FindEntryPoint(*module, given.entry, file);
  if (!entry) return entry.error();
  if (entry->model == spv::ExecutionModel::Vertex) {
    return Error{format("{}: entry point '{}': vertex stage not yet", file, entry->name),
                 ErrorKind::kUnavailable};
  }
  if (entry->model != spv::ExecutionModel::Fragment &&
      entry->model != spv::ExecutionModel::GLCompute) {
    return Error{format("{}: entry point '{}' is no fragment or compute shader; only those run",
                        file, entry->name),
                 ErrorKind::kUnavailable};
  }
  Inputs values;
  if (!inputs.empty()) {
    Result<Inputs> read = LoadInputs(inputs);
    if (!read) return read.error();
    values = std::move(*read);
  }
  Result<ResolvedInputs> resolved = Resolve(*module, *entry, values, inputs.empty() ? file : inputs,
                                            {.zero_inputs = given.zero_inputs});
  if (!resolved) return resolved.error();
  if (Status known = AddLayouts(*module, *entry, resolved->bindings, &subject.layouts); !known) {
    return known.error();
  }
  subject.job.spirv = std::move(loaded->words);
  subject.job.entry = entry->name;
  subject.job.bindings = std::move(resolved->bindings);
  subject.job.time_limit = static_cast<double>(given.time_limit);
  subject.job.validate = given.validate;
  subject.job.partial_subgroups = given.partial_subgroups;
  subject.job.validation = ValidationOf(given.layout);
  if (!given.environment.empty()) {
    const Result<TargetEnvironment> environment = ParseTargetEnvironment(given.environment);
    if (!environment) return Error{environment.error().message, ErrorKind::kUsage};
    subject.job.environment = *environment;
  }
  return subject;
}

Result<std::vector<Subject>> LoadSubjects(const RunArguments& given) {
  std::vector<Subject> subjects;
  const std::string inputs = InputsFileOf(given.module, given.inputs);
  Result<Subject> original = Load("original", given.module, inputs, given);
  if (!original) return original.error();
  original->job.environment = EnvironmentOf(original->job);
  subjects.push_back(std::move(*original));
  if (given.variant.empty()) return subjects;
  std::string own = InputsFileOf(given.variant, given.inputs);
  if (own.empty()) own = inputs;
  Result<Subject> variant = Load("variant", given.variant, own, given);
  if (!variant) return variant.error();
  variant->job.environment = subjects[0].job.environment;
  subjects.push_back(std::move(*variant));
  return subjects;
}

// Runs the subjects in turn; a variant is given time in proportion to the original.
Result<TargetReport> RunOn(const Target& target, const std::vector<Subject>& subjects,
                           CompareRule rule, Harness& harness) {
  TargetReport report;
  report.target = target.name;
  double original_seconds = 0;
  for (const Subject& subject : subjects) {
    Job job = subject.job;
    job.time_limit = std::max(job.time_limit, 20 * original_seconds);
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
  return report;
}

// One picture can go into one file; everything else needs a folder.
bool IsOneFile(const RunArguments& given) {
  return given.targets.size() == 1 && given.variant.empty() && Extension(given.output) == ".png";
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

Result<ExitCode> Run(const RunArguments& given, Console& console) {
  if (given.targets.empty()) {
    return Error{"no target: say --target NAME; `refract targets` lists them", ErrorKind::kUsage};
  }
  if (Status fit = CheckArguments(given); !fit) return fit.error();
  const CompareRule rule = *RuleByName(given.rule);
  std::vector<Target> targets;
  for (const std::string& name : given.targets) {
    Result<Target> target = FindTarget(name, given.target_files);
    if (!target) return target.error();
    targets.push_back(std::move(*target));
  }
  const Result<std::vector<Subject>> subjects = LoadSubjects(given);
  if (!subjects) return subjects.error();
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

  bool finding = false, unavailable = false;
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
                   {kTargetMissing, "a target is not on this machine or cannot run this module"}},
    .declare = DeclareVerb<RunArguments, Declare, Run>,
};

}  // namespace refract
