// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/other_shaders.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/text.h"
#include "input/pipeline/made_shaders.h"
#include "input/pipeline/payload.h"
#include "input/pipeline/ray_shaders.h"
#include "input/pipeline/stages.h"
#include "ir/binary.h"
#include "ir/decorations.h"

namespace refract {
inline namespace input {
namespace {

using Model = spv::ExecutionModel;

// The shaders of one pipeline, while the missing ones are made.
class Pipeline {
 public:
  Pipeline(const Module& module, const EntryPoint& entry) {
    parts_.emplace(entry.model, Part{module, entry});
  }

  bool Has(Model model) const { return parts_.contains(model); }
  StageShader At(Model model) const {
    const Part& part = parts_.at(model);
    return {part.module, part.entry};
  }
  std::vector<StageShader> All() const {
    std::vector<StageShader> all;
    for (const auto& [model, part] : parts_) all.push_back({part.module, part.entry});
    return all;
  }
  /// The shader before or after all others of the pipeline that are there.
  StageShader First() const {
    return {parts_.begin()->second.module, parts_.begin()->second.entry};
  }
  StageShader Last() const {
    return {parts_.rbegin()->second.module, parts_.rbegin()->second.entry};
  }

  Status Add(MadeShader made) {
    if (!made) return made.error();
    const Companion& companion = **made;
    Result<Module> module = ReadModule(companion.spirv, companion.file);
    if (!module) return module.error();
    for (EntryPoint& entry : EntryPoints(*module)) {
      if (entry.name != companion.entry || entry.model != companion.model) continue;
      parts_.emplace(entry.model, Part{std::move(*module), std::move(entry)});
      others.push_back(std::move(*made));
      return {};
    }
    return Error{format("{}: no entry point '{}'", companion.file, companion.entry)};
  }

  Companions others;

 private:
  struct Part {
    Module module;
    EntryPoint entry;
  };
  struct InOrder {
    bool operator()(Model a, Model b) const { return IsBefore(a, b); }
  };
  std::map<Model, Part, InOrder> parts_;
};

Status AddTessellation(const Inputs& inputs, const std::string& file, Pipeline* pipeline) {
  const TessellationInput given = inputs.tessellation.value_or(TessellationInput());
  if (!pipeline->Has(Model::TessellationControl)) {
    return pipeline->Add(MakeControl(pipeline->At(Model::TessellationEvaluation), given, file));
  }
  if (pipeline->Has(Model::TessellationEvaluation)) return {};
  return pipeline->Add(MakeEvaluation(pipeline->At(Model::TessellationControl), given, file));
}

Status AddMesh(const std::string& file, Pipeline* pipeline) {
  if (!pipeline->Has(Model::MeshEXT)) {
    return pipeline->Add(MakeMesh(pipeline->At(Model::TaskEXT), file));
  }
  const StageShader mesh = pipeline->At(Model::MeshEXT);
  if (pipeline->Has(Model::TaskEXT) || PayloadOf(mesh.module, mesh.entry) == Id::kNone) return {};
  return Error{
      format("{}: the mesh shader reads a payload, which only a task shader can give", file),
      ErrorKind::kUnavailable};
}

// The companion, the other shader of the module, and shaders that are made here.
Result<Companions> MakeOthers(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                              const std::string& file) {
  Pipeline pipeline(module, entry);
  if (inputs.companion != nullptr) {
    if (Status added = pipeline.Add(inputs.companion); !added) return added.error();
  }
  Status added;
  for (const Model partner : PartnersOf(entry.model)) {
    if (added && !pipeline.Has(partner) && HasStage(module, partner)) {
      added = pipeline.Add(MakeCompanion(WriteModule(module), file, partner));
    }
  }
  if (added && IsTessellation(entry.model)) added = AddTessellation(inputs, file, &pipeline);
  if (added && IsMeshStage(entry.model)) added = AddMesh(file, &pipeline);
  if (added && !pipeline.Has(Model::Vertex) && !IsMeshStage(entry.model)) {
    added = pipeline.Add(MakeVertex(pipeline.First(), file));
  }
  if (added && !pipeline.Has(Model::Fragment)) {
    added = pipeline.Add(MakeFragment(pipeline.Last(), file));
  }
  if (!added) return added.error();
  return std::move(pipeline.others);
}

// Whether a variable of the module is in the descriptor set.
bool UsesSet(const Module& module, uint32_t set) {
  bool uses = false;
  ForEachGlobalVariable(module, [&](Inst variable) {
    const Inst place =
        FindDecoration(module, module.Result(variable), spv::Decoration::DescriptorSet);
    uses |= place != Inst::kNone && module.Word(place, 2) == set;
  });
  return uses;
}

Result<Companions> OthersOfRays(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                                const std::string& file) {
  Pipeline pipeline(module, entry);
  if (inputs.companion != nullptr) {
    if (Status added = pipeline.Add(inputs.companion); !added) return added.error();
  }
  for (const Model model : PipelineOf(entry.model)) {
    if (pipeline.Has(model) || !HasStage(module, model)) continue;
    Status added = pipeline.Add(MakeCompanion(WriteModule(module), file, model));
    if (!added) return added.error();
  }
  const bool makes_rays = !pipeline.Has(Model::RayGenerationKHR);
  if (makes_rays && !IsOptionalRay(entry.model)) {
    return Error{format("{}: a {} shader runs only with a ray generation shader: a file NAME.rgen "
                        "in the same folder, or --ray-generation",
                        file, StageName(entry.model)),
                 ErrorKind::kUnavailable};
  }
  Status added;
  if (makes_rays) {
    if (UsesSet(module, kMadeSet)) {
      return Error{format("{}: the module uses set {}, which is for the ray generation shader that "
                          "Refract makes; use another set, or a file for that shader",
                          file, kMadeSet),
                   ErrorKind::kUnavailable};
    }
    added = pipeline.Add(MakeGeneration(pipeline.All(), entry.model == Model::CallableKHR, file));
  }
  if (added && !pipeline.Has(Model::ClosestHitKHR)) {
    // An any-hit, miss or callable shader alone says what a payload holds. It does not matter which
    // shader of the pipeline is under test.
    const bool stores = !pipeline.Has(Model::AnyHitKHR) && !pipeline.Has(Model::MissKHR) &&
                        !pipeline.Has(Model::CallableKHR);
    added = pipeline.Add(makes_rays ? MakeRecordingHit(file)
                         : stores   ? MakeClosestHit(pipeline.At(Model::RayGenerationKHR), file)
                                    : MakeIdle(Model::ClosestHitKHR, file));
  }
  if (added && !pipeline.Has(Model::MissKHR)) {
    added = pipeline.Add(MakeIdle(Model::MissKHR, file));
  }
  const std::vector<StageShader> callers = pipeline.All();
  if (added && !pipeline.Has(Model::CallableKHR) &&
      std::any_of(callers.begin(), callers.end(), CallsCallable)) {
    added = pipeline.Add(MakeIdle(Model::CallableKHR, file));
  }
  if (!added) return added.error();
  if (std::string problem = RayProblem(pipeline.All()); !problem.empty()) {
    return Error{format("{}: {}", file, problem), ErrorKind::kUnavailable};
  }
  return std::move(pipeline.others);
}

}  // namespace

Result<Companions> OtherShaders(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                                const std::string& file) {
  const std::shared_ptr<const Companion>& given = inputs.companion;
  if (given != nullptr) {
    const std::vector<Model> stages = PipelineOf(entry.model);
    const bool fits = std::find(stages.begin(), stages.end(), given->model) != stages.end();
    if (!fits || given->model == entry.model) {
      return Error{
          HasMadePipeline(entry.model) || IsRay(entry.model)
              ? format("{}: cannot be used together with the entry point '{}', which is "
                       "{} {} shader",
                       given->file, entry.name,
                       IsOptionalRay(entry.model) && entry.model != Model::CallableKHR ? "an" : "a",
                       StageName(entry.model))
              : format("{}: cannot be drawn together with the entry point '{}': a "
                       "pipeline needs one vertex shader and one fragment shader",
                       given->file, entry.name)};
    }
  }
  if (IsRay(entry.model)) return OthersOfRays(module, entry, inputs, file);
  if (HasMadePipeline(entry.model)) return MakeOthers(module, entry, inputs, file);
  if (given != nullptr) return Companions{given};
  if (entry.model != Model::Vertex) return Companions();
  MadeShader showing = MakeFragment({module, entry}, file);
  if (!showing) return showing.error();
  return Companions{std::move(*showing)};
}

}  // namespace input
}  // namespace refract
