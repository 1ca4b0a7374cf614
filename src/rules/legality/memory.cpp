// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/memory.h"

#include <algorithm>
#include <optional>

#include "input/block_use.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/legality/memory_places.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

using Storage = spv::StorageClass;

Storage ClassOf(const Module& module, Id pointer) {
  return StorageClassOf(module, module.TypeOf(pointer));
}

// True if the index is below `count`: a constant, or kept in range by a remainder, a mask or a
// selection. It is defined, because the pointer has been computed from it.
bool IsBelow(const Module& module, Id index, uint64_t count) {
  // For a narrow index type, larger values could be negative.
  count = std::min(count, uint64_t{1} << (Width(module, module.TypeOf(index)) - 1));
  if (const std::optional<uint64_t> value = LiteralValue(module, index)) return *value < count;
  const Inst inst = module.Definition(index);
  const auto literal = [&](uint32_t operand) {
    return LiteralValue(module, module.IdAt(inst, operand));
  };
  switch (module.Opcode(inst)) {
    case spv::Op::OpUMod:
      return literal(1) && *literal(1) != 0 && *literal(1) <= count;
    case spv::Op::OpBitwiseAnd:
      return (literal(0) && *literal(0) < count) || (literal(1) && *literal(1) < count);
    case spv::Op::OpSelect: {
      const Inst test = module.Definition(module.IdAt(inst, 0));
      if (module.Opcode(test) != spv::Op::OpULessThan ||
          module.IdAt(test, 0) != module.IdAt(inst, 1)) {
        return false;
      }
      const std::optional<uint64_t> bound = LiteralValue(module, module.IdAt(test, 1));
      return bound && *bound <= count && literal(2) && *literal(2) < count;
    }
    default:
      return false;
  }
}

bool IsUniformBuffer(const Module& module, Id root) {
  // BufferBlock is the old form of a storage buffer, which invocations share.
  const Id block = WithoutArrays(module, ElementType(module, module.TypeOf(root)));
  return FindDecoration(module, block, spv::Decoration::Block) != Inst::kNone;
}

// In other stages, the position of an invocation in its subgroup is not fixed.
bool IsOnlyCompute(const Module& module) {
  bool only = true;
  ForEachInstruction(module, Module::SectionBlock(Section::kEntryPoints), [&](Inst inst) {
    only = only && module.Word(inst, 0) == static_cast<uint32_t>(spv::ExecutionModel::GLCompute);
  });
  return only;
}

}  // namespace

bool IsPlainInput(const Module& module, Id root) {
  if (module.OpcodeOf(root) != spv::Op::OpVariable) return false;
  const Id type = WithoutArrays(module, ElementType(module, module.TypeOf(root)));
  if (TypeOpcode(module, type) == spv::Op::OpTypeStruct) return false;
  const Inst builtin = FindDecoration(module, root, spv::Decoration::BuiltIn);
  if (builtin == Inst::kNone) return true;
  switch (static_cast<spv::BuiltIn>(module.Word(builtin, 2))) {
    case spv::BuiltIn::FragCoord:
    case spv::BuiltIn::FrontFacing:
    case spv::BuiltIn::VertexIndex:
    case spv::BuiltIn::InstanceIndex:
    case spv::BuiltIn::NumWorkgroups:
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::LocalInvocationIndex:
    case spv::BuiltIn::GlobalInvocationId:
      return true;
    case spv::BuiltIn::SubgroupId:
    case spv::BuiltIn::SubgroupLocalInvocationId:
      return IsOnlyCompute(module);
    default:
      return false;  // such as PointCoord, which is undefined without points
  }
}

bool HasLogicalAddresses(const Module& module) {
  const Inst model = module.First(Module::SectionBlock(Section::kMemoryModel));
  return model != Inst::kNone &&
         module.Word(model, 0) == static_cast<uint32_t>(spv::AddressingModel::Logical);
}

Id PointeeOf(const Module& module, Id pointer) {
  return ElementType(module, module.TypeOf(pointer));
}

bool IsPartOfVariable(const Module& module, Id pointer) {
  const spv::Op opcode = module.OpcodeOf(pointer);
  const bool is_kind = opcode == spv::Op::OpVariable || IsAccessChain(opcode) ||
                       opcode == spv::Op::OpFunctionParameter;
  return is_kind && RootOfPointer(module, pointer) != Id::kNone;
}

bool IsAlwaysValid(const Module& module, Id pointer) {
  const Inst inst = module.Definition(pointer);
  switch (module.Opcode(inst)) {
    case spv::Op::OpVariable:
      return true;
    // With physical addressing, callers can pass any pointer.
    case spv::Op::OpFunctionParameter:
      return HasLogicalAddresses(module);
    case spv::Op::OpCopyObject:
      return IsAlwaysValid(module, module.IdAt(inst, 0));
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      return AreIndicesInRange(module, inst) && IsAlwaysValid(module, module.IdAt(inst, 0));
    default:
      return false;
  }
}

bool AreIndicesInRange(const Module& module, Inst chain) {
  Id type = ElementType(module, module.TypeOf(module.IdAt(chain, 0)));
  for (uint32_t i = 1; i < module.OperandCount(chain); ++i) {
    const std::optional<uint32_t> count = PartCount(module, type);
    if (!count || !IsBelow(module, module.IdAt(chain, i), *count)) return false;
    // All parts have the same type, except in a struct.
    const uint64_t part = LiteralValue(module, module.IdAt(chain, i)).value_or(0);
    type = PartType(module, type, static_cast<uint32_t>(part));
  }
  return true;
}

bool HasOrdinaryStorageClass(const Module& module, Id pointer) {
  switch (StorageClassOf(module, module.TypeOf(pointer))) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Workgroup:
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
    case spv::StorageClass::Input:
    case spv::StorageClass::Output:
      return true;
    default:
      return false;
  }
}

bool IsVolatileOrCoherent(const Module& module, Id pointer) {
  return IsMemoryPlaceDecorated(module, pointer, spv::Decoration::Volatile) ||
         IsMemoryPlaceDecorated(module, pointer, spv::Decoration::Coherent);
}

namespace {

// True if some instruction reads the member of the buffer that the pointer points to, so that the
// inputs give its value. Inputs need not give what is only written (input/resolve.h).
bool IsReadAnyway(const Module& module, Id pointer, Id root) {
  if (module.OpcodeOf(root) != spv::Op::OpVariable) return true;
  const VariableUse use = UseOf(module, root, std::vector<bool>(module.function_slots(), true));
  if (use.reads_all) return true;
  // An index chooses the block; no pointer leads to a member of the variable itself.
  if (IsBlockArray(module, root)) return false;
  while (pointer != root) {
    const Inst chain = module.Definition(pointer);
    pointer = module.IdAt(chain, 0);
    if (pointer != root || module.OperandCount(chain) < 2) continue;
    const std::optional<uint64_t> member = LiteralValue(module, module.IdAt(chain, 1));
    return member && use.Reads(static_cast<uint32_t>(*member));
  }
  return false;
}

}  // namespace

bool IsMemberRead(const Module& module, Id pointer, uint32_t member) {
  const Id root = RootOfPointer(module, pointer);
  if (module.OpcodeOf(root) != spv::Op::OpVariable) return true;
  return UseOf(module, root, std::vector<bool>(module.function_slots(), true)).Reads(member);
}

namespace {

CheckResult MayLoadDead(const Module& module, Id pointer, Id root) {
  if (IsReadAnyway(module, pointer, root)) return Yes();
  return No("no instruction reads the memory, so the inputs may have no value for it");
}

}  // namespace

CheckResult MayLoad(const Module& module, Id pointer, bool dead) {
  const Id root = RootOfPointer(module, pointer);
  switch (ClassOf(module, pointer)) {
    case Storage::Function:
    case Storage::Private:
    case Storage::PushConstant:
      return Yes();
    case Storage::Uniform:
      if (IsUniformBuffer(module, root)) return Yes();
      if (dead) return MayLoadDead(module, pointer, root);
      return No("other invocations may write to this memory");
    case Storage::StorageBuffer:
      if (dead) return MayLoadDead(module, pointer, root);
      return No("other invocations may write to this memory");
    case Storage::Workgroup:
      if (dead) return Yes();
      return No("other invocations may write to this memory");
    case Storage::Input:
      if (IsPlainInput(module, root)) return Yes();
      return No("this kind of input is not supported");
    default:
      return No("loading from this storage class is not supported");
  }
}

CheckResult MayStore(const Module& module, Id pointer) {
  const Id root = RootOfPointer(module, pointer);
  if (IsMemoryPlaceDecorated(module, pointer, spv::Decoration::NonWritable)) {
    return No("the memory is read-only");
  }
  switch (ClassOf(module, pointer)) {
    case Storage::Function:
    case Storage::Private:
    case Storage::Workgroup:
      return Yes();
    case Storage::StorageBuffer:
      // A pointer parameter might point to a read-only buffer.
      if (module.OpcodeOf(root) == spv::Op::OpVariable) return Yes();
      return No("the memory may be read-only");
    default:
      return No("storing to this storage class is not supported");
  }
}

namespace {

// True for a built-in that a step has added, if all entry points that reach the function list it:
// other steps may read it.
bool IsAddedBuiltIn(const Module& module, Id root, Function function) {
  if (ClassOf(module, root) != Storage::Input || module.NameOf(root).step == 0) return false;
  const std::vector<Inst> entries = EntryPointsReaching(module, function);
  return std::all_of(entries.begin(), entries.end(), [&](Inst entry) {
    bool listed = false;
    ForEachUse(module, root, [&](Use use) { listed = listed || module.User(use) == entry; });
    return listed;
  });
}

}  // namespace

bool MayBeUsedIn(const Module& module, Id pointer, Function function) {
  const Id root = RootOfPointer(module, pointer);
  if (module.FunctionOf(module.Definition(root)) != Function::kNone) return true;
  if (ClassOf(module, pointer) == Storage::Private) return true;
  if (IsAddedBuiltIn(module, root, function)) return true;
  return IsUsedByEntriesReaching(module, root, function);
}

}  // namespace rules
}  // namespace refract
