// SPDX-License-Identifier: Apache-2.0
// refract check MODULE: is it valid, is it well defined on its inputs, and how stable is what it
// computes.
#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"
#include "cli/paths.h"
#include "cli/subject.h"
#include "cli/verbs.h"
#include "glsl/load.h"
#include "image/png.h"
#include "ir/binary.h"
#include "ir/validity.h"

namespace refract {
namespace {

struct CheckArguments {
  std::string module, inputs, output;
  SubjectArguments subject;
  uint64_t seed = 1;
};

void Declare(CheckArguments& given, Options& options) {
  options.Argument("MODULE", &given.module, "A .spv, .spvasm, .frag, .vert or .comp file");
  options.Text("--inputs", "FILE", &given.inputs,
               "Its inputs (default: its name with .json, if there is such a file)");
  DeclareCompanion(options, &given.subject.companion);
  options.Text("--entry", "NAME", &given.subject.entry, "The entry point (default: the only one)");
  options.Text("-o,--output", "OUT.png", &given.output,
               "Write the picture; what is undefined in it is magenta");
  options.Text("--target-env", "ENV", &given.subject.environment,
               "What it has to be valid for, e.g. vulkan1.1 or spv1.3 (default: the Vulkan of its "
               "version, else its version alone)");
  DeclareLayout(options, &given.subject.layout);
  options.Number("--seed", &given.seed, "Seed of the schedules and of what is perturbed", 0);
  options.Flag("--zero-inputs", &given.subject.zero_inputs,
               "What is read but not given is zero instead of an error");
}

// Whether the module is valid, in whose words.
struct Validity {
  TargetEnvironment environment = TargetEnvironment::kUniversal10;
  std::string message;  ///< empty: valid
};

Result<Validity> JudgeValidity(const CheckArguments& given, const std::vector<uint32_t>& words) {
  const Result<Module> module = ReadModule(words, given.module);
  if (!module) return module.error();
  const ValidationOptions options = ValidationOf(given.subject.layout);
  Validity validity;
  if (!given.subject.environment.empty()) {
    const Result<TargetEnvironment> asked = ParseTargetEnvironment(given.subject.environment);
    if (!asked) return Error{asked.error().message, ErrorKind::kUsage};
    validity.environment = *asked;
  } else {
    validity.environment = DefaultEnvironment(module->version());
    if (FindInvalid(words, validity.environment, options) &&
        !FindInvalid(words, UniversalEnvironment(module->version()), options)) {
      validity.environment = UniversalEnvironment(module->version());
    }
  }
  if (const auto invalid = FindInvalid(words, validity.environment, options)) {
    validity.message = "spirv-val: " + OneLine(*invalid);
  }
  return validity;
}

using Json = nlohmann::ordered_json;

Json AsJson(const Validity& validity, const Judgement* judged) {
  Json json = {{"valid", validity.message.empty()},
               {"environment", NameOf(validity.environment)},
               {"message", validity.message},
               {"undefined", Json::array()},
               {"deterministic", nullptr},
               {"varies_with", ""},
               {"verdict", nullptr},
               {"largest_change", nullptr},
               {"rule", nullptr}};
  if (judged == nullptr) return json;
  json["undefined"] = judged->undefined;
  if (!judged->well_defined()) return json;
  json["deterministic"] = judged->deterministic;
  json["varies_with"] = judged->varies_with;
  json["verdict"] = StabilityName(judged->stability);
  json["largest_change"] = judged->largest_change;
  json["rule"] = RuleName(RuleFor(judged->stability));
  return json;
}

std::string AsText(const Validity& validity, const Judgement& judged) {
  std::string text = format("valid           yes, for {}\n", NameOf(validity.environment));
  if (!judged.well_defined()) {
    for (const std::string& what : judged.undefined) text += format("undefined       {}\n", what);
    return text;
  }
  text += "undefined       nothing\n";
  text += judged.deterministic
              ? std::string("deterministic   yes\n")
              : format("deterministic   no, it varies with {}\n", judged.varies_with);
  text += format("verdict         {}", StabilityName(judged.stability));
  if (judged.stability != Stability::kExact) {
    text += format(", largest change {}", judged.largest_change);
  }
  return text + "\n";
}

Status WritePicture(const std::string& file, const RunReport& report) {
  for (size_t i = 0; i < report.outputs.targets.size(); ++i) {
    if (report.outputs.targets[i].format != spv::ImageFormat::Rgba8) continue;
    return WriteFile(file, EncodePng(ShownPicture(report, i)));
  }
  return Error{format("{}: it draws no 8-bit picture to write", file), ErrorKind::kUsage};
}

Result<ExitCode> Run(const CheckArguments& given, Console& console) {
  if (Status once = CheckOneStandardInput({given.module, given.inputs}); !once) return once.error();
  if (Status alone = CheckStandardOutput(given.output, true, "the report"); !alone) {
    return alone.error();
  }
  // Once: standard input cannot be read again.
  Result<LoadedModule> loaded = LoadModuleFor(console, given.module);
  if (!loaded) return loaded.error();
  const Result<Validity> validity = JudgeValidity(given, loaded->words);
  if (!validity) return validity.error();
  if (!validity->message.empty()) {
    if (console.json) console.Print(AsJson(*validity, nullptr).dump(2) + "\n");
    return Error{format("{}: not valid for {}: {}", given.module, NameOf(validity->environment),
                        validity->message)};
  }
  const std::string inputs = InputsFileOf(given.module, given.inputs);
  const Result<Subject> subject =
      MakeSubject("original", given.module, std::move(*loaded), inputs, given.subject, console);
  if (!subject) return subject.error();
  JudgeOptions options;
  options.seed = given.seed;
  const Result<Judgement> judged = JudgeSubject(*subject, options);
  if (!judged) return judged.error();
  if (!given.output.empty()) {
    if (Status written = WritePicture(given.output, judged->report); !written) {
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
    .summary = "Say whether a module is valid, well defined on its inputs, and how stable",
    .example = "refract check references/column_sort.frag",
    .exit_codes = {{kFinding, "undefined behaviour, or an output that is undefined"},
                   {kTargetMissing, "the interpreter cannot run it; the instruction is named"}},
    .declare = DeclareVerb<CheckArguments, Declare, Run>,
};

}  // namespace refract
