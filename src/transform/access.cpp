// SPDX-License-Identifier: Apache-2.0
#include "message/access.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/call_graph.h"
#include "ir/decorations.h"
#include "ir/properties.h"
#include "ir/types.h"
#include "transform/values.h"

namespace refract::access {
namespace {

using Message = message::Access;
using Storage = spv::StorageClass;
enum Role : uint64_t { kLoad = 1, kStore = 2 };

Id PointeeOf(const Module& module, Id pointer) {
  return ElementType(module, module.TypeOf(pointer));
}
Storage ClassOf(const Module& module, Id pointer) {
  return StorageClassOf(module, module.TypeOf(pointer));
}

bool IsChain(spv::Op opcode) {
  return opcode == spv::Op::OpAccessChain || opcode == spv::Op::OpInBoundsAccessChain;
}

bool IsLogical(const Module& module) {
  const Inst model = module.First(Module::SectionBlock(Section::kMemoryModel));
  return model != Inst::kNone &&
         module.Word(model, 0) == static_cast<uint32_t>(spv::AddressingModel::Logical);
}

// An access chain with constant indices that are all in range.
bool IsInRange(const Module& module, Inst chain) {
  Id type = PointeeOf(module, module.IdAt(chain, 0));
  for (uint32_t i = 1; i < module.OperandCount(chain); ++i) {
    const std::optional<uint64_t> index = LiteralValue(module, module.IdAt(chain, i));
    if (!index || *index > 0xffffffffu) return false;
    type = PartType(module, type, static_cast<uint32_t>(*index));
    if (type == Id::kNone) return false;
  }
  return true;
}

// Whether the pointer is good wherever it is available: memory of a variable, all of it there.
bool IsGood(const Module& module, Id pointer) {
  const Inst inst = module.Definition(pointer);
  switch (module.Opcode(inst)) {
    case spv::Op::OpVariable:
      return true;
    // With physical addresses whoever calls may pass anything.
    case spv::Op::OpFunctionParameter:
      return IsLogical(module);
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
      return IsInRange(module, inst) && IsGood(module, module.IdAt(inst, 0));
    default:
      return false;
  }
}

// Whether a pointer of this kind may be accessed at all, be it in a block that never runs.
bool IsAccessible(const Module& module, Id pointer) {
  const spv::Op opcode = module.OpcodeOf(pointer);
  const bool is_kind =
      opcode == spv::Op::OpVariable || IsChain(opcode) || opcode == spv::Op::OpFunctionParameter;
  return is_kind && RootOfPointer(module, pointer) != Id::kNone;
}

bool IsUniformBuffer(const Module& module, Id root) {
  Id block = PointeeOf(module, root);
  while (TypeOpcode(module, block) == spv::Op::OpTypeArray ||
         TypeOpcode(module, block) == spv::Op::OpTypeRuntimeArray) {
    block = ElementType(module, block);
  }
  // A BufferBlock is a storage buffer of old, shared between invocations.
  return FindDecoration(module, block, spv::Decoration::Block) != Inst::kNone;
}

// Inputs that other uses read without a word about memory or sampling; loads of some built-ins have
// to be volatile, or change how often a fragment shader runs.
bool IsPlainInput(const Module& module, Id root) {
  if (TypeOpcode(module, PointeeOf(module, root)) == spv::Op::OpTypeStruct) return false;
  const Inst builtin = FindDecoration(module, root, spv::Decoration::BuiltIn);
  if (builtin == Inst::kNone) return true;
  switch (static_cast<spv::BuiltIn>(module.Word(builtin, 2))) {
    case spv::BuiltIn::FragCoord:
    case spv::BuiltIn::FrontFacing:
    case spv::BuiltIn::PointCoord:
    case spv::BuiltIn::VertexIndex:
    case spv::BuiltIn::InstanceIndex:
    case spv::BuiltIn::NumWorkgroups:
    case spv::BuiltIn::WorkgroupId:
    case spv::BuiltIn::LocalInvocationId:
    case spv::BuiltIn::LocalInvocationIndex:
    case spv::BuiltIn::GlobalInvocationId:
      return true;
    default:
      return false;
  }
}

bool HasDecorationOfMemory(const Module& module, Id root) {
  return FindDecoration(module, root, spv::Decoration::Volatile) != Inst::kNone ||
         FindDecoration(module, root, spv::Decoration::Coherent) != Inst::kNone;
}

Verdict CheckLoad(const Module& module, Id pointer, bool dead) {
  const Id root = RootOfPointer(module, pointer);
  switch (ClassOf(module, pointer)) {
    case Storage::Function:
    case Storage::Private:
    case Storage::PushConstant:
      return Yes();
    case Storage::Uniform:
      if (dead || IsUniformBuffer(module, root)) return Yes();
      return No("others may write to this memory");
    case Storage::StorageBuffer:
    case Storage::Workgroup:
      if (dead) return Yes();
      return No("others may write to this memory");
    case Storage::Input:
      if (module.OpcodeOf(root) == spv::Op::OpVariable && IsPlainInput(module, root)) return Yes();
      return No("an input of this kind is left alone");
    default:
      return No("memory of this class is not loaded from");
  }
}

// Whether the variable, a member of its type or a parameter is decorated NonWritable.
bool IsReadOnly(const Module& module, Id root) {
  if (FindDecoration(module, root, spv::Decoration::NonWritable) != Inst::kNone) return true;
  Id type = PointeeOf(module, root);
  while (TypeOpcode(module, type) == spv::Op::OpTypeArray ||
         TypeOpcode(module, type) == spv::Op::OpTypeRuntimeArray) {
    type = ElementType(module, type);
  }
  for (Use use = module.FirstUse(type); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    if (module.Opcode(user) == spv::Op::OpMemberDecorate &&
        module.Word(user, 2) == static_cast<uint32_t>(spv::Decoration::NonWritable)) {
      return true;
    }
  }
  return false;
}

Verdict CheckStore(const Module& module, Id pointer) {
  const Id root = RootOfPointer(module, pointer);
  if (IsReadOnly(module, root)) return No("the memory is read-only");
  switch (ClassOf(module, pointer)) {
    case Storage::Function:
    case Storage::Private:
    case Storage::Workgroup:
      return Yes();
    case Storage::StorageBuffer:
      // Through a parameter it may be a buffer that is read-only.
      if (module.OpcodeOf(root) == spv::Op::OpVariable) return Yes();
      return No("the memory may be read-only");
    default:
      return No("memory of this class is not stored to");
  }
}

// One more use of a global variable must not be the first that an entry point makes of it.
bool IsKnownToEntries(const Module& module, Id pointer, Function function) {
  const Id root = RootOfPointer(module, pointer);
  if (module.FunctionOf(module.Definition(root)) != Function::kNone) return true;
  if (ClassOf(module, pointer) == Storage::Private) return true;
  return IsUsedByEntriesReaching(module, root, function);
}

Verdict CheckPointer(const View& view, Id pointer, Inst before) {
  const Module& module = view.module();
  if (!IsPointer(module, module.TypeOf(pointer)) || !IsAccessible(module, pointer)) {
    return No("it is no pointer to a part of a variable");
  }
  if (!IsAvailable(module, pointer, before)) return No("the pointer is not available there");
  const Id pointee = PointeeOf(module, pointer);
  // A whole array of blocks is no memory but many descriptors.
  if (!IsOrdinary(module, pointee) || ScalarCount(module, pointee) > kMaxScalars ||
      IsBlock(module, ElementType(module, pointee))) {
    return No("what it points to is of a type that is not accessed");
  }
  if (HasDecorationOfMemory(module, RootOfPointer(module, pointer))) {
    return No("the memory is volatile or coherent");
  }
  if (!IsKnownToEntries(module, pointer, module.FunctionOf(before))) {
    return No("an entry point does not use the variable");
  }
  return Yes();
}

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  if (!MayInsertBefore(module, spv::Op::OpStore, before)) return No("nothing can be put there");
  const Id pointer = view.Value(message.pointer);
  if (pointer == Id::kNone) return No("the pointer is not there");
  if (Verdict verdict = CheckPointer(view, pointer, before); !verdict) return verdict;
  const bool is_good = IsGood(module, pointer);
  const Block block = module.BlockOf(before);
  if (!message.value) {
    // Asking whether the block is dead makes the step need what made it so: only where it matters.
    if (is_good && CheckLoad(module, pointer, false)) return Yes();
    if (view.IsDead(block)) return CheckLoad(module, pointer, true);
    return is_good ? CheckLoad(module, pointer, false) : No("the pointer may be bad there");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value is not there");
  if (module.TypeOf(value) != PointeeOf(module, pointer)) return No("the value is of another type");
  if (!IsAvailable(module, value, before)) return No("the value is not available there");
  if (Verdict verdict = CheckStore(module, pointer); !verdict) return verdict;
  if (is_good && view.IsIrrelevantPointee(pointer)) return Yes();
  return view.IsDead(block) ? Yes() : No("something may depend on the memory");
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Id pointer = module.FindId(message.pointer);
  const Id root = RootOfPointer(module, pointer);
  if (module.FunctionOf(module.Definition(root)) == Function::kNone) {
    editor.AddToInterfaces(root, module.FunctionOf(before));
  }
  if (message.value) {
    editor.InsertPlain(before, spv::Op::OpStore, editor.Made(kStore),
                       {pointer, module.FindId(message.value)});
    return;
  }
  const Id loaded = editor.InsertValue(before, spv::Op::OpLoad, PointeeOf(module, pointer),
                                       editor.Made(kLoad), {pointer});
  const Steps* why = editor.facts().IrrelevantPointee(pointer);
  if (why == nullptr) why = editor.facts().Dead(module.LabelId(module.BlockOf(before)));
  if (why != nullptr) editor.facts().SetIrrelevant(loaded, editor.Because(*why));
}

// Pointers that may be worth an access in the function: variables, parameters, and chains of its
// blocks; which of them are available, Check says.
std::vector<Id> PointersIn(const Module& module, Function function) {
  constexpr size_t kPointers = 128;
  std::vector<Id> pointers;
  const auto add = [&](Inst inst) {
    const Id id = module.Result(inst);
    if (pointers.size() < kPointers && id != Id::kNone && IsPointer(module, module.Type(inst)) &&
        IsAccessible(module, id) && IsOrdinary(module, PointeeOf(module, id))) {
      pointers.push_back(id);
    }
  };
  ForEachInstruction(module, module[function].head, add);
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, add); });
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), add);
  return pointers;
}

// Something to store through the pointer; none for a load.
Name PickValue(Proposer& proposer, Id pointer, Inst before) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  if (facts.IrrelevantPointee(pointer) == nullptr &&
      facts.Dead(module.LabelId(module.BlockOf(before))) == nullptr) {
    return {};
  }
  if (!CheckStore(module, pointer) || proposer.Pick(3) == 0) return {};
  std::vector<Id> near = ValuesNear(module, before, 64);
  std::erase_if(near, [&](Id id) { return module.TypeOf(id) != PointeeOf(module, pointer); });
  return near.empty() ? Name{} : module.NameOf(near[proposer.Pick(near.size())]);
}

void ProposeIn(Proposer& proposer, Function function) {
  const Module& module = proposer.module();
  std::vector<Id> pointers;
  const auto offer = [&](Inst before) {
    if (pointers.empty()) pointers = PointersIn(module, function);
    // Several tries: not every pointer is available here, or good.
    for (int tries = 0; tries < 4 && !pointers.empty(); ++tries) {
      const Id pointer = pointers[proposer.Pick(pointers.size())];
      const Message message{module.NameOf(before), module.NameOf(pointer),
                            PickValue(proposer, pointer, before)};
      if (!Check(message, proposer.view())) continue;
      proposer.Offer(message);
      return;
    }
  };
  ForEachBlock(module, function, [&](Block block) {
    for (Inst inst = module.Next(module.Label(block)); inst != Inst::kNone;
         inst = module.Next(inst)) {
      if (MayInsertBefore(module, spv::Op::OpStore, inst) && proposer.Toss()) offer(inst);
    }
  });
}

void Propose(Proposer& proposer) {
  ForEachFunction(proposer.module(), [&](Function function) { ProposeIn(proposer, function); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 20}, .follow_ons = {"composite_extract", "add_variable"}});

}  // namespace refract::access
