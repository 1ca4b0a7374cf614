// SPDX-License-Identifier: Apache-2.0
#include "driver/stage.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "driver/mesh_shader.h"
#include "input/block_use.h"
#include "input/mesh.h"
#include "input/pipeline/payload.h"
#include "input/pipeline/ray_shaders.h"
#include "input/stage_interface.h"
#include "ir/binary.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/module.h"
#include "ir/types.h"

namespace refract {
inline namespace driver {
namespace {

constexpr uint32_t kMaxLocation = 255;

Error Unsupported(std::string message) {
  return Error{std::move(message), ErrorKind::kUnavailable};
}

class StageReader {
 public:
  StageReader(const Module& module, const Bindings& bindings)
      : module_(module), bindings_(bindings) {}

  Status Read(const EntryPoint& entry);
  Status ReadFragment(const EntryPoint& entry, bool linked);
  void ReadCode(const EntryPoint& entry);
  EntryPointInfo stage;

 private:
  Status AddOutput(Id variable);
  Status CheckInput(Id variable, const std::vector<bool>& reached) const;
  Status CheckOrigin(const EntryPoint& entry) const;

  const Module& module_;
  const Bindings& bindings_;
  std::map<uint32_t, EntryPointInfo::Output> outputs_;
};

bool IsSubgroupCapability(spv::Capability capability) {
  using C = spv::Capability;
  switch (capability) {
    case C::GroupNonUniform:
    case C::GroupNonUniformVote:
    case C::GroupNonUniformArithmetic:
    case C::GroupNonUniformBallot:
    case C::GroupNonUniformShuffle:
    case C::GroupNonUniformShuffleRelative:
    case C::GroupNonUniformClustered:
    case C::GroupNonUniformQuad:
    case C::SubgroupBallotKHR:
    case C::SubgroupVoteKHR:
      return true;
    default:
      return false;
  }
}

// Adds an output (Vulkan 1.3, "Fragment Output Interface"). Built-ins such as FragDepth have no
// location.
Status StageReader::AddOutput(Id variable) {
  const Inst where = FindDecoration(module_, variable, spv::Decoration::Location);
  if (where == Inst::kNone) return {};
  const Inst index = FindDecoration(module_, variable, spv::Decoration::Index);
  if (index != Inst::kNone && module_.Word(index, 2) != 0) {
    return Unsupported("an output is for dual-source blending");
  }
  Id type = ElementType(module_, module_.TypeOf(variable));
  uint32_t count = 1;
  if (TypeOpcode(module_, type) == spv::Op::OpTypeArray) {
    count = PartCount(module_, type).value_or(0);
    type = ElementType(module_, type);
  }
  const Id scalar = ScalarType(module_, type);
  if (count == 0 || scalar == Id::kNone || Width(module_, scalar) == 0 ||
      Width(module_, scalar) > 32) {
    return Unsupported(
        "an output is not a scalar or vector of at most 32 bits, nor an array of these");
  }
  const Inst first = FindDecoration(module_, variable, spv::Decoration::Component);
  const uint32_t shift = first == Inst::kNone ? 0 : module_.Word(first, 2) & 3;
  const uint32_t size = IsVector(module_, type) ? *PartCount(module_, type) : 1;
  const spv::ImageFormat target = IsFloat(module_, scalar)    ? bindings_.float_target
                                  : IsSigned(module_, scalar) ? spv::ImageFormat::Rgba32i
                                                              : spv::ImageFormat::Rgba32ui;
  const uint64_t location = module_.Word(where, 2);
  if (location + count > kMaxLocation) return Unsupported("an output has a location above 255");
  for (uint32_t i = 0; i < count; ++i) {
    const auto at = static_cast<uint32_t>(location + i);
    EntryPointInfo::Output& output =
        outputs_.try_emplace(at, EntryPointInfo::Output{at, target, 0}).first->second;
    if (output.format != target) return Unsupported("one location has outputs of different types");
    for (uint32_t c = shift; c < std::min<uint64_t>(4, uint64_t{shift} + size); ++c) {
      output.components |= 1u << c;
    }
  }
  return {};
}

// Refuses inputs that only a vertex shader can give. The harness's own vertex shader outputs only
// the position, so any other input would be undefined (Vulkan 1.3,
// VUID-RuntimeSpirv-OpEntryPoint-08743).
Status StageReader::CheckInput(Id variable, const std::vector<bool>& reached) const {
  const Id block = ElementType(module_, module_.TypeOf(variable));
  const bool at_location =
      FindDecoration(module_, variable, spv::Decoration::Location) != Inst::kNone ||
      (block != Id::kNone && TypeOpcode(module_, block) == spv::Op::OpTypeStruct &&
       FindDecoration(module_, variable, spv::Decoration::BuiltIn) == Inst::kNone &&
       FindDecoration(module_, block, spv::Decoration::Block) != Inst::kNone);
  if (!at_location || !UseOf(module_, variable, reached).used) return {};
  return Unsupported("the fragment shader has an input that only a vertex shader can give");
}

// Finds out whether the module has subgroup operations, and whether the entry point uses quad
// operations and image atomics.
void StageReader::ReadCode(const EntryPoint& entry) {
  ForEachInstruction(module_, Module::SectionBlock(Section::kCapabilities), [&](Inst inst) {
    if (module_.Opcode(inst) != spv::Op::OpCapability) return;
    const auto capability = static_cast<spv::Capability>(module_.Word(inst, 0));
    stage.subgroups = stage.subgroups || IsSubgroupCapability(capability);
  });
  for (const Function function : Reached(module_, entry.function)) {
    ForEachBlock(module_, function, [&](Block block) {
      ForEachInstruction(module_, block, [&](Inst inst) {
        const spv::Op opcode = module_.Opcode(inst);
        stage.image_atomics |= opcode == spv::Op::OpImageTexelPointer;
        stage.quads |= opcode == spv::Op::OpGroupNonUniformQuadBroadcast ||
                       opcode == spv::Op::OpGroupNonUniformQuadSwap;
      });
    });
  }
}

Status StageReader::Read(const EntryPoint& entry) {
  stage.model = entry.model;
  ReadCode(entry);
  if (stage.is_compute()) {
    stage.workgroups.push_back(ReadWorkgroups(module_, entry, bindings_.constants));
    stage.workgroups.back().subgroups = stage.subgroups;
    return {};
  }
  return ReadFragment(entry, false);
}

// Vulkan forbids two execution modes ("Required Validation Rules"), but a module is run without
// being validated. Some drivers ignore the modes, so pixels would differ.
Status StageReader::CheckOrigin(const EntryPoint& entry) const {
  Status status;
  const Id function = module_.IdAt(entry.instruction, 1);
  ForEachInstruction(module_, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module_.IdAt(inst, 0) != function) return;
    const auto mode = static_cast<spv::ExecutionMode>(module_.Word(inst, 1));
    if (mode == spv::ExecutionMode::OriginLowerLeft) {
      status = Unsupported("Vulkan does not allow OriginLowerLeft");
    } else if (mode == spv::ExecutionMode::PixelCenterInteger) {
      status = Unsupported("Vulkan does not allow PixelCenterInteger");
    }
  });
  return status;
}

// Reads a fragment shader. If `linked`, a vertex shader of the job gives its inputs.
Status StageReader::ReadFragment(const EntryPoint& entry, bool linked) {
  if (Status allowed = CheckOrigin(entry); !allowed) return allowed;
  if (std::string problem = PixelProblem(module_, entry, bindings_); !problem.empty()) {
    return Unsupported(std::move(problem));
  }
  const std::vector<bool> reached = ReachedFlags(module_, entry.function);
  for (const Id variable : entry.interface) {
    const spv::StorageClass storage = StorageClassOf(module_, module_.TypeOf(variable));
    if (storage == spv::StorageClass::Input && !linked) {
      if (Status fit = CheckInput(variable, reached); !fit) return fit;
    }
    // An output that nothing writes has no colour target.
    if (storage != spv::StorageClass::Output || !UseOf(module_, variable, reached).used) continue;
    if (Status added = AddOutput(variable); !added) return added;
  }
  for (const auto& [location, output] : outputs_) stage.outputs.push_back(output);
  return {};
}

// A module with one of its entry points.
struct Shader {
  Module module;
  EntryPoint entry;
  std::vector<BoundConstant> constants = {};  ///< the values of its specialisation constants
};

// `model`: the stage of the entry point, if it is known. Entry points of different stages may have
// one name.
Result<Shader> ReadShader(const std::vector<uint32_t>& spirv, const std::string& name,
                          std::optional<spv::ExecutionModel> model = std::nullopt) {
  Result<Module> module = ReadModule(spirv, "the module");
  if (!module) return module.error();
  bool any = false;
  for (EntryPoint& entry : EntryPoints(*module)) {
    if (entry.name != name || entry.function == Function::kNone) continue;
    any = true;
    if (StageName(entry.model).empty() || (model && entry.model != *model)) continue;
    return Shader{std::move(*module), std::move(entry), {}};
  }
  if (any) return Unsupported(format("entry point '{}' is not a {}", name, kRunnableStages));
  return Unsupported(format("the module has no entry point '{}'", name));
}

// Reads what is drawn: the mesh, with the attributes that the vertex shader reads.
Status ReadMesh(const Shader& vertex, const Bindings& bindings, EntryPointInfo* stage) {
  const auto inputs = InterfaceOf(vertex.module, vertex.entry, spv::StorageClass::Input);
  if (!inputs) return inputs.error();
  stage->mesh = MeshOf(bindings);
  std::string missing = VertexProblem(vertex.module, vertex.entry, *inputs, stage->mesh);
  if (!missing.empty()) return Unsupported(std::move(missing));
  std::erase_if(stage->mesh.attributes, [&](const BoundAttribute& attribute) {
    return std::none_of(inputs->begin(), inputs->end(), [&](const InterfaceSlot& slot) {
      return !slot.built_in && slot.location == attribute.location;
    });
  });
  return {};
}

bool HasBuiltIn(const std::vector<InterfaceSlot>& slots, spv::BuiltIn built_in) {
  return std::any_of(slots.begin(), slots.end(),
                     [&](const InterfaceSlot& slot) { return slot.built_in == built_in; });
}

Status Link(const Shader& from, const Shader& to) {
  if (from.entry.model == spv::ExecutionModel::TaskEXT) {
    std::string problem = PayloadProblem(from.module, from.entry, to.module, to.entry);
    return problem.empty() ? Status() : Status(Unsupported(std::move(problem)));
  }
  const auto given = InterfaceOf(from.module, from.entry, spv::StorageClass::Output);
  if (!given) return given.error();
  const auto wanted = InterfaceOf(to.module, to.entry, spv::StorageClass::Input);
  if (!wanted) return wanted.error();
  const bool makes_primitives = from.entry.model == spv::ExecutionModel::Geometry ||
                                from.entry.model == spv::ExecutionModel::MeshEXT;
  if (makes_primitives && HasBuiltIn(*wanted, spv::BuiltIn::PrimitiveId) &&
      !HasBuiltIn(*given, spv::BuiltIn::PrimitiveId)) {
    return Unsupported(
        format("the fragment shader reads PrimitiveId, which the {} shader does not write",
               StageName(from.entry.model)));
  }
  if (HasBuiltIn(*given, spv::BuiltIn::Layer) || HasBuiltIn(*given, spv::BuiltIn::ViewportIndex)) {
    return Unsupported(format("the {} shader chooses a layer or a viewport, and there is only one",
                              StageName(from.entry.model)));
  }
  std::string problem = LinkProblem(*given, *wanted, from.entry.model, to.entry.model);
  return problem.empty() ? Status() : Status(Unsupported(std::move(problem)));
}

// Reads what a geometry shader gets and emits, or how many vertices a tessellation control shader
// makes.
Status ReadPrimitives(const Shader& shader, EntryPointInfo* stage) {
  using Mode = spv::ExecutionMode;
  const Module& module = shader.module;
  const Id function = module.IdAt(shader.entry.instruction, 1);
  const bool is_geometry = shader.entry.model == spv::ExecutionModel::Geometry;
  uint32_t vertices = 0, invocations = 1;
  ForEachInstruction(module, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module.IdAt(inst, 0) != function) return;
    switch (static_cast<Mode>(module.Word(inst, 1))) {
      case Mode::InputPoints:
        stage->primitive = EntryPointInfo::kPoints;
        break;
      case Mode::InputLines:
        stage->primitive = EntryPointInfo::kLines;
        break;
      case Mode::InputLinesAdjacency:
        stage->primitive = EntryPointInfo::kLinesAdjacency;
        break;
      case Mode::InputTrianglesAdjacency:
        stage->primitive = EntryPointInfo::kTrianglesAdjacency;
        break;
      case Mode::OutputVertices:
        vertices = module.Word(inst, 2);
        break;
      case Mode::Invocations:
        invocations = module.Word(inst, 2);
        break;
      default:
        break;
    }
  });
  if (vertices == 0 || invocations == 0) {
    return Unsupported(format("the {} shader has no OutputVertices, or 0 of them, or 0 Invocations",
                              StageName(shader.entry.model)));
  }
  if (!is_geometry) {
    stage->control_vertices = vertices;
    return {};
  }
  stage->geometry_vertices = vertices;
  stage->geometry_invocations = invocations;
  const auto outputs = InterfaceOf(module, shader.entry, spv::StorageClass::Output);
  if (!outputs) return outputs.error();
  for (const InterfaceSlot& slot : *outputs) stage->geometry_components += slot.components;
  return {};
}

// Reads one shader of a pipeline: what it needs, and what it may not do.
Status ReadPart(const Shader& part, const Job& job, EntryPointInfo* stage) {
  using Model = spv::ExecutionModel;
  StageReader reader(part.module, job.bindings);
  reader.ReadCode(part.entry);
  stage->subgroups |= reader.stage.subgroups;
  stage->quads_early |= reader.stage.quads && part.entry.model != Model::Fragment;
  stage->image_atomics |= reader.stage.image_atomics;
  stage->stages.push_back(part.entry.model);
  if (HasWorkgroups(part.entry.model)) {
    stage->workgroups.push_back(ReadWorkgroups(part.module, part.entry, part.constants));
    stage->workgroups.back().subgroups = reader.stage.subgroups;
  }
  switch (part.entry.model) {
    case Model::Vertex:
      return ReadMesh(part, job.bindings, stage);
    case Model::TessellationEvaluation: {
      stage->primitive = EntryPointInfo::kPatches;
      std::string problem = StoreProblem(part.module, part.entry);
      return problem.empty() ? Status() : Status(Unsupported(std::move(problem)));
    }
    case Model::Geometry:
    case Model::TessellationControl:
      stage->stores_early |= StoresToMemory(part.module, part.entry);
      return ReadPrimitives(part, stage);
    case Model::TaskEXT:
      return {};
    case Model::MeshEXT: {
      const Result<MeshOutputs> outputs = ReadMeshOutputs(part.module, part.entry);
      if (!outputs) return outputs.error();
      stage->mesh_outputs = *outputs;
      return {};
    }
    default:
      if (Status read = reader.ReadFragment(part.entry, true); !read) return read;
      stage->outputs = std::move(reader.stage.outputs);
      return {};
  }
}

// The shaders of the pipeline, in order. One of them is `tested`.
Result<std::vector<Shader>> ReadShaders(const Job& job, const Shader& tested) {
  std::vector<Shader> shaders = {tested};
  shaders[0].constants = job.bindings.constants;
  std::vector<BoundCompanion> others = job.bindings.built;
  if (job.bindings.companion) others.push_back(job.bindings.companion);
  for (const BoundCompanion& other : others) {
    Result<Shader> read = ReadShader(other.spirv, other.entry, other.model);
    if (!read) return read.error();
    shaders.push_back(std::move(*read));
    shaders.back().constants = other.constants;
  }
  std::sort(shaders.begin(), shaders.end(), [](const Shader& a, const Shader& b) {
    return IsBefore(a.entry.model, b.entry.model);
  });
  return shaders;
}

// Reads all stages of a pipeline that draws. One of the shaders is `tested`.
Result<EntryPointInfo> ReadPipeline(const Job& job, const Shader& tested) {
  Result<std::vector<Shader>> read_shaders = ReadShaders(job, tested);
  if (!read_shaders) return read_shaders.error();
  const std::vector<Shader>& shaders = *read_shaders;
  if (shaders.size() == 1) {
    return Unsupported(
        format("the {} shader has no fragment shader", StageName(tested.entry.model)));
  }
  EntryPointInfo stage;
  stage.model = tested.entry.model;
  stage.linked = true;
  for (const Shader& part : shaders) {
    if (Status read = ReadPart(part, job, &stage); !read) return read.error();
  }
  std::vector<spv::ExecutionModel> wanted = PipelineOf(tested.entry.model);
  if (stage.stages.front() == spv::ExecutionModel::MeshEXT) {
    std::erase(wanted, spv::ExecutionModel::TaskEXT);
  }
  if (stage.stages != wanted) {
    return Unsupported(HasMadePipeline(tested.entry.model)
                           ? "the shaders are not those of one pipeline"
                           : "the two shaders are not a vertex shader and a fragment shader");
  }
  for (size_t i = 0; i + 1 < shaders.size(); ++i) {
    if (Status linked = Link(shaders[i], shaders[i + 1]); !linked) return linked.error();
  }
  if (stage.primitive != EntryPointInfo::kTriangles &&
      stage.mesh.topology != BoundMesh::kTriangleList) {
    return Unsupported("$vertices has a topology of triangles, but the shader reads others");
  }
  return stage;
}

// Reads all shaders of a pipeline that traces rays. One of them is `tested`.
Result<EntryPointInfo> ReadRays(const Job& job, const Shader& tested) {
  Result<std::vector<Shader>> shaders = ReadShaders(job, tested);
  if (!shaders) return shaders.error();
  EntryPointInfo stage;
  stage.model = tested.entry.model;
  for (const Shader& part : *shaders) {
    StageReader reader(part.module, job.bindings);
    reader.ReadCode(part.entry);
    stage.subgroups |= reader.stage.subgroups;
    stage.quads_early |= reader.stage.quads;
    stage.image_atomics |= reader.stage.image_atomics;
    stage.stages.push_back(part.entry.model);
    stage.hit_attribute_bytes = std::max(stage.hit_attribute_bytes,
                                         BytesOfVariables(part.module, part.entry, part.constants,
                                                          spv::StorageClass::HitAttributeKHR));
  }
  std::vector<spv::ExecutionModel> wanted = PipelineOf(tested.entry.model);
  std::erase_if(
      wanted, [&](spv::ExecutionModel model) { return IsOptionalRay(model) && !stage.Has(model); });
  if (stage.stages != wanted) return Unsupported("the shaders are not those of one pipeline");
  std::vector<StageShader> all;
  for (const Shader& part : *shaders) {
    all.push_back({part.module, part.entry});
    const bool first = part.entry.model == spv::ExecutionModel::RayGenerationKHR;
    if (!first && TracesRays(all.back())) stage.ray_depth = kHitRayDepth;
  }
  std::string problem = RayProblem(all);
  if (!problem.empty()) return Unsupported(std::move(problem));
  return stage;
}

}  // namespace

const Workgroups* EntryPointInfo::WorkgroupsOf(spv::ExecutionModel stage) const {
  const auto found = std::find_if(workgroups.begin(), workgroups.end(),
                                  [&](const Workgroups& one) { return one.model == stage; });
  return found == workgroups.end() ? nullptr : &*found;
}

Result<EntryPointInfo> ReadEntryPointInfo(const Job& job) {
  const Result<Shader> shader = ReadShader(job.spirv, job.entry);
  if (!shader) return shader.error();
  if (IsRay(shader->entry.model)) return ReadRays(job, *shader);
  if (shader->entry.model == spv::ExecutionModel::Vertex || HasMadePipeline(shader->entry.model) ||
      (shader->entry.model == spv::ExecutionModel::Fragment && job.bindings.companion)) {
    return ReadPipeline(job, *shader);
  }
  StageReader reader(shader->module, job.bindings);
  if (Status read = reader.Read(shader->entry); !read) return read.error();
  return std::move(reader.stage);
}

}  // namespace driver
}  // namespace refract
