// SPDX-License-Identifier: Apache-2.0
// Makes a load or store atomic. Without data races, an atomic access sees what the plain access
// saw. The reverse is not true, because atomics allow accesses that would otherwise be races.
#include "message/make_access_atomic.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/context_editor.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/values.h"
#include "transform/memory/memory_operands.h"

namespace refract::make_access_atomic {
namespace {

using Message = message::MakeAccessAtomic;

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.access);
  if (inst == Inst::kNone) return No("the instruction does not exist");
  const ValueAccess access = ValueAccessOf(module, inst);
  if (!access) return No("the instruction is not a load or store");
  if (StorageClassOf(module, module.TypeOf(access.pointer)) != spv::StorageClass::Workgroup) {
    return No("the storage class is not Workgroup");
  }
  const Id type = module.TypeOf(access.value);
  if (!IsInt(module, type) || Width(module, type) != 32) {
    return No("the value is not a 32-bit integer");
  }
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
  if (!HasCapability(module, spv::Capability::Shader)) {
    return No("the module does not declare the Shader capability");
  }
  view.DependOn(inst, access.is_store ? 1 : 0);
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst inst = module.Find(message.access);
  const ValueAccess access = ValueAccessOf(module, inst);
  const auto number = [&](uint32_t value) {
    return Declare(editor, ScalarConstant(IntType(32, false), value));
  };
  Args args{access.pointer, number(static_cast<uint32_t>(spv::Scope::Workgroup)), number(0)};
  if (access.is_store) {
    args.push_back(access.value);
  } else {
    editor.RemoveDecorations(access.value);
  }
  editor.SetOpcode(inst, access.is_store ? spv::Op::OpAtomicStore : spv::Op::OpAtomicLoad);
  editor.SetOperands(inst, args);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        const ValueAccess access = ValueAccessOf(module, inst);
        if (!access ||
            StorageClassOf(module, module.TypeOf(access.pointer)) != spv::StorageClass::Workgroup ||
            !proposer.ShouldTry()) {
          return;
        }
        const Message message{module.NameOf(inst)};
        if (Check(message, proposer.view())) proposer.Offer(message);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"strengthen_memory"}});

}  // namespace refract::make_access_atomic
