// SPDX-License-Identifier: Apache-2.0
#include "driver/stage.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "input/block_use.h"
#include "input/mesh.h"
#include "input/pipeline/stages.h"
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
constexpr uint64_t kMaxShared = uint64_t{1} << 31;  // far above any limit; prevents overflows

Error Unavailable(std::string message) {
  return Error{std::move(message), ErrorKind::kUnavailable};
}

class Reader {
 public:
  Reader(const Module& module, const Bindings& bindings) : module_(module), bindings_(bindings) {}

  Status Read(const EntryPoint& entry);
  Status ReadFragment(const EntryPoint& entry, bool linked);
  void ReadCode(const EntryPoint& entry);
  EntryPointInfo stage;

 private:
  Status AddOutput(Id variable);
  Status CheckInput(Id variable, const std::vector<bool>& reached) const;
  std::optional<uint32_t> ValueOf(Id constant) const;
  void ReadLocalSize(const EntryPoint& entry);
  Status CheckOrigin(const EntryPoint& entry) const;
  uint64_t BytesOf(Id type, const std::vector<uint64_t>& known) const;
  uint64_t SharedBytes() const;

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
Status Reader::AddOutput(Id variable) {
  const Inst where = FindDecoration(module_, variable, spv::Decoration::Location);
  if (where == Inst::kNone) return {};
  const Inst index = FindDecoration(module_, variable, spv::Decoration::Index);
  if (index != Inst::kNone && module_.Word(index, 2) != 0) {
    return Unavailable("an output is for dual-source blending");
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
    return Unavailable(
        "an output is not a scalar or vector of at most 32 bits, nor an array of these");
  }
  const Inst first = FindDecoration(module_, variable, spv::Decoration::Component);
  const uint32_t shift = first == Inst::kNone ? 0 : module_.Word(first, 2) & 3;
  const uint32_t size = IsVector(module_, type) ? *PartCount(module_, type) : 1;
  const spv::ImageFormat target = IsFloat(module_, scalar)    ? bindings_.float_target
                                  : IsSigned(module_, scalar) ? spv::ImageFormat::Rgba32i
                                                              : spv::ImageFormat::Rgba32ui;
  const uint64_t location = module_.Word(where, 2);
  if (location + count > kMaxLocation) return Unavailable("an output has a location above 255");
  for (uint32_t i = 0; i < count; ++i) {
    const auto at = static_cast<uint32_t>(location + i);
    EntryPointInfo::Output& output =
        outputs_.try_emplace(at, EntryPointInfo::Output{at, target, 0}).first->second;
    if (output.format != target) return Unavailable("one location has outputs of different types");
    for (uint32_t c = shift; c < std::min<uint64_t>(4, uint64_t{shift} + size); ++c) {
      output.components |= 1u << c;
    }
  }
  return {};
}

// Refuses inputs that only a vertex shader can give. The harness's own vertex shader outputs only
// the position, so any other input would be undefined (Vulkan 1.3,
// VUID-RuntimeSpirv-OpEntryPoint-08743).
Status Reader::CheckInput(Id variable, const std::vector<bool>& reached) const {
  const Id block = ElementType(module_, module_.TypeOf(variable));
  const bool at_location =
      FindDecoration(module_, variable, spv::Decoration::Location) != Inst::kNone ||
      (block != Id::kNone && TypeOpcode(module_, block) == spv::Op::OpTypeStruct &&
       FindDecoration(module_, variable, spv::Decoration::BuiltIn) == Inst::kNone &&
       FindDecoration(module_, block, spv::Decoration::Block) != Inst::kNone);
  if (!at_location || !UseOf(module_, variable, reached).used) return {};
  return Unavailable("the fragment shader has an input that only a vertex shader can give");
}

// The value of an integer constant, with the specialisation of the bindings.
std::optional<uint32_t> Reader::ValueOf(Id constant) const {
  const spv::Op opcode = module_.OpcodeOf(constant);
  if (opcode == spv::Op::OpSpecConstant) {
    const Inst id = FindDecoration(module_, constant, spv::Decoration::SpecId);
    if (id != Inst::kNone) {
      for (const BoundConstant& given : bindings_.constants) {
        if (given.id == module_.Word(id, 2)) return static_cast<uint32_t>(given.bits);
      }
    }
  } else if (opcode != spv::Op::OpConstant) {
    return std::nullopt;
  }
  return module_.Word(module_.Definition(constant), 0);
}

// The built-in WorkgroupSize takes precedence over LocalSize and LocalSizeId (Vulkan 1.3,
// "WorkgroupSize").
void Reader::ReadLocalSize(const EntryPoint& entry) {
  const Id function = module_.IdAt(entry.instruction, 1);
  ForEachInstruction(module_, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module_.IdAt(inst, 0) != function || module_.OperandCount(inst) < 5) return;
    const auto mode = static_cast<spv::ExecutionMode>(module_.Word(inst, 1));
    stage.local_size_id = stage.local_size_id || mode == spv::ExecutionMode::LocalSizeId;
    for (uint32_t i = 0; i < 3; ++i) {
      if (mode == spv::ExecutionMode::LocalSize) stage.local_size[i] = module_.Word(inst, 2 + i);
      if (mode == spv::ExecutionMode::LocalSizeId) {
        stage.local_size[i] = ValueOf(module_.IdAt(inst, 2 + i));
      }
    }
  });
  ForEachInstruction(module_, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    if (module_.Opcode(inst) != spv::Op::OpDecorate || module_.OperandCount(inst) != 3 ||
        static_cast<spv::Decoration>(module_.Word(inst, 1)) != spv::Decoration::BuiltIn ||
        static_cast<spv::BuiltIn>(module_.Word(inst, 2)) != spv::BuiltIn::WorkgroupSize) {
      return;
    }
    const Inst size = module_.Definition(module_.IdAt(inst, 0));
    const spv::Op opcode = module_.Opcode(size);
    const bool is_composite =
        opcode == spv::Op::OpConstantComposite || opcode == spv::Op::OpSpecConstantComposite;
    for (std::optional<uint32_t>& side : stage.local_size) side.reset();
    if (!is_composite || module_.OperandCount(size) != 3) return;
    for (uint32_t i = 0; i < 3; ++i) stage.local_size[i] = ValueOf(module_.IdAt(size, i));
  });
}

// The size of a type; the sizes of its parts are in `known`. 0 for a type without a size.
uint64_t Reader::BytesOf(Id type, const std::vector<uint64_t>& known) const {
  if (IsBool(module_, type)) return 4;
  if (const uint32_t width = Width(module_, type); width != 0) return (width + 7) / 8;
  const bool is_array = TypeOpcode(module_, type) == spv::Op::OpTypeArray;
  std::optional<uint32_t> parts = PartCount(module_, type);
  if (!parts && is_array) parts = ValueOf(module_.IdAt(module_.Definition(type), 1));
  if (!parts) return 0;
  if (TypeOpcode(module_, type) != spv::Op::OpTypeStruct) {
    return std::min(*parts * known[Index(ElementType(module_, type))], kMaxShared);
  }
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < *parts; ++i) {
    bytes = std::min(bytes + known[Index(PartType(module_, type, i))], kMaxShared);
  }
  return bytes;
}

// Types come before the types that use them, so one pass is enough.
uint64_t Reader::SharedBytes() const {
  uint64_t bytes = 0;
  std::vector<uint64_t> known(module_.id_slots());
  ForEachInstruction(module_, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (IsType(module_.Opcode(inst)) && module_.Result(inst) != Id::kNone) {
      known[Index(module_.Result(inst))] = BytesOf(module_.Result(inst), known);
    }
    if (module_.Opcode(inst) != spv::Op::OpVariable || !IsPointer(module_, module_.Type(inst)) ||
        StorageClassOf(module_, module_.Type(inst)) != spv::StorageClass::Workgroup) {
      return;
    }
    bytes = std::min(bytes + known[Index(ElementType(module_, module_.Type(inst)))], kMaxShared);
  });
  return bytes;
}

// Finds out whether the module has subgroup operations, and whether the entry point uses quad
// operations and image atomics.
void Reader::ReadCode(const EntryPoint& entry) {
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

Status Reader::Read(const EntryPoint& entry) {
  stage.model = entry.model;
  ReadCode(entry);
  if (stage.is_compute()) {
    ReadLocalSize(entry);
    stage.shared_bytes = SharedBytes();
    return {};
  }
  return ReadFragment(entry, false);
}

// Vulkan forbids two execution modes ("Required Validation Rules"), but a module is run without
// being validated. Some drivers ignore the modes, so pixels would differ.
Status Reader::CheckOrigin(const EntryPoint& entry) const {
  Status status;
  const Id function = module_.IdAt(entry.instruction, 1);
  ForEachInstruction(module_, Module::SectionBlock(Section::kExecutionModes), [&](Inst inst) {
    if (module_.IdAt(inst, 0) != function) return;
    const auto mode = static_cast<spv::ExecutionMode>(module_.Word(inst, 1));
    if (mode == spv::ExecutionMode::OriginLowerLeft) {
      status = Unavailable("Vulkan does not allow OriginLowerLeft");
    } else if (mode == spv::ExecutionMode::PixelCenterInteger) {
      status = Unavailable("Vulkan does not allow PixelCenterInteger");
    }
  });
  return status;
}

// Reads a fragment shader. If `linked`, a vertex shader of the job gives its inputs.
Status Reader::ReadFragment(const EntryPoint& entry, bool linked) {
  if (Status allowed = CheckOrigin(entry); !allowed) return allowed;
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
    return Shader{std::move(*module), std::move(entry)};
  }
  if (any) return Unavailable(format("entry point '{}' is not a {}", name, kRunnableStages));
  return Unavailable(format("the module has no entry point '{}'", name));
}

// Reads what is drawn: the mesh, with the attributes that the vertex shader reads.
Status ReadMesh(const Shader& vertex, const Bindings& bindings, EntryPointInfo* stage) {
  const auto inputs = InterfaceOf(vertex.module, vertex.entry, spv::StorageClass::Input);
  if (!inputs) return inputs.error();
  stage->mesh = MeshOf(bindings);
  std::string missing = VertexProblem(vertex.module, vertex.entry, *inputs, stage->mesh);
  if (!missing.empty()) return Unavailable(std::move(missing));
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
  const auto given = InterfaceOf(from.module, from.entry, spv::StorageClass::Output);
  if (!given) return given.error();
  const auto wanted = InterfaceOf(to.module, to.entry, spv::StorageClass::Input);
  if (!wanted) return wanted.error();
  if (from.entry.model == spv::ExecutionModel::Geometry &&
      HasBuiltIn(*wanted, spv::BuiltIn::PrimitiveId) &&
      !HasBuiltIn(*given, spv::BuiltIn::PrimitiveId)) {
    return Unavailable(
        "the fragment shader reads PrimitiveId, which the geometry shader does not write");
  }
  if (HasBuiltIn(*given, spv::BuiltIn::Layer) || HasBuiltIn(*given, spv::BuiltIn::ViewportIndex)) {
    return Unavailable(format("the {} shader chooses a layer or a viewport, and there is only one",
                              StageName(from.entry.model)));
  }
  std::string problem = LinkProblem(*given, *wanted, from.entry.model, to.entry.model);
  return problem.empty() ? Status() : Status(Unavailable(std::move(problem)));
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
    return Unavailable(format("the {} shader has no OutputVertices, or 0 of them, or 0 Invocations",
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
  Reader reader(part.module, job.bindings);
  reader.ReadCode(part.entry);
  stage->subgroups |= reader.stage.subgroups;
  stage->quads_early |= reader.stage.quads && part.entry.model != Model::Fragment;
  stage->image_atomics |= reader.stage.image_atomics;
  stage->stages.push_back(part.entry.model);
  switch (part.entry.model) {
    case Model::Vertex:
      return ReadMesh(part, job.bindings, stage);
    case Model::TessellationEvaluation: {
      stage->primitive = EntryPointInfo::kPatches;
      std::string problem = StoreProblem(part.module, part.entry);
      return problem.empty() ? Status() : Status(Unavailable(std::move(problem)));
    }
    case Model::Geometry:
    case Model::TessellationControl:
      stage->stores_early |= StoresToMemory(part.module, part.entry);
      return ReadPrimitives(part, stage);
    default:
      if (Status read = reader.ReadFragment(part.entry, true); !read) return read;
      stage->outputs = std::move(reader.stage.outputs);
      return {};
  }
}

// Reads all stages of a pipeline. One of the shaders is `tested`.
Result<EntryPointInfo> ReadPipeline(const Job& job, const Shader& tested) {
  std::vector<Shader> shaders = {tested};
  std::vector<BoundCompanion> others = job.bindings.built;
  if (job.bindings.companion) others.push_back(job.bindings.companion);
  if (others.empty()) {
    return Unavailable(
        format("the {} shader has no fragment shader", StageName(tested.entry.model)));
  }
  for (const BoundCompanion& other : others) {
    Result<Shader> read = ReadShader(other.spirv, other.entry, other.model);
    if (!read) return read.error();
    shaders.push_back(std::move(*read));
  }
  // The numbers of the stages have the order of a pipeline.
  std::sort(shaders.begin(), shaders.end(),
            [](const Shader& a, const Shader& b) { return a.entry.model < b.entry.model; });
  EntryPointInfo stage;
  stage.model = tested.entry.model;
  stage.linked = true;
  for (const Shader& part : shaders) {
    if (Status read = ReadPart(part, job, &stage); !read) return read.error();
  }
  if (stage.stages != PipelineOf(tested.entry.model)) {
    return Unavailable(IsBetween(tested.entry.model)
                           ? "the shaders are not those of one pipeline"
                           : "the two shaders are not a vertex shader and a fragment shader");
  }
  for (size_t i = 0; i + 1 < shaders.size(); ++i) {
    if (Status linked = Link(shaders[i], shaders[i + 1]); !linked) return linked.error();
  }
  if (stage.primitive != EntryPointInfo::kTriangles &&
      stage.mesh.topology != BoundMesh::kTriangleList) {
    return Unavailable("$vertices has a topology of triangles, but the shader reads others");
  }
  return stage;
}

}  // namespace

Result<EntryPointInfo> ReadEntryPointInfo(const Job& job) {
  const Result<Shader> shader = ReadShader(job.spirv, job.entry);
  if (!shader) return shader.error();
  if (shader->entry.model == spv::ExecutionModel::Vertex || IsBetween(shader->entry.model) ||
      (shader->entry.model == spv::ExecutionModel::Fragment && job.bindings.companion)) {
    return ReadPipeline(job, *shader);
  }
  Reader reader(shader->module, job.bindings);
  if (Status read = reader.Read(shader->entry); !read) return read.error();
  return std::move(reader.stage);
}

}  // namespace driver
}  // namespace refract
