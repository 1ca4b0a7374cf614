// SPDX-License-Identifier: Apache-2.0
#include "ir/divergence/divergence_memory.h"

#include <algorithm>

#include "ir/decorations.h"
#include "ir/types.h"

namespace refract {
inline namespace ir {

using Class = DivergenceClass;
using Op = spv::Op;
using Storage = spv::StorageClass;

Class ClassOfBuiltIn(uint32_t built_in) {
  switch (static_cast<spv::BuiltIn>(built_in)) {
    case spv::BuiltIn::NumWorkgroups:
    case spv::BuiltIn::WorkgroupSize:
    case spv::BuiltIn::BaseVertex:
    case spv::BuiltIn::BaseInstance:
    // In Vulkan, each draw of an indirect command is a separate group.
    case spv::BuiltIn::DrawIndex:
    case spv::BuiltIn::PatchVertices:
      return Class::kDraw;
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::NumSubgroups:
      return Class::kWorkgroup;
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::SubgroupSize:  // may differ between subgroups if the size varies
      return Class::kSubgroup;
    default:  // also ViewIndex: a command draws all views, and these may share subgroups
      return Class::kDivergent;
  }
}

namespace {

// True if nothing can be known: kernels have no structured control flow, linked modules have
// callers outside the module, and after tracing a ray an invocation may be in another subgroup.
bool IsOpaque(const Module& module) {
  bool is_shader = false, is_opaque = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kCapabilities), [&](Inst inst) {
    if (module.Opcode(inst) != Op::OpCapability) return;
    switch (static_cast<spv::Capability>(module.Word(inst, 0))) {
      case spv::Capability::Kernel:
      case spv::Capability::Addresses:
      case spv::Capability::Linkage:
      case spv::Capability::RayTracingKHR:
      case spv::Capability::RayTracingNV:
        is_opaque = true;
        break;
      default:
        is_shader = true;
    }
  });
  return is_opaque || !is_shader;
}

bool IsOwnClass(Storage storage) {
  return storage == Storage::Function || storage == Storage::Private;
}

// The struct type of a variable, or of the elements if the variable is an array.
Id BlockOf(const Module& module, Id variable) {
  Id type = ElementType(module, module.TypeOf(variable));
  while (type != Id::kNone && (TypeOpcode(module, type) == Op::OpTypeArray ||
                               TypeOpcode(module, type) == Op::OpTypeRuntimeArray)) {
    type = ElementType(module, type);
  }
  return type;
}

}  // namespace

DivergenceMemory::DivergenceMemory(const Module& module, const std::vector<Function>& reached)
    : module_(module), is_opaque_(IsOpaque(module)) {
  memory_.assign(module.id_slots(), Class::kConstant);
  roots_.assign(module.id_slots(), Id::kNone);
  group_.resize(module.id_slots());
  for (uint32_t i = 0; i < group_.size(); ++i) group_[i] = i;
  ForEachGlobalVariable(module, [&](Inst inst) {
    RecordRoot(inst);
    memory_[Index(module.Result(inst))] = OfGlobal(inst);
  });
  for (const Function function : reached) {
    FindRootsIn(module[function].head);
    ForEachBlock(module, function, [&](Block block) { FindRootsIn(block); });
  }
  for (const Function function : reached) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) == Op::OpFunctionCall) JoinArguments(inst);
      });
    });
  }
}

void DivergenceMemory::FindRootsIn(Block block) {
  ForEachInstruction(module_, block, [&](Inst inst) {
    if (module_.Type(inst) != Id::kNone && IsPointer(module_, module_.Type(inst))) RecordRoot(inst);
  });
}

// A definition comes before everything that it dominates (SPIR-V 2.4), so its pointer operands are
// known.
void DivergenceMemory::RecordRoot(Inst inst) {
  if (!IsOwnClass(StorageClassOf(module_, module_.Type(inst)))) return;
  Id& root = roots_[Index(module_.Result(inst))];
  switch (module_.Opcode(inst)) {
    case Op::OpVariable:
    case Op::OpFunctionParameter:
      root = module_.Result(inst);
      break;
    case Op::OpAccessChain:
    case Op::OpInBoundsAccessChain:
    case Op::OpCopyObject:
      root = roots_[Index(module_.IdAt(inst, 0))];
      break;
    default:
      break;
  }
  if (root == Id::kNone) is_opaque_ = true;
}

void DivergenceMemory::JoinArguments(Inst call) {
  const Function function = module_.FunctionOfId(module_.IdAt(call, 0));
  uint32_t operand = 1;
  ForEachInstruction(module_, module_[function].head, [&](Inst inst) {
    if (module_.Opcode(inst) != Op::OpFunctionParameter) return;
    const Id parameter = module_.Result(inst);
    if (IsOwn(parameter) && operand < module_.OperandCount(call)) {
      const Id root = roots_[Index(module_.IdAt(call, operand))];
      group_[Find(root)] = Find(parameter);
    }
    ++operand;
  });
}

uint32_t DivergenceMemory::Find(Id root) const {
  uint32_t at = Index(root);
  while (group_[at] != at) at = group_[at];
  return at;
}

void DivergenceMemory::Raise(Id root, Class to) {
  Class& memory = memory_[Find(root)];
  if (memory >= to) return;
  memory = to;
  changed_ = true;
}

bool DivergenceMemory::TakeChanged() {
  const bool changed = changed_;
  changed_ = false;
  return changed;
}

std::optional<DivergenceMemory::Write> DivergenceMemory::WriteAt(Inst inst, const Properties& row,
                                                                 uint32_t operand) const {
  if (row.pure || row.op == Op::OpLoad || IsDebugInstruction(module_, inst)) return std::nullopt;
  if (row.op == Op::OpCopyMemory && operand < 2) {
    return operand == 0 ? std::optional(Write::kCopy) : std::nullopt;
  }
  const bool is_target =
      row.writes == MemoryEffect{MemoryEffect::kPointer, static_cast<uint8_t>(operand)};
  const bool is_plain = row.op == Op::OpStore || row.op == Op::OpExtInst;
  return is_target && is_plain && row.agreement == Agreement::kAsOperands ? Write::kOperands
                                                                          : Write::kAnything;
}

Class DivergenceMemory::Read(Id pointer) const {
  if (is_opaque_) return Class::kDivergent;
  if (IsOwnClass(StorageClassOf(module_, module_.TypeOf(pointer)))) {
    const Id root = roots_[Index(pointer)];
    return root == Id::kNone ? Class::kDivergent : memory_[Find(root)];
  }
  const Id root = RootOfPointer(module_, pointer);
  if (root != Id::kNone && module_.OpcodeOf(root) == Op::OpVariable) return memory_[Index(root)];
  return Class::kDivergent;
}

Class DivergenceMemory::ReadBy(Inst inst, const Properties& row) const {
  switch (row.reads.kind) {
    case MemoryEffect::kPointer: {
      if (row.op == Op::OpLoad && module_.OperandCount(inst) > 1 &&
          (module_.Word(inst, 1) & static_cast<uint32_t>(spv::MemoryAccessMask::Volatile)) != 0) {
        return Class::kDivergent;
      }
      const Id pointer = module_.IdAt(inst, row.reads.operand);
      return IsPointer(module_, module_.TypeOf(pointer)) ? Read(pointer) : Class::kDivergent;
    }
    case MemoryEffect::kImage:
      return ReadImage(module_.IdAt(inst, row.reads.operand));
    default:
      return Class::kDivergent;
  }
}

// Sampled images are never written. Input attachments are read at the fragment's own position.
Class DivergenceMemory::ReadImage(Id image) const {
  Id type = module_.TypeOf(image);
  if (type != Id::kNone && TypeOpcode(module_, type) == Op::OpTypeSampledImage) {
    type = module_.IdAt(module_.Definition(type), 0);
  }
  if (type == Id::kNone || TypeOpcode(module_, type) != Op::OpTypeImage) return Class::kDivergent;
  constexpr uint32_t kSampled = 5;
  return module_.Word(module_.Definition(type), kSampled) == 1 ? Class::kConstant
                                                               : Class::kDivergent;
}

Class DivergenceMemory::OfGlobal(Inst variable) const {
  const Id id = module_.Result(variable);
  for (const spv::Decoration shared :
       {spv::Decoration::Volatile, spv::Decoration::Coherent, spv::Decoration::Aliased}) {
    if (FindDecoration(module_, id, shared) != Inst::kNone) return Class::kDivergent;
  }
  switch (StorageClassOf(module_, module_.Type(variable))) {
    case Storage::Function:
    case Storage::Private:
      return Class::kConstant;
    case Storage::UniformConstant:
    case Storage::PushConstant:
      return Class::kDraw;
    case Storage::Uniform:
      return OfBlock(id, false);
    case Storage::StorageBuffer:
      return OfBlock(id, true);
    case Storage::Input: {
      const Inst built_in = FindDecoration(module_, id, spv::Decoration::BuiltIn);
      return built_in == Inst::kNone ? Class::kDivergent
                                     : ClassOfBuiltIn(module_.Word(built_in, 2));
    }
    default:
      return Class::kDivergent;
  }
}

// A BufferBlock is the old form of a storage buffer.
Class DivergenceMemory::OfBlock(Id variable, bool is_storage) const {
  const Id block = BlockOf(module_, variable);
  if (block == Id::kNone || TypeOpcode(module_, block) != Op::OpTypeStruct) {
    return Class::kDivergent;
  }
  using spv::Decoration;
  is_storage = is_storage || FindDecoration(module_, block, Decoration::BufferBlock) != Inst::kNone;
  const bool is_read_only =
      !is_storage || FindDecoration(module_, variable, Decoration::NonWritable) != Inst::kNone;
  for (uint32_t i = 0; i < PartCount(module_, block).value_or(0); ++i) {
    for (const Decoration shared : {Decoration::Volatile, Decoration::Coherent}) {
      if (FindMemberDecoration(module_, block, i, shared) != Inst::kNone) return Class::kDivergent;
    }
    if (!is_read_only &&
        FindMemberDecoration(module_, block, i, Decoration::NonWritable) == Inst::kNone) {
      return Class::kDivergent;
    }
  }
  return Class::kDraw;
}

}  // namespace ir
}  // namespace refract
