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

}  // namespace

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

spv::ExecutionModel StageByName(const std::string& file) {
  return StageOf(file) == ".vert" ? spv::ExecutionModel::Vertex : spv::ExecutionModel::Fragment;
}

Result<LoadedCompanion> LoadCompanionFile(const std::string& file, spv::ExecutionModel model) {
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  Result<std::shared_ptr<const Companion>> made =
      MakeCompanion(std::move(loaded->words), file, model);
  if (!made) return made.error();
  return LoadedCompanion{std::move(*made), std::move(loaded->warnings)};
}

std::string FindInputsFile(const std::string& module) {
  std::string beside = ReplaceExtension(module, ".json");
  if (FileExists(beside)) return beside;
  const std::string staged = ReplaceExtension(module, "");
  const std::string_view stage = Extension(staged);
  if (stage != ".vert" && stage != ".frag" && stage != ".comp") return {};
  beside = ReplaceExtension(staged, ".json");
  return FileExists(beside) ? beside : std::string();
}

Result<std::shared_ptr<const Inputs>> LoadInputsOf(const std::string& module) {
  const std::string file = FindInputsFile(module), companion = FindCompanionFile(module);
  if (file.empty() && companion.empty()) return std::shared_ptr<const Inputs>();
  Result<Inputs> inputs = file.empty() ? Inputs() : LoadInputs(file);
  if (!inputs) return inputs.error();
  if (!companion.empty()) {
    Result<LoadedCompanion> loaded = LoadCompanionFile(companion, StageByName(companion));
    if (!loaded) return loaded.error();
    inputs->companion = std::move(loaded->companion);
  }
  return std::make_shared<const Inputs>(std::move(*inputs));
}

}  // namespace glsl
}  // namespace refract
