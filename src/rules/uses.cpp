// SPDX-License-Identifier: Apache-2.0
#include "rules/uses.h"

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {

OperandUse FindUse(const Module& module, const message::Use& use) {
  const Inst user = module.Find(use.user);
  const Id id = module.FindId(use.id);
  if (user == Inst::kNone || id == Id::kNone || !module.IsBasicBlock(module.BlockOf(user))) {
    return {};
  }
  uint32_t seen = 0;
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (!module.IsId(user, i) || module.IdAt(user, i) != id) continue;
    if (seen++ == use.occurrence) return {user, i};
  }
  return {};
}

OperandUse FindUse(const View& view, const message::Use& use) {
  const OperandUse place = FindUse(view.module(), use);
  if (!place) return place;
  // Include the earlier occurrences of the id, because without one of them this occurrence would
  // have another number.
  const Id id = view.module().IdAt(place.user, place.operand);
  for (uint32_t i = 0; i <= place.operand; ++i) {
    if (view.module().IsId(place.user, i) && view.module().IdAt(place.user, i) == id) {
      view.DependOn(place.user, i);
    }
  }
  return place;
}

void DependOnForm(const View& view, Inst inst) {
  const Module& module = view.module();
  for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
    const Operand& operand = module.OperandAt(inst, i);
    const Id id = operand.is_id() ? static_cast<Id>(operand.word) : Id::kNone;
    if (id == Id::kNone || IsConstant(module.OpcodeOf(id)) ||
        module.NameOf(id).step == operand.step) {
      view.DependOn(inst, i);
    }
  }
}

CheckResult HasExpectedOpcode(const View& view, Inst inst, uint32_t opcode) {
  const Module& module = view.module();
  if (inst == Inst::kNone) return No("the operation does not exist");
  if (!module.IsBasicBlock(module.BlockOf(inst))) {
    return No("the operation is not in a basic block");
  }
  if (static_cast<uint32_t>(module.Opcode(inst)) != opcode) {
    return No("the operation does not have the opcode that the message names");
  }
  DependOnForm(view, inst);
  return Yes();
}

message::Use DescribeUse(const Module& module, Inst user, uint32_t operand) {
  message::Use use;
  const Id id = module.IdAt(user, operand);
  use.user = module.NameOf(user);
  use.id = module.NameOf(id);
  for (uint32_t i = 0; i < operand; ++i) {
    if (module.IsId(user, i) && module.IdAt(user, i) == id) ++use.occurrence;
  }
  return use;
}

namespace {

// True if the module declares that an index which is not a constant may select a descriptor in an
// array of this type (Vulkan 1.3, shaderUniformBufferArrayDynamicIndexing and similar).
bool HasDynamicDescriptors(const Module& module, spv::StorageClass storage, Id type) {
  using C = spv::Capability;
  const auto has_any = [&](C uniform, C non_uniform) {
    return HasCapability(module, uniform) || HasCapability(module, non_uniform);
  };
  while (TypeOpcode(module, type) == spv::Op::OpTypeArray ||
         TypeOpcode(module, type) == spv::Op::OpTypeRuntimeArray) {
    type = ElementType(module, type);
  }
  if (storage == spv::StorageClass::StorageBuffer ||
      FindDecoration(module, type, spv::Decoration::BufferBlock) != Inst::kNone) {
    return has_any(C::StorageBufferArrayDynamicIndexing, C::StorageBufferArrayNonUniformIndexing);
  }
  if (storage == spv::StorageClass::Uniform) {
    return has_any(C::UniformBufferArrayDynamicIndexing, C::UniformBufferArrayNonUniformIndexing);
  }
  if (TypeOpcode(module, type) == spv::Op::OpTypeSampledImage) {
    type = module.IdAt(module.Definition(type), 0);
  }
  const bool is_image = TypeOpcode(module, type) == spv::Op::OpTypeImage;
  if (!is_image && TypeOpcode(module, type) != spv::Op::OpTypeSampler) return false;
  const Inst image = module.Definition(type);
  const auto dim = static_cast<spv::Dim>(is_image ? module.Word(image, 1) : 0);
  if (dim == spv::Dim::SubpassData) return false;
  const bool is_stored = is_image && module.Word(image, 5) == 2;
  if (dim == spv::Dim::Buffer) {
    return is_stored ? has_any(C::StorageTexelBufferArrayDynamicIndexing,
                               C::StorageTexelBufferArrayNonUniformIndexing)
                     : has_any(C::UniformTexelBufferArrayDynamicIndexing,
                               C::UniformTexelBufferArrayNonUniformIndexing);
  }
  return is_stored
             ? has_any(C::StorageImageArrayDynamicIndexing, C::StorageImageArrayNonUniformIndexing)
             : has_any(C::SampledImageArrayDynamicIndexing, C::SampledImageArrayNonUniformIndexing);
}

// True if the index of an access chain may be a computed value. An index into an array of
// descriptors requires capabilities, and indices into inputs or outputs follow the interface
// between stages. Other memory has no restriction.
bool MayIndexBeComputed(const Module& module, Inst chain, uint32_t operand) {
  const Id base = module.TypeOf(module.IdAt(chain, 0));
  Id type = ElementType(module, base);
  const spv::StorageClass storage = StorageClassOf(module, base);
  switch (storage) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Workgroup:
    case spv::StorageClass::PushConstant:
      return true;
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
      for (uint32_t i = 1; i < operand && IsArrayOfBlocks(module, type); ++i) {
        type = ElementType(module, type);
      }
      return !IsArrayOfBlocks(module, type) || HasDynamicDescriptors(module, storage, type);
    case spv::StorageClass::UniformConstant:
      return HasDynamicDescriptors(module, storage, type);
    default:
      return false;
  }
}

// Includes the access chains of kernels and of physical addressing.
bool IsAnyAccessChain(spv::Op opcode) {
  return IsAccessChain(opcode) || opcode == spv::Op::OpPtrAccessChain ||
         opcode == spv::Op::OpInBoundsPtrAccessChain;
}

}  // namespace

bool MayBeAnyValue(const Module& module, OperandUse place) {
  if (!TakesAnyValue(module, place.user, place.operand)) return false;
  return !IsAnyAccessChain(module.Opcode(place.user)) ||
         MayIndexBeComputed(module, place.user, place.operand);
}

Inst EndOfBlock(const Module& module, Block block) {
  const Inst merge = module.MergeInstruction(block);
  return merge != Inst::kNone ? merge : module.Terminator(block);
}

Inst InsertionPointFor(const Module& module, OperandUse place) {
  if (module.Opcode(place.user) == spv::Op::OpPhi) {
    return EndOfBlock(module, module.BlockOfLabel(module.IdAt(place.user, place.operand + 1)));
  }
  const Block block = module.BlockOf(place.user);
  // Nothing may be inserted between a merge instruction and its branch.
  if (place.user == module.Terminator(block)) return EndOfBlock(module, block);
  return place.user;
}

}  // namespace rules
}  // namespace refract
