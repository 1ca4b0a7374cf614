// SPDX-License-Identifier: Apache-2.0
#include "glsl/companion_file.h"

#include "base/file.h"
#include "glsl/load.h"

namespace refract {
inline namespace glsl {
namespace {

constexpr const char* kForms[] = {"", ".spv", ".spvasm"};

// The name without .spv or .spvasm: "a/b.vert" for "a/b.vert.spvasm".
std::string WithoutForm(const std::string& file) {
  const std::string_view form = Extension(file);
  return form == ".spv" || form == ".spvasm" ? ReplaceExtension(file, "") : file;
}

// The ending that names the stage: ".vert" for "a/b.vert.spvasm".
std::string StageOf(const std::string& file) {
  return std::string(Extension(WithoutForm(file)));
}

// The companion in the folder of the module; empty if not found.
std::string FindCompanionFile(const std::string& module) {
  const std::string staged = WithoutForm(module), stage = StageOf(module);
  if (stage != ".vert" && stage != ".frag") return {};
  const std::string other = ReplaceExtension(staged, stage == ".vert" ? ".frag" : ".vert");
  std::string same = other;
  same.append(module, staged.size());
  if (FileExists(same)) return same;
  for (const char* form : kForms) {
    std::string file = other;
    file.append(form);
    if (FileExists(file)) return file;
  }
  return {};
}

}  // namespace

std::string CompanionFileOf(const std::string& module, const CompanionArguments& given) {
  if (!given.vertex.empty()) return given.vertex;
  return !given.fragment.empty() ? given.fragment : FindCompanionFile(module);
}

Result<LoadedCompanion> LoadCompanionFile(const std::string& file, spv::ExecutionModel model) {
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  Result<std::shared_ptr<const Companion>> made =
      MakeCompanion(std::move(loaded->words), file, model);
  if (!made) return made.error();
  return LoadedCompanion{std::move(*made), std::move(loaded->warnings)};
}

Result<LoadedCompanion> LoadCompanionOf(const std::string& module,
                                        const CompanionArguments& given) {
  if (!given.vertex.empty() && !given.fragment.empty()) {
    return Error{
        "--vertex and --fragment cannot be used together: MODULE itself is one of the two shaders",
        ErrorKind::kUsage};
  }
  const std::string file = CompanionFileOf(module, given);
  if (file.empty()) return LoadedCompanion();
  const bool is_vertex =
      !given.vertex.empty() || (given.fragment.empty() && StageOf(file) == ".vert");
  return LoadCompanionFile(file,
                           is_vertex ? spv::ExecutionModel::Vertex : spv::ExecutionModel::Fragment);
}

std::string InputsFileOf(const std::string& module, const std::string& given) {
  if (!given.empty() || module == "-") return given;
  std::string beside = ReplaceExtension(module, ".json");
  if (FileExists(beside)) return beside;
  const std::string staged = ReplaceExtension(module, "");
  const std::string_view stage = Extension(staged);
  if (stage != ".vert" && stage != ".frag" && stage != ".comp") return {};
  beside = ReplaceExtension(staged, ".json");
  return FileExists(beside) ? beside : std::string();
}

Result<LoadedInputs> LoadInputsOf(const std::string& module, const std::string& inputs,
                                  const CompanionArguments& companion) {
  const std::string file = InputsFileOf(module, inputs);
  Result<Inputs> values = file.empty() ? Inputs() : LoadInputs(file);
  if (!values) return values.error();
  Result<LoadedCompanion> other = LoadCompanionOf(module, companion);
  if (!other) return other.error();
  LoadedInputs loaded;
  loaded.warnings = std::move(other->warnings);
  if (file.empty() && other->companion == nullptr) return loaded;
  values->companion = std::move(other->companion);
  loaded.inputs = std::make_shared<const Inputs>(std::move(*values));
  return loaded;
}

Result<std::shared_ptr<const Inputs>> LoadInputsOf(const std::string& module) {
  Result<LoadedInputs> loaded = LoadInputsOf(module, {}, {});
  if (!loaded) return loaded.error();
  return std::move(loaded->inputs);
}

}  // namespace glsl
}  // namespace refract
