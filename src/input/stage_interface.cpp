// SPDX-License-Identifier: Apache-2.0
#include "input/stage_interface.h"

#include "base/text.h"
#include "input/block_use.h"
#include "input/mesh.h"
#include "input/pipeline/stages.h"
#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace input {
namespace {

Error Unavailable(std::string message) {
  return Error{std::move(message), ErrorKind::kUnavailable};
}

// What is known of a part of a variable on the way down to its scalars.
struct Place {
  std::optional<uint32_t> location;
  uint32_t component = 0;
  std::optional<spv::BuiltIn> built_in;
  bool flat = false, no_perspective = false, centroid = false, sample = false, patch = false;
  bool primitive = false;
};

class Walk {
 public:
  /// `attributes`: they are inputs of a vertex shader, which may have 16 and 64 bits.
  Walk(const Module& module, bool attributes, std::vector<InterfaceSlot>* slots)
      : module_(module), attributes_(attributes), slots_(slots) {}

  /// `arrayed`: the variable has an element for each vertex, unless it is decorated with Patch.
  Status Take(Id variable, bool arrayed);

 private:
  Status Go(Id type, Place* place);
  Status GoStruct(Id type, const Place& place);
  Status Emit(Id type, Place* place);
  template <class Find>
  void Decorate(Find find, Place* place) const;

  const Module& module_;
  const bool attributes_;
  std::vector<InterfaceSlot>* slots_;
  Id variable_ = Id::kNone, whole_ = Id::kNone;
  bool arrayed_ = false;
  uint32_t scalars_ = 0;
};

// Reads the decorations of a place. `find` returns the instruction of a decoration and the index of
// its first literal.
template <class Find>
void Walk::Decorate(Find find, Place* place) const {
  const auto word = [&](spv::Decoration decoration) -> std::optional<uint32_t> {
    const auto [inst, literal] = find(decoration);
    if (inst == Inst::kNone) return std::nullopt;
    return module_.Word(inst, literal);
  };
  const auto has = [&](spv::Decoration decoration) {
    return find(decoration).first != Inst::kNone;
  };
  if (const auto location = word(spv::Decoration::Location)) place->location = *location;
  if (const auto component = word(spv::Decoration::Component)) place->component = *component & 3;
  if (const auto built_in = word(spv::Decoration::BuiltIn)) {
    place->built_in = static_cast<spv::BuiltIn>(*built_in);
  }
  place->patch |= has(spv::Decoration::Patch);
  place->primitive |= has(spv::Decoration::PerPrimitiveEXT);
  place->flat |= has(spv::Decoration::Flat);
  place->no_perspective |= has(spv::Decoration::NoPerspective);
  place->centroid |= has(spv::Decoration::Centroid);
  place->sample |= has(spv::Decoration::Sample);
}

Status Walk::Take(Id variable, bool arrayed) {
  variable_ = variable;
  scalars_ = 0;
  whole_ = ElementType(module_, module_.TypeOf(variable));
  Place place;
  Decorate(
      [&](spv::Decoration decoration) {
        return std::pair(FindDecoration(module_, variable, decoration), 2u);
      },
      &place);
  // Some built-ins, such as PrimitiveId, have one value for all vertices.
  arrayed_ = arrayed && !place.patch && TypeOpcode(module_, whole_) == spv::Op::OpTypeArray;
  if (arrayed_) whole_ = ElementType(module_, whole_);
  return Go(whole_, &place);
}

// Visits a type and moves place->location past it.
Status Walk::Go(Id type, Place* place) {
  const spv::Op opcode = TypeOpcode(module_, type);
  if (opcode == spv::Op::OpTypeStruct) return GoStruct(type, *place);
  if (opcode == spv::Op::OpTypeMatrix || opcode == spv::Op::OpTypeArray) {
    const std::optional<uint32_t> parts = PartCount(module_, type);
    if (!parts || *parts > 4096) {
      return Unavailable(
          "a stage input or output has an unknown length, or more than 4096 elements");
    }
    for (uint32_t i = 0; i < *parts; ++i) {
      if (Status went = Go(ElementType(module_, type), place); !went) return went;
    }
    return {};
  }
  return Emit(type, place);
}

// Members have their own locations, or consecutive locations from that of the block.
Status Walk::GoStruct(Id type, const Place& place) {
  Place next = place;
  const uint32_t members = PartCount(module_, type).value_or(0);
  for (uint32_t member = 0; member < members; ++member) {
    Place own = place;
    own.location = next.location;
    Decorate(
        [&](spv::Decoration decoration) {
          return std::pair(FindMemberDecoration(module_, type, member, decoration), 3u);
        },
        &own);
    if (Status went = Go(PartType(module_, type, member), &own); !went) return went;
    if (!own.built_in) next.location = own.location;
  }
  return {};
}

Status Walk::Emit(Id type, Place* place) {
  const Id scalar = ScalarType(module_, type);
  if (scalar == Id::kNone)
    return Unavailable("a stage input or output has a type that is not numeric");
  InterfaceSlot slot;
  slot.variable = variable_;
  slot.type = type;
  slot.first = scalars_;
  slot.components = IsVector(module_, type) ? *PartCount(module_, type) : 1;
  slot.kind = IsFloat(module_, scalar)    ? InterfaceSlot::kFloat
              : !IsInt(module_, scalar)   ? InterfaceSlot::kOther
              : IsSigned(module_, scalar) ? InterfaceSlot::kInt
                                          : InterfaceSlot::kUint;
  slot.width = Width(module_, scalar);
  slot.whole = type == whole_;
  slot.arrayed = arrayed_;
  slot.patch = place->patch;
  slot.primitive = place->primitive;
  slot.flat = place->flat;
  slot.no_perspective = place->no_perspective;
  slot.centroid = place->centroid;
  slot.sample = place->sample;
  slot.built_in = place->built_in;
  scalars_ += slot.components;
  if (!slot.built_in) {
    if (!place->location) return Unavailable("a stage input or output has no location");
    if (slot.width != 32 && !(attributes_ && (slot.width == 16 || slot.width == 64))) {
      return Unavailable(format("a stage input or output has {} bits; only 32 bits are supported{}",
                                slot.width,
                                attributes_ ? ", or 16 and 64 for inputs of vertex shaders" : ""));
    }
    slot.location = *place->location;
    slot.component = place->component;
    *place->location += slot.width == 64 && slot.components > 2 ? 2 : 1;
  }
  slots_->push_back(slot);
  return {};
}

bool IsMemory(spv::StorageClass storage) {
  switch (storage) {
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::UniformConstant:
    case spv::StorageClass::Image:
    case spv::StorageClass::PhysicalStorageBuffer:
      return true;
    default:
      return false;
  }
}

bool Stores(const Module& module, Inst inst) {
  const spv::Op opcode = module.Opcode(inst);
  if (opcode == spv::Op::OpImageWrite) return true;
  const bool is_atomic = opcode >= spv::Op::OpAtomicStore && opcode <= spv::Op::OpAtomicXor;
  if (opcode != spv::Op::OpStore && opcode != spv::Op::OpCopyMemory && !is_atomic &&
      opcode != spv::Op::OpAtomicFAddEXT && opcode != spv::Op::OpAtomicFMinEXT &&
      opcode != spv::Op::OpAtomicFMaxEXT) {
    return false;
  }
  const Id type = module.TypeOf(module.IdAt(inst, 0));
  return IsPointer(module, type) && IsMemory(StorageClassOf(module, type));
}

std::string NameOf(const InterfaceSlot& slot, uint32_t component) {
  return format("{}location {}, component {}", slot.patch ? "the patch's " : "", slot.location,
                component);
}

// Whether the variables have an element for each vertex or each primitive (Vulkan 1.3, "Shader
// Input and Output Interfaces").
bool HasVertexArrays(spv::ExecutionModel model, spv::StorageClass storage) {
  if (model == spv::ExecutionModel::TessellationControl) return true;
  if (model == spv::ExecutionModel::MeshEXT) return storage == spv::StorageClass::Output;
  return storage == spv::StorageClass::Input &&
         (model == spv::ExecutionModel::TessellationEvaluation ||
          model == spv::ExecutionModel::Geometry);
}

// Whether the interface has an input for which a fragment shader runs for each sample.
bool RunsForEachSample(const Module& module, const EntryPoint& entry) {
  for (const Id variable : entry.interface) {
    if (StorageClassOf(module, module.TypeOf(variable)) != spv::StorageClass::Input) continue;
    const Inst built_in = FindDecoration(module, variable, spv::Decoration::BuiltIn);
    if (built_in != Inst::kNone) {
      const auto which = static_cast<spv::BuiltIn>(module.Word(built_in, 2));
      if (which == spv::BuiltIn::SampleId || which == spv::BuiltIn::SamplePosition) return true;
    }
    if (FindDecoration(module, variable, spv::Decoration::Sample) != Inst::kNone) return true;
    const Id type = ElementType(module, module.TypeOf(variable));
    const uint32_t members =
        TypeOpcode(module, type) == spv::Op::OpTypeStruct ? PartCount(module, type).value_or(0) : 0;
    for (uint32_t i = 0; i < members; ++i) {
      if (FindMemberDecoration(module, type, i, spv::Decoration::Sample) != Inst::kNone)
        return true;
    }
  }
  return false;
}

}  // namespace

Result<std::vector<InterfaceSlot>> InterfaceOf(const Module& module, const EntryPoint& entry,
                                               spv::StorageClass storage) {
  std::vector<InterfaceSlot> slots;
  const std::vector<bool> reached = ReachedFlags(module, entry.function);
  const bool attributes =
      entry.model == spv::ExecutionModel::Vertex && storage == spv::StorageClass::Input;
  const bool arrayed = HasVertexArrays(entry.model, storage);
  Walk walk(module, attributes, &slots);
  for (const Id variable : entry.interface) {
    if (StorageClassOf(module, module.TypeOf(variable)) != storage) continue;
    if (!UseOf(module, variable, reached).used) continue;
    if (Status taken = walk.Take(variable, arrayed); !taken) return taken.error();
  }
  return slots;
}

const InterfaceSlot* FindOutput(const std::vector<InterfaceSlot>& outputs,
                                const InterfaceSlot& wanted, uint32_t component) {
  for (const InterfaceSlot& slot : outputs) {
    if (!slot.built_in && slot.location == wanted.location && slot.patch == wanted.patch &&
        slot.HasComponent(component)) {
      return &slot;
    }
  }
  return nullptr;
}

std::string LinkProblem(const std::vector<InterfaceSlot>& outputs,
                        const std::vector<InterfaceSlot>& wanted, spv::ExecutionModel from_stage,
                        spv::ExecutionModel to_stage) {
  for (const InterfaceSlot& slot : wanted) {
    if (slot.built_in) continue;
    for (uint32_t i = 0; i < slot.components; ++i) {
      const uint32_t component = slot.component + i;
      const InterfaceSlot* from = FindOutput(outputs, slot, component);
      if (from == nullptr) {
        return format("the {} shader reads {}, which the {} shader does not write",
                      StageName(to_stage), NameOf(slot, component), StageName(from_stage));
      }
      if (from->primitive != slot.primitive) {
        return format("{} is for each primitive in only one of the {} shader and the {} shader",
                      NameOf(slot, component), StageName(from_stage), StageName(to_stage));
      }
      if (from->kind != slot.kind) {
        return format("{} has different types in the {} shader and in the {} shader",
                      NameOf(slot, component), StageName(from_stage), StageName(to_stage));
      }
    }
  }
  return {};
}

std::string VertexProblem(const Module& module, const EntryPoint& entry,
                          const std::vector<InterfaceSlot>& inputs, const BoundMesh& mesh) {
  for (const InterfaceSlot& slot : inputs) {
    if (slot.built_in) continue;
    if (std::string problem = AttributeProblem(mesh, slot); !problem.empty()) return problem;
  }
  return StoreProblem(module, entry);
}

bool HasMode(const Module& module, const EntryPoint& entry, spv::ExecutionMode mode) {
  bool has = false;
  ForEachMode(module, entry, [&](spv::ExecutionMode one, uint32_t) { has |= one == mode; });
  return has;
}

bool StoresToMemory(const Module& module, const EntryPoint& entry) {
  for (const Function function : Reached(module, entry.function)) {
    bool stores = false;
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) { stores |= Stores(module, inst); });
    });
    if (stores) return true;
  }
  return false;
}

std::string PixelProblem(const Module& module, const EntryPoint& entry, const Bindings& bindings) {
  if (entry.model != spv::ExecutionModel::Fragment || bindings.samples == 1 ||
      bindings.per_sample) {
    return {};
  }
  constexpr std::string_view kNeed = "; this needs \"per_sample\": true in $framebuffer";
  if (RunsForEachSample(module, entry)) {
    return format(
        "the shader runs for each sample, because it has gl_SampleID, gl_SamplePosition "
        "or an input that is decorated with Sample{}",
        kNeed);
  }
  if (StoresToMemory(module, entry)) {
    return format("the shader stores to memory, although it may run several times for a pixel{}",
                  kNeed);
  }
  for (const BoundImage& image : bindings.images) {
    if (image.kind != BoundImage::kAttachment || image.samples == 1) continue;
    return format(
        "the shader reads a multisampled input attachment, for which it may run for each "
        "sample{}",
        kNeed);
  }
  return {};
}

std::string StoreProblem(const Module& module, const EntryPoint& entry) {
  if (!StoresToMemory(module, entry)) return {};
  return format(
      "the {} shader stores to memory; this is not supported, because the shader may run any "
      "number of times for each vertex",
      StageName(entry.model));
}

}  // namespace input
}  // namespace refract
