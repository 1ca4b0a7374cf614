// SPDX-License-Identifier: Apache-2.0
// Stores a value and directly afterwards restores the old one. Nothing comes between the two
// stores, and other invocations cannot access the variable, so nothing reads the value.
#include "message/mutate_pointer.h"

#include <optional>
#include <vector>

#include "ir/availability.h"
#include "ir/types.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::mutate_pointer {
namespace {

using Message = message::MutatePointer;
enum Role : uint64_t { kSave = 1, kStore = 2, kRestore = 3 };

CheckResult CheckPointer(const Module& module, Id pointer, Inst before) {
  if (!IsPointer(module, module.TypeOf(pointer)) || !IsPartOfVariable(module, pointer)) {
    return No("the id is not a pointer to a variable or to a part of a variable");
  }
  if (!IsAvailable(module, pointer, before)) {
    return No("the pointer is not available at the insertion point");
  }
  const spv::StorageClass storage = StorageClassOf(module, module.TypeOf(pointer));
  if (storage != spv::StorageClass::Function && storage != spv::StorageClass::Private) {
    return No("the storage class is not Function or Private");
  }
  if (const CheckResult v = MayStore(module, pointer); !v) return v;
  if (!IsAlwaysValid(module, pointer)) {
    return No("the pointer may be invalid at the insertion point");
  }
  if (IsVolatileOrCoherent(module, pointer)) return No("the memory is volatile");
  if (MayBeRounded(module, pointer)) {
    return No("the value that the step saves and restores may have been rounded");
  }
  const Id type = PointeeOf(module, pointer);
  if (!IsOrdinary(module, type) || ScalarCount(module, type) > kMaxScalars) {
    return No("the type of the memory is not supported");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpStore, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id pointer = view.Value(message.pointer);
  if (pointer == Id::kNone) return No("the pointer does not exist");
  if (const CheckResult v = CheckPointer(module, pointer, before); !v) return v;
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (module.TypeOf(value) != PointeeOf(module, pointer)) {
    return No("the value does not have the type of the memory");
  }
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Id pointer = module.FindId(message.pointer);
  const Id root = RootOfPointer(module, pointer);
  if (module.FunctionOf(module.Definition(root)) == Function::kNone) {
    editor.AddToInterfaces(root, module.FunctionOf(before));
  }
  const Id saved = editor.InsertValue(before, spv::Op::OpLoad, PointeeOf(module, pointer),
                                      editor.Made(kSave), {pointer});
  if (const Steps* why = editor.facts().IrrelevantPointee(pointer)) {
    editor.facts().SetIrrelevant(saved, editor.Provenance(*why));
  }
  editor.InsertPlain(before, spv::Op::OpStore, editor.Made(kStore),
                     {pointer, module.FindId(message.value)});
  editor.InsertPlain(before, spv::Op::OpStore, editor.Made(kRestore), {pointer, saved});
}

// Pointers through which the function may write, taken from its accesses.
std::vector<Id> PointersIn(const Module& module, Function function) {
  constexpr size_t kMost = 64;
  std::vector<Id> pointers;
  const auto add = [&](Inst inst) {
    const Id id = module.Result(inst);
    if (pointers.size() >= kMost || id == Id::kNone || !IsPointer(module, module.Type(inst))) {
      return;
    }
    const spv::StorageClass storage = StorageClassOf(module, module.Type(inst));
    // In a loop, the whole pointee is copied in each iteration, so it must be small.
    const bool is_small = ScalarCount(module, PointeeOf(module, id)) <= 64;
    if (is_small &&
        (storage == spv::StorageClass::Function || storage == spv::StorageClass::Private)) {
      pointers.push_back(id);
    }
  };
  ForEachInstruction(module, module[function].head, add);
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, add); });
  ForEachGlobalVariable(module, add);
  return pointers;
}

void ProposeIn(Proposer& proposer, Function function) {
  const Module& module = proposer.module();
  std::optional<std::vector<Id>> found;  // collected only once
  const auto offer = [&](Inst before) {
    if (!found) found = PointersIn(module, function);
    const std::vector<Id>& pointers = *found;
    const std::vector<Id> near = ValuesNear(module, before, 32);
    for (int tries = 0; tries < 4 && !pointers.empty() && !near.empty(); ++tries) {
      const Id pointer = pointers[proposer.Pick(pointers.size())];
      std::vector<Id> fitting = near;
      std::erase_if(fitting,
                    [&](Id id) { return module.TypeOf(id) != PointeeOf(module, pointer); });
      if (fitting.empty()) continue;
      const Message message{module.NameOf(before), module.NameOf(pointer),
                            module.NameOf(fitting[proposer.Pick(fitting.size())])};
      if (!Check(message, proposer.view())) continue;
      proposer.Offer(message);
      return;
    }
  };
  OfferAtInsertionPointsIn(proposer, function, spv::Op::OpStore, offer);
}

void Propose(Proposer& proposer) {
  ForEachFunction(proposer, [&](Function function) { ProposeIn(proposer, function); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 8},
     .follow_ons = {"move_instruction_down", "resize_access", "replace_irrelevant_id"}});

}  // namespace refract::mutate_pointer
