// SPDX-License-Identifier: Apache-2.0
#include "input/pipeline/other_shaders.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "input/pipeline/made_shaders.h"
#include "input/pipeline/stages.h"
#include "ir/binary.h"

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
  std::map<Model, Part> parts_;  // in the order of a pipeline, which is that of the numbers
};

Status AddTessellation(const Inputs& inputs, const std::string& file, Pipeline* pipeline) {
  const TessellationInput given = inputs.tessellation.value_or(TessellationInput());
  if (!pipeline->Has(Model::TessellationControl)) {
    return pipeline->Add(MakeControl(pipeline->At(Model::TessellationEvaluation), given, file));
  }
  if (pipeline->Has(Model::TessellationEvaluation)) return {};
  return pipeline->Add(MakeEvaluation(pipeline->At(Model::TessellationControl), given, file));
}

// The other tessellation shader of the module, if it has one.
bool HasOtherTessellation(const Module& module, Model wanted) {
  const std::vector<EntryPoint> entries = EntryPoints(module);
  return std::any_of(entries.begin(), entries.end(), [&](const EntryPoint& entry) {
    return entry.model == wanted && entry.function != Function::kNone;
  });
}

Result<Companions> OthersBetween(const Module& module, const EntryPoint& entry,
                                 const Inputs& inputs, const std::string& file) {
  Pipeline pipeline(module, entry);
  if (inputs.companion != nullptr) {
    if (Status added = pipeline.Add(inputs.companion); !added) return added.error();
  }
  if (IsTessellation(entry.model)) {
    const Model other = entry.model == Model::TessellationControl ? Model::TessellationEvaluation
                                                                  : Model::TessellationControl;
    Status added;
    if (!pipeline.Has(other) && HasOtherTessellation(module, other)) {
      added = pipeline.Add(MakeCompanion(WriteModule(module), file, other));
    }
    if (added) added = AddTessellation(inputs, file, &pipeline);
    if (!added) return added.error();
  }
  if (!pipeline.Has(Model::Vertex)) {
    Status added = pipeline.Add(MakeVertex(pipeline.First(), file));
    if (!added) return added.error();
  }
  if (!pipeline.Has(Model::Fragment)) {
    Status added = pipeline.Add(MakeFragment(pipeline.Last(), file));
    if (!added) return added.error();
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
      return Error{IsBetween(entry.model)
                       ? format("{}: cannot be drawn together with the entry point '{}', which is "
                                "a {} shader",
                                given->file, entry.name, StageName(entry.model))
                       : format("{}: cannot be drawn together with the entry point '{}': a "
                                "pipeline needs one vertex shader and one fragment shader",
                                given->file, entry.name)};
    }
  }
  if (IsBetween(entry.model)) return OthersBetween(module, entry, inputs, file);
  if (given != nullptr) return Companions{given};
  if (entry.model != Model::Vertex) return Companions();
  MadeShader showing = MakeFragment({module, entry}, file);
  if (!showing) return showing.error();
  return Companions{std::move(*showing)};
}

}  // namespace input
}  // namespace refract
