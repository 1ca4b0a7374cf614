// SPDX-License-Identifier: Apache-2.0
// Adds a load from a pointer, or a store to it.
#include "message/access.h"

#include <optional>
#include <vector>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/legality/defined.h"
#include "rules/legality/live_range.h"
#include "rules/legality/memory.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::access {
namespace {

using Message = message::Access;
enum Role : uint64_t { kLoad = 1, kStore = 2 };

CheckResult CheckPointer(const View& view, Id pointer, Inst before) {
  const Module& module = view.module();
  if (!IsPointer(module, module.TypeOf(pointer)) || !IsPartOfVariable(module, pointer)) {
    return No("the id is not a pointer to a variable or to a part of a variable");
  }
  if (!IsAvailable(module, pointer, before)) {
    return No("the pointer is not available at the insertion point");
  }
  const Id pointee = PointeeOf(module, pointer);
  // An array of blocks is not memory but many descriptors.
  if (!IsOrdinary(module, pointee) || ScalarCount(module, pointee) > kMaxScalars ||
      IsArrayOfBlocks(module, pointee)) {
    return No("the type of the memory is not supported");
  }
  if (IsVolatileOrCoherent(module, pointer)) return No("the memory is volatile or coherent");
  if (!MayBeUsedIn(module, pointer, module.FunctionOf(before))) {
    return No("an entry point that reaches the function does not use the variable");
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
  if (CheckResult check_result = CheckPointer(view, pointer, before); !check_result)
    return check_result;
  const bool is_good = IsAlwaysValid(module, pointer);
  const Block block = module.BlockOf(before);
  if (!message.value) {
    // Asking whether the block is dead makes the step depend on what made it dead, so ask only if
    // it matters.
    if (is_good && MayLoad(module, pointer, false)) return Yes();
    if (view.IsDead(block)) return MayLoad(module, pointer, true);
    return is_good ? MayLoad(module, pointer, false)
                   : No("the pointer may be invalid at the insertion point");
  }
  const Id value = view.Value(message.value);
  if (value == Id::kNone) return No("the value does not exist");
  if (module.TypeOf(value) != PointeeOf(module, pointer)) {
    return No("the value does not have the type of the memory");
  }
  if (!IsAvailable(module, value, before)) {
    return No("the value is not available at the insertion point");
  }
  if (CheckResult check_result = MayStore(module, pointer); !check_result) return check_result;
  if (is_good && view.IsIrrelevantPointee(pointer)) {
    if (IsSurelyDefined(view, value)) return Yes();
    return view.IsDead(block) ? Yes() : No("the value may be undefined");
  }
  return view.IsDead(block) ? Yes() : No("an output may depend on the content of the memory");
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
  if (why != nullptr) editor.facts().SetIrrelevant(loaded, editor.Provenance(*why));
}

// Pointers for accesses in the function: variables, parameters, and access chains in its blocks.
// Check decides which of them are available.
std::vector<Id> PointersIn(const Module& module, Function function) {
  constexpr size_t kPointers = 128;
  std::vector<Id> pointers;
  const auto add = [&](Inst inst) {
    const Id id = module.Result(inst);
    if (pointers.size() < kPointers && id != Id::kNone && IsPointer(module, module.Type(inst)) &&
        IsPartOfVariable(module, id) && IsOrdinary(module, PointeeOf(module, id))) {
      pointers.push_back(id);
    }
  };
  ForEachInstruction(module, module[function].head, add);
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, add); });
  ForEachGlobalVariable(module, add);
  return pointers;
}

// A value to store through the pointer; none for a load.
Name PickValue(Proposer& proposer, Id pointer, Inst before) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  if (facts.IrrelevantPointee(pointer) == nullptr &&
      facts.Dead(module.LabelId(module.BlockOf(before))) == nullptr) {
    return {};
  }
  if (!MayStore(module, pointer) || proposer.Pick(3) == 0) return {};
  std::vector<Id> near = NearOrFar(proposer, before, ValuesNear(module, before, 64));
  std::erase_if(near, [&](Id id) { return module.TypeOf(id) != PointeeOf(module, pointer); });
  return near.empty() ? Name{} : module.NameOf(near[proposer.Pick(near.size())]);
}

// Offers a load of the value that a store is about to overwrite. While something uses the loaded
// value, the earlier store is not dead.
bool OfferOfOverwritten(Proposer& proposer, Inst before) {
  const Module& module = proposer.module();
  if (module.Opcode(before) != spv::Op::OpStore) return false;
  const Message message{module.NameOf(before), module.NameOf(module.IdAt(before, 0)), {}};
  if (!Check(message, proposer.view())) return false;
  proposer.Offer(message);
  return true;
}

void ProposeIn(Proposer& proposer, Function function) {
  const Module& module = proposer.module();
  std::optional<std::vector<Id>> found;  // collected only once
  const auto offer = [&](Inst before) {
    if (proposer.Pick(2) == 0 && OfferOfOverwritten(proposer, before)) return;
    if (!found) found = PointersIn(module, function);
    const std::vector<Id>& pointers = *found;
    // Several tries, because a pointer may be unavailable or invalid here.
    for (int tries = 0; tries < 4 && !pointers.empty(); ++tries) {
      const Id pointer = pointers[proposer.Pick(pointers.size())];
      const Message message{module.NameOf(before), module.NameOf(pointer),
                            PickValue(proposer, pointer, before)};
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
    {.chance = {2, 14},
     .follow_ons = {"composite_extract", "add_variable", "resize_access", "keep_values_alive",
                    "replace_load_store_with_copy_memory"}});

}  // namespace refract::access
