// SPDX-License-Identifier: Apache-2.0
// Replaces the store of a loaded value by a copy of memory. The load stays in place, because other
// instructions may use its result.
#include "message/replace_load_store_with_copy_memory.h"

#include <optional>

#include "ir/decorations.h"
#include "rules/context_editor.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/legality/reorder.h"
#include "rules/rule.h"
#include "rules/values.h"
#include "transform/memory/memory_operands.h"

namespace refract::replace_load_store_with_copy_memory {
namespace {

using Message = message::ReplaceLoadStoreWithCopyMemory;

// SPIR-V 3.42.8: before version 1.4, copies have one mask for both accesses.
constexpr uint32_t kTwoMasks = 0x00010400;

bool IsRelaxed(const Module& module, Inst load, Id target) {
  return FindDecoration(module, module.Result(load), spv::Decoration::RelaxedPrecision) !=
             Inst::kNone ||
         MayBeRounded(module, module.IdAt(load, 0)) || MayBeRounded(module, target);
}

// The operands of the copy with one or two masks; nullopt if these cannot express both accesses.
std::optional<Args> CopyArgs(const Module& module, Inst load, Inst store) {
  Args args{module.IdAt(store, 0), module.IdAt(load, 0)};
  const MemoryOperands to = MemoryOperandsOf(module, store)->first;
  const MemoryOperands from = MemoryOperandsOf(module, load)->first;
  if (to != from && module.version() < kTwoMasks) return std::nullopt;
  Append(to, to != from, &args);
  if (to != from) Append(from, true, &args);
  return args;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst load = view.Find(message.load), store = view.Find(message.store);
  if (load == Inst::kNone || store == Inst::kNone) {
    return No("the load or the store does not exist");
  }
  if (module.Opcode(load) != spv::Op::OpLoad || module.Opcode(store) != spv::Op::OpStore) {
    return No("the instructions are not an OpLoad and an OpStore");
  }
  if (module.IdAt(store, 1) != module.Result(load)) {
    return No("the stored value is not the loaded value");
  }
  view.DependOn(store, 1);
  view.DependOn(load, 0);
  if (module.BlockOf(load) != module.BlockOf(store)) {
    return No("the two instructions are in different blocks");
  }
  if (!IsPlainAccess(module, load) || !IsPlainAccess(module, store)) {
    return No("the load or the store is volatile or orders memory accesses");
  }
  if (IsVolatileOrCoherent(module, module.IdAt(load, 0))) {
    return No("the loaded memory is volatile or coherent");
  }
  // Without the arithmetic capability, narrow numbers may be loaded but not copied.
  if (!IsOrdinary(module, module.Type(load))) {
    return No("copying values of this type is not supported");
  }
  if (IsRelaxed(module, load, module.IdAt(store, 0))) {
    return No("the loaded or stored value may have been rounded");
  }
  if (MayBeOverwritten(view, module.IdAt(load, 0))) {
    return No("later steps of the recording may write any value to the memory");
  }
  for (Inst inst = module.Next(load); inst != store; inst = module.Next(inst)) {
    if (MayChange(module, inst, module.IdAt(load, 0))) {
      return No("an instruction between the load and the store may write to the loaded memory");
    }
  }
  if (!CopyArgs(module, load, store)) {
    return No("OpCopyMemory cannot express the memory operands of the load and the store");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst store = module.Find(message.store);
  const Args args = *CopyArgs(module, module.Find(message.load), store);
  editor.SetOpcode(store, spv::Op::OpCopyMemory);
  editor.SetOperands(store, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (module.Opcode(inst) != spv::Op::OpStore) return;
        const Inst load = module.Definition(module.IdAt(inst, 1));
        if (module.Opcode(load) != spv::Op::OpLoad || !proposer.ShouldTry()) return;
        const Message message{module.NameOf(load), module.NameOf(inst)};
        if (Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 70}, .follow_ons = {"set_memory_operands"}});

}  // namespace refract::replace_load_store_with_copy_memory
