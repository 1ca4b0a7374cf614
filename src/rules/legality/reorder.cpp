// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/reorder.h"

#include <vector>

#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"

namespace refract {
inline namespace rules {
namespace {

using Storage = spv::StorageClass;

// The memory that an access refers to, as far as this matters for its order relative to others.
enum class AccessKind {
  kOwn,       // variables that share memory with nothing of another kind: identified by their root
  kHandles,   // images and samplers: nothing writes to them
  kReadOnly,  // uniforms, push constants and sampled images: others may write to them
  kShared,    // buffers, storage images, workgroup memory: any two may be the same memory
  kAnything,
};

struct MemoryAccess {
  AccessKind kind = AccessKind::kAnything;
  Id pointer = Id::kNone;  // only for kOwn
  Id root = Id::kNone;
  bool writes = false;
};

// True for a uniform block, no part of which can be written. A BufferBlock is the old form of a
// storage buffer.
bool IsUniformBlock(const Module& module, Id root) {
  Id type = ElementType(module, module.TypeOf(root));
  while (TypeOpcode(module, type) == spv::Op::OpTypeArray ||
         TypeOpcode(module, type) == spv::Op::OpTypeRuntimeArray) {
    type = ElementType(module, type);
  }
  return FindDecoration(module, type, spv::Decoration::Block) != Inst::kNone;
}

// True for plain inputs, push constants, and uniform blocks that are not Aliased.
bool IsNeverWritten(const Module& module, Id pointer) {
  const Id root = RootOfPointer(module, pointer);
  switch (StorageClassOf(module, module.TypeOf(pointer))) {
    case Storage::Input:
      return root != Id::kNone && IsPlainInput(module, root);
    case Storage::PushConstant:
      return true;
    case Storage::Uniform:
      return root != Id::kNone && IsUniformBlock(module, root) &&
             FindDecoration(module, root, spv::Decoration::Aliased) == Inst::kNone;
    default:
      return false;
  }
}

MemoryAccess AccessThrough(const Module& module, Id pointer, bool writes) {
  MemoryAccess access{AccessKind::kAnything, pointer, RootOfPointer(module, pointer), writes};
  if (!HasLogicalAddresses(module)) return access;
  switch (StorageClassOf(module, module.TypeOf(pointer))) {
    case Storage::Function:
    case Storage::Private:
    case Storage::Input:
    case Storage::Output:
      if (access.root != Id::kNone && !IsVolatileOrCoherent(module, pointer)) {
        access.kind = AccessKind::kOwn;
      }
      break;
    case Storage::UniformConstant:
      access.kind = AccessKind::kHandles;
      break;
    case Storage::PushConstant:
      access.kind = AccessKind::kReadOnly;
      break;
    case Storage::Uniform:
      access.kind = access.root != Id::kNone && IsUniformBlock(module, access.root)
                        ? AccessKind::kReadOnly
                        : AccessKind::kShared;
      break;
    case Storage::StorageBuffer:
    case Storage::Workgroup:
    case Storage::Image:
      access.kind = AccessKind::kShared;
      break;
    default:
      break;
  }
  return access;
}

MemoryAccess AccessOf(const Module& module, Inst inst, const MemoryEffect& effect, bool writes) {
  MemoryAccess access;
  access.writes = writes;
  const spv::Op opcode = module.Opcode(inst);
  if (opcode == spv::Op::OpExtInst) return access;
  if (effect.kind == MemoryEffect::kPointer) {
    return AccessThrough(module, module.IdAt(inst, effect.operand), writes);
  }
  if (effect.kind == MemoryEffect::kImage) {
    const bool is_storage =
        writes || opcode == spv::Op::OpImageRead || opcode == spv::Op::OpImageSparseRead;
    access.kind = is_storage ? AccessKind::kShared : AccessKind::kReadOnly;
  }
  return access;
}

std::vector<MemoryAccess> AccessesOf(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  std::vector<MemoryAccess> accesses;
  if (properties.reads) accesses.push_back(AccessOf(module, inst, properties.reads, false));
  if (properties.writes) accesses.push_back(AccessOf(module, inst, properties.writes, true));
  return accesses;
}

bool MayBeSameMemory(const Module& module, const MemoryAccess& a, const MemoryAccess& b) {
  const Storage storage = StorageClassOf(module, module.TypeOf(a.root));
  if (storage != StorageClassOf(module, module.TypeOf(b.root))) return false;
  if (a.root == b.root) return !AreDisjoint(module, a.pointer, b.pointer);
  // A parameter may point into any variable of its class.
  return module.OpcodeOf(a.root) != spv::Op::OpVariable ||
         module.OpcodeOf(b.root) != spv::Op::OpVariable;
}

bool DoConflict(const Module& module, const MemoryAccess& a, const MemoryAccess& b) {
  if (a.kind == AccessKind::kAnything || b.kind == AccessKind::kAnything) return true;
  if (a.kind == AccessKind::kHandles || b.kind == AccessKind::kHandles) return false;
  if (a.kind == AccessKind::kOwn || b.kind == AccessKind::kOwn) {
    return a.kind == b.kind && (a.writes || b.writes) && MayBeSameMemory(module, a, b);
  }
  // Two reads of shared memory keep their order, because members may be volatile or coherent.
  const bool are_both_shared = a.kind == AccessKind::kShared && b.kind == AccessKind::kShared;
  return are_both_shared || a.writes || b.writes;
}

bool DoConflict(const Module& module, Inst inst, Inst other) {
  const std::vector<MemoryAccess> others = AccessesOf(module, other);
  for (const MemoryAccess& a : AccessesOf(module, inst)) {
    for (const MemoryAccess& b : others) {
      if (DoConflict(module, a, b)) return true;
    }
  }
  return false;
}

bool Uses(const Module& module, Inst user, Id value) {
  for (uint32_t i = 0; i < module.OperandCount(user); ++i) {
    if (module.IsId(user, i) && module.IdAt(user, i) == value) return true;
  }
  return false;
}

}  // namespace

// SPIR-V 3.26: Aligned and Nontemporal do not affect the order. The other bits do, or are unknown.
bool HasOrderingMemoryOperands(const Module& module, Inst inst) {
  constexpr uint32_t kHarmless = 0x2 | 0x4;
  uint32_t mask = 0;
  switch (module.Opcode(inst)) {
    case spv::Op::OpLoad:
      mask = 1;
      break;
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
      mask = 2;
      break;
    default:
      return false;
  }
  // A copy may have two masks. To keep this simple, every copy with memory operands counts.
  if (module.Opcode(inst) == spv::Op::OpCopyMemory) return module.OperandCount(inst) > mask;
  return module.OperandCount(inst) > mask && (module.Word(inst, mask) & ~kHarmless) != 0;
}

bool MayChange(const Module& module, Inst inst, Id pointer) {
  if (IsNeverWritten(module, pointer)) return false;
  const Properties& properties = PropertiesOf(module, inst);
  if (properties.pure || IsDebugInstruction(module, inst)) return false;
  const MemoryAccess read = AccessThrough(module, pointer, false);
  // A barrier makes writes of other invocations visible, and a demotion changes an input.
  const Storage storage = StorageClassOf(module, module.TypeOf(pointer));
  const bool is_alone = read.kind == AccessKind::kOwn &&
                        (storage == Storage::Function || storage == Storage::Private);
  if (!is_alone && (properties.orders_memory || properties.side_effect)) return true;
  if (!properties.writes) return false;
  return DoConflict(module, read, AccessOf(module, inst, properties.writes, true));
}

CheckResult MayBeReordered(const Module& module, Inst inst) {
  const Properties& properties = PropertiesOf(module, inst);
  const spv::Op opcode = module.Opcode(inst);
  const bool is_fixed = opcode == spv::Op::OpPhi || opcode == spv::Op::OpVariable ||
                        opcode == spv::Op::OpLabel || properties.is_merge ||
                        properties.is_terminator || !properties.allowed_in_block ||
                        IsDebugInstruction(module, inst);
  if (is_fixed || !module.IsBasicBlock(module.BlockOf(inst)) || properties.side_effect ||
      properties.orders_memory || properties.convergent ||
      HasOrderingMemoryOperands(module, inst)) {
    return No("instructions of this kind cannot be moved");
  }
  return Yes();
}

// An instruction that conflicts with itself writes memory, or reads memory that others may write
// meanwhile.
bool MayRunTwice(const Module& module, Inst inst) {
  return !DoConflict(module, inst, inst);
}

CheckResult MayMoveAfter(const View& view, Inst inst, Inst other) {
  const Module& module = view.module();
  const Id value = module.Result(inst);
  if (value != Id::kNone && Uses(module, other, value)) {
    return No("an instruction between the two places uses the value");
  }
  const Properties& properties = PropertiesOf(module, inst);
  if (!properties.touches_memory() || IsDebugInstruction(module, other)) return Yes();
  const Properties& others = PropertiesOf(module, other);
  if (others.pure) return Yes();
  if (others.side_effect || others.orders_memory || HasOrderingMemoryOperands(module, other)) {
    return No("an instruction between the two places has a side effect or orders memory accesses");
  }
  if (!DoConflict(module, inst, other) || view.IsDead(module.BlockOf(inst))) return Yes();
  return No("the two instructions may access the same memory");
}

}  // namespace rules
}  // namespace refract
