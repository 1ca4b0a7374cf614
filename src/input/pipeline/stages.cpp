// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/stages.h"

#include <algorithm>

#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

using Model = spv::ExecutionModel;

struct Stage {
  Model model;
  std::string_view name, ending;
};

// In the order of a pipeline. The numbers of the stages do not have this order.
constexpr Stage kStages[] = {
    {Model::Vertex, "vertex", ".vert"},
    {Model::TessellationControl, "tessellation control", ".tesc"},
    {Model::TessellationEvaluation, "tessellation evaluation", ".tese"},
    {Model::Geometry, "geometry", ".geom"},
    {Model::TaskEXT, "task", ".task"},
    {Model::MeshEXT, "mesh", ".mesh"},
    {Model::Fragment, "fragment", ".frag"},
    {Model::GLCompute, "compute", ".comp"},
    {Model::RayGenerationKHR, "ray generation", ".rgen"},
    {Model::IntersectionKHR, "intersection", ".rint"},
    {Model::AnyHitKHR, "any-hit", ".rahit"},
    {Model::ClosestHitKHR, "closest hit", ".rchit"},
    {Model::MissKHR, "miss", ".rmiss"},
    {Model::CallableKHR, "callable", ".rcall"},
};

const Stage* Find(Model model) {
  for (const Stage& stage : kStages) {
    if (stage.model == model) return &stage;
  }
  return nullptr;
}

}  // namespace

std::string_view StageName(Model model) {
  const Stage* stage = Find(model);
  return stage == nullptr ? std::string_view() : stage->name;
}

std::string_view StageEnding(Model model) {
  const Stage* stage = Find(model);
  return stage == nullptr ? std::string_view() : stage->ending;
}

bool IsTessellation(Model model) {
  return model == Model::TessellationControl || model == Model::TessellationEvaluation;
}

bool IsMeshStage(Model model) {
  return model == Model::TaskEXT || model == Model::MeshEXT;
}

bool HasWorkgroups(Model model) {
  return model == Model::GLCompute || IsMeshStage(model);
}

bool HasMadePipeline(Model model) {
  return IsTessellation(model) || model == Model::Geometry || IsMeshStage(model);
}

bool IsBefore(Model a, Model b) {
  return Find(a) < Find(b);
}

bool IsOptionalRay(Model model) {
  return model == Model::IntersectionKHR || model == Model::AnyHitKHR ||
         model == Model::CallableKHR;
}

bool IsRay(Model model) {
  return model == Model::RayGenerationKHR || model == Model::ClosestHitKHR ||
         model == Model::MissKHR || IsOptionalRay(model);
}

bool IsDrawn(Model model) {
  return model == Model::Vertex || model == Model::Fragment || HasMadePipeline(model);
}

std::vector<Model> PipelineOf(Model tested) {
  if (IsRay(tested)) {
    return {Model::RayGenerationKHR, Model::IntersectionKHR, Model::AnyHitKHR,
            Model::ClosestHitKHR,    Model::MissKHR,         Model::CallableKHR};
  }
  if (IsTessellation(tested)) {
    return {Model::Vertex, Model::TessellationControl, Model::TessellationEvaluation,
            Model::Fragment};
  }
  if (tested == Model::Geometry) return {Model::Vertex, Model::Geometry, Model::Fragment};
  if (IsMeshStage(tested)) return {Model::TaskEXT, Model::MeshEXT, Model::Fragment};
  if (tested != Model::Vertex && tested != Model::Fragment) return {};
  return {Model::Vertex, Model::Fragment};
}

std::vector<Model> PartnersOf(Model model) {
  constexpr std::pair<Model, Model> kPairs[] = {
      {Model::Vertex, Model::Fragment},
      {Model::TessellationControl, Model::TessellationEvaluation},
      {Model::TaskEXT, Model::MeshEXT}};
  if (model == Model::RayGenerationKHR) {
    return {Model::ClosestHitKHR, Model::AnyHitKHR, Model::IntersectionKHR, Model::CallableKHR};
  }
  if (IsRay(model)) return {Model::RayGenerationKHR};
  for (const auto& [before, after] : kPairs) {
    if (model == before) return {after};
    if (model == after) return {before};
  }
  return {};
}

std::optional<Model> StageOfEnding(std::string_view ending) {
  for (const Stage& stage : kStages) {
    if (ending == stage.ending) return stage.model;
  }
  return std::nullopt;
}

bool HasStage(const Module& module, Model wanted) {
  const std::vector<EntryPoint> entries = EntryPoints(module);
  return std::any_of(entries.begin(), entries.end(), [&](const EntryPoint& entry) {
    return entry.model == wanted && entry.function != Function::kNone;
  });
}

Status CheckRunnable(const EntryPoint& entry, const std::string& file) {
  if (Find(entry.model) != nullptr) return {};
  return Error{format("{}: entry point '{}' is not a {}; only these can be run", file, entry.name,
                      kRunnableStages),
               ErrorKind::kUnavailable};
}

}  // namespace input
}  // namespace refract
