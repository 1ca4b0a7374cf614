// SPDX-License-Identifier: Apache-2.0
// refract prepare DIR -o DIR: converts a folder of shaders to modules, plain and optimised, each
// with its inputs in the same folder. FILE becomes FILE.spv, FILE.O.spv and FILE.Os.spv. The
// extension of FILE is kept, so that "a.frag" and "a.vert" have different outputs.
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/file.h"
#include "cli/original_options.h"
#include "cli/verbs.h"
#include "glsl/load.h"
#include "input/inputs.h"
#include "ir/tools.h"

namespace refract {
inline namespace cli {
namespace {

struct PrepareArguments {
  std::string folder, output;
};

void Declare(PrepareArguments& given, Options& options) {
  options.Argument("DIR", &given.folder,
                   "Folder with .frag, .vert, .comp, .spvasm and .spv files, searched recursively");
  options.RequiredText(
      "-o,--output", "DIR", &given.output,
      "Output folder. Each FILE becomes FILE.spv and, optimised, FILE.O.spv and FILE.Os.spv; its "
      "inputs, if it has any, become FILE.json, FILE.O.json and FILE.Os.json");
}

constexpr struct {
  const char* flag;  // of spirv-opt; empty: not optimised
  const char* ending;
} kKinds[] = {{"", ".spv"}, {"-O", ".O.spv"}, {"-Os", ".Os.spv"}};

struct Made {
  const char* flag;
  std::string file;
  size_t words;
};

struct Shader {
  std::string file, inputs;
  std::vector<Made> modules;
  std::vector<std::string> warnings, errors;
};

// The Vulkan environment of the module's version if the module is valid for it, or else the
// universal environment.
Result<TargetEnvironment> EnvironmentFor(const std::vector<uint32_t>& words,
                                         const std::string& file) {
  const TargetEnvironment vulkan = DefaultEnvironment(words[1]);
  const auto not_vulkan = FindInvalidWithin(words, vulkan);
  if (!not_vulkan) return vulkan;
  if (not_vulkan->unfinished) return Error{format("{}: {}", file, not_vulkan->message)};
  const TargetEnvironment universal = UniversalEnvironment(words[1]);
  if (Status valid = ValidateWithin(words, universal); !valid) {
    return Error{
        format("{}: not valid for {}: {}", file, NameOf(universal), valid.error().message)};
  }
  return universal;
}

Result<std::vector<uint32_t>> Optimised(const std::vector<uint32_t>& words, const char* flag,
                                        const std::string& file, TargetEnvironment environment) {
  if (*flag == '\0') return words;
  Result<std::vector<uint32_t>> optimised = Optimize(words, {flag}, environment);
  Status fit = optimised ? ValidateWithin(*optimised, environment) : Status(optimised.error());
  if (!fit) return Error{format("{}: spirv-opt {}: {}", file, flag, fit.error().message)};
  return optimised;
}

std::string FolderOf(const std::string& path) {
  const size_t slash = path.rfind('/');
  return slash == std::string::npos ? std::string() : path.substr(0, slash);
}

// Converts one file and writes the modules to `base` with the extensions of kKinds. Errors of the
// file go to `errors`. The returned error is one of the output.
Status PrepareOne(const std::string& base, Shader* shader) {
  Result<LoadedModule> loaded = LoadModuleFile(shader->file);
  if (!loaded) return shader->errors.push_back(loaded.error().message), Status();
  shader->warnings = std::move(loaded->warnings);
  const Result<TargetEnvironment> environment = EnvironmentFor(loaded->words, shader->file);
  if (!environment) return shader->errors.push_back(environment.error().message), Status();
  shader->inputs = InputsFileOf(shader->file, {});
  Result<std::string> inputs = std::string();
  if (!shader->inputs.empty()) {
    inputs = ReadFile(shader->inputs);
    if (!inputs) return shader->errors.push_back(inputs.error().message), Status();
    const Result<Inputs> parsed = ParseInputs(shader->inputs, *inputs);
    if (!parsed) return shader->errors.push_back(parsed.error().message), Status();
  }
  if (Status made = MakeFolder(FolderOf(base)); !made) return made;
  OutputSet outputs;
  for (const auto& kind : kKinds) {
    const Result<std::vector<uint32_t>> words =
        Optimised(loaded->words, kind.flag, shader->file, *environment);
    if (!words) {
      shader->errors.push_back(words.error().message);
      continue;
    }
    const std::string file = base + kind.ending;
    const std::string_view bytes(reinterpret_cast<const char*>(words->data()), words->size() * 4);
    if (Status added = outputs.Add(file, bytes); !added) return added;
    shader->modules.push_back({kind.flag, file, words->size()});
    if (shader->inputs.empty()) continue;
    if (Status added = outputs.Add(ReplaceExtension(file, ".json"), *inputs); !added) return added;
  }
  return outputs.Commit();
}

// Whether `file`, which is in `folder`, is also in `output`: an earlier run has made it.
bool IsBelow(const std::string& file, const std::string& output, const std::string& folder) {
  for (std::string at = FolderOf(file); at.size() > folder.size(); at = FolderOf(at)) {
    if (SameFile(at, output)) return true;
  }
  return false;
}

Result<std::vector<std::string>> FilesOf(const PrepareArguments& given) {
  if (SameFile(given.folder, given.output)) {
    return Error{
        format("-o {}: this is the input folder; choose another output folder", given.output),
        ErrorKind::kUsage};
  }
  Result<std::vector<std::string>> files = ListFiles(given.folder);
  if (!files) return files;
  std::erase_if(*files, [&](const std::string& file) {
    return !IsModuleFile(file) || IsBelow(file, given.output, given.folder);
  });
  if (files->empty()) {
    return Error{
        format("{}: the folder has no .frag, .vert, .comp, .spvasm or .spv file", given.folder)};
  }
  return files;
}

using Json = nlohmann::ordered_json;

Json ToJson(const std::vector<Shader>& shaders, size_t failed) {
  Json json = {{"prepared", shaders.size() - failed}, {"failed", failed}};
  json["shaders"] = Json::array();
  for (const Shader& shader : shaders) {
    Json modules = Json::array();
    for (const Made& module : shader.modules) {
      modules.push_back(
          {{"optimised", module.flag}, {"file", module.file}, {"words", module.words}});
    }
    json["shaders"].push_back({{"file", shader.file},
                               {"inputs", shader.inputs},
                               {"modules", modules},
                               {"warnings", shader.warnings},
                               {"errors", shader.errors}});
  }
  return json;
}

std::string ToLine(const Shader& shader) {
  std::string line = shader.file + ":";
  for (const Made& module : shader.modules) {
    line += format("{}{}{} {}", &module == shader.modules.data() ? " words " : ", ", module.flag,
                   *module.flag == '\0' ? "plain" : "", module.words);
  }
  return line + (shader.inputs.empty() ? ", no inputs\n" : "\n");
}

Result<ExitCode> Run(const PrepareArguments& given, Console& console) {
  const Result<std::vector<std::string>> files = FilesOf(given);
  if (!files) return files.error();
  std::vector<Shader> shaders;
  size_t failed = 0;
  for (const std::string& file : *files) {
    const size_t slashes = file.find_first_not_of('/', given.folder.size());
    const std::string base = given.output + "/" + file.substr(slashes);
    Shader& shader = shaders.emplace_back();
    shader.file = file;
    if (Status written = PrepareOne(base, &shader); !written) return written.error();
    for (const std::string& warning : shader.warnings) console.Warn(warning);
    for (const std::string& error : shader.errors) console.PrintError(error);
    if (!shader.errors.empty()) ++failed;
    if (!console.json && !shader.modules.empty()) console.Print(ToLine(shader));
  }
  if (console.json) console.Print(ToJson(shaders, failed).dump(2) + "\n");
  if (failed > 0) {
    return Error{format("{}: {} of {} shaders failed", given.folder, failed, shaders.size())};
  }
  console.Say(format("{}: {}, all prepared", given.output, Counted(shaders.size(), "shader")));
  return kDone;
}

}  // namespace

const Verb kPrepareVerb = {
    .name = "prepare",
    .summary = "Convert a folder of shaders to SPIR-V modules, plain and optimised",
    .example = "refract prepare donors -o prepared",
    .exit_codes = {},
    .main_options = {"--output", "--json"},
    .declare = DeclareVerb<PrepareArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
