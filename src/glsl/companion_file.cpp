// SPDX-License-Identifier: Apache-2.0
#include "glsl/companion_file.h"

#include <optional>

#include "base/file.h"
#include "glsl/load.h"
#include "input/pipeline/stages.h"

namespace refract {
inline namespace glsl {
namespace {

using Model = spv::ExecutionModel;

constexpr const char* kForms[] = {"", ".spv", ".spvasm"};

// The name without .spv or .spvasm: "a/b.vert" for "a/b.vert.spvasm".
std::string WithoutForm(const std::string& file) {
  const std::string_view form = Extension(file);
  return form == ".spv" || form == ".spvasm" ? ReplaceExtension(file, "") : file;
}

// The stage in the name: vertex for "a/b.vert.spvasm".
std::optional<Model> StageOf(const std::string& file) {
  return StageOfEnding(Extension(WithoutForm(file)));
}

// The file that the user names, with its stage.
struct Named {
  Model model;
  std::string file;
};

std::vector<Named> NamedIn(const CompanionArguments& given) {
  std::vector<Named> named = {{Model::Vertex, given.vertex},
                              {Model::Fragment, given.fragment},
                              {Model::TessellationControl, given.control},
                              {Model::TessellationEvaluation, given.evaluation},
                              {Model::TaskEXT, given.task},
                              {Model::MeshEXT, given.mesh},
                              {Model::RayGenerationKHR, given.ray_generation},
                              {Model::ClosestHitKHR, given.closest_hit},
                              {Model::AnyHitKHR, given.any_hit},
                              {Model::IntersectionKHR, given.intersection},
                              {Model::CallableKHR, given.callable}};
  std::erase_if(named, [](const Named& one) { return one.file.empty(); });
  return named;
}

// The companion in the folder of the module; empty if not found.
std::string FindCompanionFile(const std::string& module) {
  const std::string staged = WithoutForm(module);
  const std::optional<Model> stage = StageOf(module);
  if (!stage) return {};
  for (const Model partner : PartnersOf(*stage)) {
    const std::string other = ReplaceExtension(staged, StageEnding(partner));
    std::string same = other;
    same.append(module, staged.size());
    if (FileExists(same)) return same;
    for (const char* form : kForms) {
      std::string file = other;
      file.append(form);
      if (FileExists(file)) return file;
    }
  }
  return {};
}

}  // namespace

std::string CompanionFileOf(const std::string& module, const CompanionArguments& given) {
  const std::vector<Named> named = NamedIn(given);
  return named.empty() ? FindCompanionFile(module) : named.front().file;
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
  const std::vector<Named> named = NamedIn(given);
  if (!given.vertex.empty() && !given.fragment.empty()) {
    return Error{
        "--vertex and --fragment cannot be used together: MODULE itself is one of the two shaders",
        ErrorKind::kUsage};
  }
  if (named.size() > 1) {
    return Error{
        "only one of --vertex, --control, --evaluation, --task, --mesh, --fragment, "
        "--ray-generation, --closest-hit, --any-hit, --intersection and --callable can be used: "
        "MODULE is run with one other shader, and Refract makes the rest of the pipeline",
        ErrorKind::kUsage};
  }
  const std::string file = CompanionFileOf(module, given);
  if (file.empty()) return LoadedCompanion();
  return LoadCompanionFile(file, named.empty() ? *StageOf(file) : named.front().model);
}

std::string InputsFileOf(const std::string& module, const std::string& given) {
  if (!given.empty() || module == "-") return given;
  std::string beside = ReplaceExtension(module, ".json");
  if (FileExists(beside)) return beside;
  const std::string staged = ReplaceExtension(module, "");
  if (!StageOfEnding(Extension(staged))) return {};
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
