// SPDX-License-Identifier: Apache-2.0
// refract check MODULE: is the module valid, is it well defined on its inputs, and how stable are
// its outputs?
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/paths.h"
#include "cli/runnable_module.h"
#include "cli/verbs.h"
#include "glsl/load.h"
#include "image/png.h"
#include "ir/binary.h"
#include "ir/validity/validity.h"

namespace refract {
inline namespace cli {
namespace {

struct CheckArguments {
  std::string module, inputs, output;
  RunnableModuleArguments subject;
  uint64_t seed = 1;
  uint64_t time_limit = 60;
};

void Declare(CheckArguments& given, Options& options) {
  options.Argument("MODULE", &given.module,
                   "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, "
                   ".rgen, .rint, .rahit, .rchit, .rmiss or .rcall file");
  options.Text("--inputs", "FILE", &given.inputs,
               "File with the inputs (default: the name of MODULE with the extension .json, if "
               "that file exists)");
  DeclareCompanion(options, &given.subject.companion);
  options.Text("--entry", "NAME", &given.subject.entry, "Entry point (default: the only one)");
  options.Text("-o,--output", "OUT.png", &given.output,
               "Write the image; its undefined pixels are magenta");
  options.Text("--target-env", "ENV", &given.subject.environment,
               "Environment that the module must be valid for, such as vulkan1.1 or spv1.3 "
               "(default: the Vulkan version with the SPIR-V version of the module, or that SPIR-V "
               "version if the module is not valid for Vulkan)");
  DeclareValidator(options, &given.subject.validator);
  options.Number("--seed", &given.seed,
                 "Seed of the random schedules, and of the random changes to approximate values, "
                 "with which the interpreter repeats the run",
                 0);
  options.Duration("--time,--time-limit", &given.time_limit,
                   "Time limit of the interpreter in seconds, or as 90s or 8m (default 60). If the "
                   "module takes longer, the interpreter executes only a sample of its pixels or "
                   "workgroups, and the report says how many",
                   1, 86400);
  options.Flag("--zero-inputs", &given.subject.zero_inputs,
               "Use zeros for missing inputs instead of reporting an error");
}

// Whether the module is valid, for which environment, and the error if not.
struct Validity {
  TargetEnvironment environment = TargetEnvironment::kUniversal10;
  std::optional<ValidationError> invalid;

  std::string message() const { return invalid ? "spirv-val: " + OneLine(*invalid) : ""; }
};

Result<Validity> CheckValidity(const CheckArguments& given, const std::vector<uint32_t>& words) {
  const Result<Module> module = ReadModule(words, given.module);
  if (!module) return module.error();
  const ValidationOptions options = ValidationOf(given.subject.validator);
  Validity validity;
  if (!given.subject.environment.empty()) {
    const Result<TargetEnvironment> asked = ParseTargetEnvironment(given.subject.environment);
    if (!asked) return Error{asked.error().message, ErrorKind::kUsage};
    validity.environment = *asked;
  } else {
    validity.environment = DefaultEnvironment(module->version());
  }
  validity.invalid = FindInvalidWithin(words, validity.environment, options);
  const TargetEnvironment universal = UniversalEnvironment(module->version());
  if (validity.invalid && !validity.invalid->unfinished && given.subject.environment.empty() &&
      !FindInvalidWithin(words, universal, options)) {
    return Validity{universal, {}};
  }
  return validity;
}

using Json = nlohmann::ordered_json;

Json AsJson(const Validity& validity, const OriginalCheck* judged) {
  Json json = {{"valid", !validity.invalid},
               {"environment", NameOf(validity.environment)},
               {"message", validity.message()},
               {"undefined", Json::array()},
               {"deterministic", nullptr},
               {"varies_with", ""},
               {"verdict", nullptr},
               {"largest_change", nullptr},
               {"rule", nullptr},
               {"looked_at", nullptr},
               {"of", nullptr},
               {"unit", nullptr}};
  if (judged == nullptr) return json;
  json["undefined"] = judged->undefined;
  json["looked_at"] = judged->extent.looked_at;
  json["of"] = judged->extent.all;
  json["unit"] = judged->extent.workgroups ? "workgroups" : "pixels";
  if (!judged->well_defined()) return json;
  json["deterministic"] = judged->deterministic;
  json["varies_with"] = judged->varies_with;
  json["verdict"] = StabilityName(judged->stability);
  json["largest_change"] = judged->largest_change;
  json["rule"] = RuleName(RuleFor(*judged).kind);
  return json;
}

std::string AsText(const Validity& validity, const OriginalCheck& judged) {
  std::string text = format("valid           yes, for {}\n", NameOf(validity.environment));
  if (!judged.well_defined()) {
    for (const std::string& what : judged.undefined) text += format("undefined       {}\n", what);
    return text;
  }
  const bool whole = judged.extent.is_whole();
  text += whole ? std::string("undefined       nothing\n")
                : format("undefined       nothing on {}\n", ExtentText(judged.extent));
  text += judged.deterministic
              ? std::string("deterministic   yes\n")
              : format("deterministic   no, it varies with {}\n", judged.varies_with);
  text += format("verdict         {}", StabilityName(judged.stability));
  if (judged.stability != Stability::kExact) {
    text += format(", largest change {}", judged.largest_change);
  }
  if (!whole) text += ", on this sample: the time limit was too short for more (--time-limit)";
  return text + "\n";
}

Status WriteImage(const std::string& file, const RunReport& report) {
  for (size_t i = 0; i < report.outputs.targets.size(); ++i) {
    if (report.outputs.targets[i].format != spv::ImageFormat::Rgba8) continue;
    return WriteFile(file, EncodePng(ImageWithUndefinedMarked(report, i)));
  }
  return Error{format("{}: the module draws no 8-bit image to write", file), ErrorKind::kUsage};
}

Result<ExitCode> Run(const CheckArguments& given, Console& console) {
  if (Status once = CheckOneStandardInput({given.module, given.inputs}); !once) return once.error();
  if (Status alone = CheckStandardOutput(given.output, true, "the report"); !alone) {
    return alone.error();
  }
  // Loaded only once: standard input cannot be read again.
  Result<LoadedModule> loaded = LoadModuleFor(console, given.module);
  if (!loaded) return loaded.error();
  const Result<Validity> validity = CheckValidity(given, loaded->words);
  if (!validity) return validity.error();
  if (validity->invalid && validity->invalid->unfinished) {
    return Error{format("{}: {}", given.module, validity->invalid->message)};
  }
  if (validity->invalid) {
    if (console.json) console.Print(AsJson(*validity, nullptr).dump(2) + "\n");
    return Error{format("{}: not valid for {}: {}", given.module, NameOf(validity->environment),
                        validity->message())};
  }
  const std::string inputs = InputsFileOf(given.module, given.inputs);
  RunnableModuleArguments arguments = given.subject;
  arguments.is_valid = true;
  const Result<RunnableModule> subject =
      MakeRunnableModule("original", given.module, std::move(*loaded), inputs, arguments, console);
  if (!subject) return subject.error();
  OriginalCheckOptions options;
  options.seed = given.seed;
  options.time_limit = static_cast<double>(given.time_limit);
  const Result<OriginalCheck> judged = CheckOriginalModule(*subject, options);
  if (!judged) return judged.error();
  if (judged->extent.looked_at == 0) {
    if (console.json) console.Print(AsJson(*validity, nullptr).dump(2) + "\n");
    return Error{format("{}: valid for {}, but there is no verdict: {} s (--time-limit) are not "
                        "enough for the smallest sample",
                        given.module, NameOf(validity->environment), given.time_limit),
                 ErrorKind::kUnavailable};
  }
  if (!given.output.empty()) {
    if (Status written = WriteImage(given.output, judged->report); !written) {
      return written.error();
    }
  }
  console.Print(console.json ? AsJson(*validity, &*judged).dump(2) + "\n"
                             : AsText(*validity, *judged));
  return judged->well_defined() ? kDone : kFinding;
}

}  // namespace

const Verb kCheckVerb = {
    .name = "check",
    .summary =
        "Check whether a module is valid and well defined on its inputs, and how stable its "
        "outputs are",
    .example = "refract check references/column_sort.frag",
    .exit_codes = {{kFinding, "undefined behaviour, or an undefined output"},
                   {kTargetMissing,
                    "the interpreter cannot run the module (the message names the instruction), or "
                    "the time limit is too short"}},
    .main_options = {"--inputs", "--entry", "--output", "--target-env", "--seed", "--time",
                     "--zero-inputs", "--json"},
    .declare = DeclareVerb<CheckArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
