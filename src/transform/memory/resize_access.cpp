// SPDX-License-Identifier: Apache-2.0
// Accesses a composite part by part, or a part through the whole composite. Compilers must
// recognise that the result is the same.
#include "message/resize_access.h"

#include <optional>

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/legality/parts.h"
#include "rules/values.h"
#include "transform/memory/memory_operands.h"

namespace refract::resize_access {
namespace {

using Message = message::ResizeAccess;
enum Role : uint64_t { kChain = 1, kLoad = 2, kExtract = 3, kInsert = 4, kStore = 5 };

constexpr uint32_t kMostParts = 16;
// In scalars. In a loop, all of them are copied in each iteration.
constexpr uint64_t kMostWhole = 64;

CheckResult CheckParts(const Module& module, Id pointer) {
  const Id type = PointeeOf(module, pointer);
  if (!IsOrdinary(module, type) || IsArrayOfBlocks(module, type)) {
    return No("extracting parts of values of this type is not supported");
  }
  const uint32_t parts = PartCount(module, type).value_or(0);
  if (parts == 0 || parts > kMostParts) {
    return No("the accessed value has no parts or too many parts");
  }
  if (!HasOrdinaryStorageClass(module, pointer)) {
    return No("accessing parts of memory of this storage class is not supported");
  }
  return Yes();
}

// The type that the last index of the chain selects from.
Id WholeType(const Module& module, Inst chain) {
  Id type = PointeeOf(module, module.IdAt(chain, 0));
  for (uint32_t i = 1; i + 1 < module.OperandCount(chain); ++i) {
    const uint64_t part = LiteralValue(module, module.IdAt(chain, i)).value_or(0);
    type = PartType(module, type, static_cast<uint32_t>(part));
  }
  return type;
}

CheckResult CheckWhole(const View& view, Id pointer, bool is_store) {
  const Module& module = view.module();
  const Inst chain = module.Definition(pointer);
  if (!IsAccessChain(module.Opcode(chain)) || module.OperandCount(chain) < 2) {
    return No("the pointer is not an access chain with indices");
  }
  for (uint32_t i = 0; i < module.OperandCount(chain); ++i) view.DependOn(chain, i);
  const Id type = WholeType(module, chain);
  const std::optional<uint64_t> part =
      LiteralValue(module, module.IdAt(chain, module.OperandCount(chain) - 1));
  if (!part || *part >= PartCount(module, type).value_or(0)) {
    return No("the last index is not constant or is out of range");
  }
  // In a block, some members may be read by no instruction, so the inputs need not give them. An
  // array of blocks is not memory but many descriptors.
  if (!IsOrdinary(module, type) || ScalarCount(module, type) > kMostWhole ||
      IsBlock(module, type) || IsArrayOfBlocks(module, type)) {
    return No("the enclosing composite is too large, is a block, or has an unsupported type");
  }
  if (!is_store) return MayLoad(module, pointer, false);
  const spv::StorageClass storage = StorageClassOf(module, module.TypeOf(pointer));
  if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) {
    return No("the storage class is not Function or Private");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.access);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const ValueAccess access = ValueAccessOf(module, inst);
  if (!access) return No("the instruction is not a load or store");
  if (!IsPlainAccess(module, inst)) {
    return No("the load or store is volatile or orders memory accesses");
  }
  if (!PlaceOf(module, access.pointer)) {
    return No("the memory that the pointer refers to is unknown");
  }
  if (IsVolatileOrCoherent(module, access.pointer)) return No("the memory is volatile or coherent");
  if (!access.is_store && !IsTouchable(module, access.value)) {
    return No("a decoration on the value forbids the change");
  }
  view.DependOn(inst, 0);
  if (access.is_store) view.DependOn(inst, 1);
  return message.whole ? CheckWhole(view, access.pointer, access.is_store)
                       : CheckParts(module, access.pointer);
}

Id PointerToPart(ContextEditor& editor, Inst before, Id pointer, uint32_t number) {
  const Module& module = editor.module();
  const Id type = PartType(module, PointeeOf(module, pointer), number);
  const Id pointer_type =
      DeclarePointer(editor, StorageClassOf(module, module.TypeOf(pointer)), type);
  const Id index = Declare(editor, ScalarConstant(IntType(32, false), number));
  const Id chain =
      editor.InsertValue(before, spv::Op::OpAccessChain, pointer_type,
                         editor.Made(kChain, static_cast<uint64_t>(number)), {pointer, index});
  if (const Steps* why = editor.facts().IrrelevantPointee(pointer)) {
    editor.facts().SetIrrelevantPointee(chain, editor.Provenance(*why));
  }
  return chain;
}

void LoadParts(ContextEditor& editor, Inst load, uint32_t count) {
  const Module& module = editor.module();
  const Id pointer = module.IdAt(load, 0), whole = module.Result(load);
  Args args;
  for (uint32_t i = 0; i < count; ++i) {
    const Id chain = PointerToPart(editor, load, pointer, i);
    const Id part = editor.InsertValue(load, spv::Op::OpLoad, PointeeOf(module, chain),
                                       editor.Made(kLoad, static_cast<uint64_t>(i)), {chain});
    editor.CopyValueDecorations(whole, part);
    AddPartFacts(editor, part, whole, i);
    args.push_back(part);
  }
  // The loads determine the precision; the composite is only put together.
  editor.RemoveDecorations(whole);
  editor.SetOpcode(load, spv::Op::OpCompositeConstruct);
  editor.SetOperands(load, args);
}

void StoreParts(ContextEditor& editor, Inst store, uint32_t count) {
  const Module& module = editor.module();
  const Id pointer = module.IdAt(store, 0), whole = module.IdAt(store, 1);
  for (uint32_t i = 0; i < count; ++i) {
    const Id type = PartType(module, module.TypeOf(whole), i);
    const Id part = editor.InsertValue(store, spv::Op::OpCompositeExtract, type,
                                       editor.Made(kExtract, static_cast<uint64_t>(i)), {whole, i});
    AddPartFacts(editor, part, whole, i);
    const Id chain = PointerToPart(editor, store, pointer, i);
    if (i + 1 == count) {
      editor.SetOperands(store, {chain, part});
    } else {
      editor.InsertPlain(store, spv::Op::OpStore, editor.Made(kStore, static_cast<uint64_t>(i)),
                         {chain, part});
    }
  }
}

// Returns a pointer to the whole composite; `part` gets the part that the access refers to.
Id PointerToWhole(ContextEditor& editor, Inst access, uint32_t* part) {
  const Module& module = editor.module();
  const Id pointer = module.IdAt(access, 0);
  const Inst chain = module.Definition(pointer);
  const uint32_t last = module.OperandCount(chain) - 1;
  *part = static_cast<uint32_t>(*LiteralValue(module, module.IdAt(chain, last)));
  if (last == 1) return module.IdAt(chain, 0);
  Args args;
  for (uint32_t i = 0; i < last; ++i) args.push_back(module.IdAt(chain, i));
  const Id type = DeclarePointer(editor, StorageClassOf(module, module.TypeOf(pointer)),
                                 WholeType(module, chain));
  const Id whole =
      editor.InsertValue(access, spv::Op::OpAccessChain, type, editor.Made(kChain), args);
  if (const Steps* why = editor.facts().IrrelevantPointee(module.IdAt(chain, 0))) {
    editor.facts().SetIrrelevantPointee(whole, editor.Provenance(*why));
  }
  return whole;
}

void AccessWhole(ContextEditor& editor, Inst inst) {
  const Module& module = editor.module();
  const ValueAccess access = ValueAccessOf(module, inst);
  uint32_t part = 0;
  const Id pointer = PointerToWhole(editor, inst, &part);
  const Id type = PointeeOf(module, pointer);
  const Id whole = editor.InsertValue(inst, spv::Op::OpLoad, type, editor.Made(kLoad), {pointer});
  // A composite that is stored back contains other parts, so it may matter even if the stored part
  // is irrelevant.
  const Steps* why = editor.facts().IrrelevantPointee(pointer);
  if (why == nullptr && !access.is_store) why = editor.facts().Irrelevant(access.value);
  if (why != nullptr) editor.facts().SetIrrelevant(whole, editor.Provenance(*why));
  if (access.is_store) {
    const Id changed = editor.InsertValue(inst, spv::Op::OpCompositeInsert, type,
                                          editor.Made(kInsert), {access.value, whole, part});
    editor.SetOperands(inst, {pointer, changed});
    return;
  }
  AddPartFacts(editor, access.value, whole, part);
  editor.CopyValueDecorations(access.value, whole);
  editor.RemoveDecorations(access.value);
  editor.SetOpcode(inst, spv::Op::OpCompositeExtract);
  editor.SetOperands(inst, {whole, part});
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.access);
  if (message.whole) {
    AccessWhole(editor, inst);
    return;
  }
  const uint32_t count = *PartCount(module, PointeeOf(module, module.IdAt(inst, 0)));
  if (module.Opcode(inst) == spv::Op::OpStore) {
    StoreParts(editor, inst, count);
  } else {
    LoadParts(editor, inst, count);
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (!ValueAccessOf(module, inst) || !proposer.ShouldTry()) return;
        const bool whole = proposer.Pick(2) == 0;
        for (bool form : {whole, !whole}) {
          const Message message{module.NameOf(inst), form};
          if (!Check(message, proposer.view())) continue;
          proposer.Offer(message);
          return;
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {2, 15},
     .follow_ons = {"load_again", "add_pointer", "replace_id_with_synonym",
                    "replace_load_store_with_copy_memory"}});

}  // namespace refract::resize_access
