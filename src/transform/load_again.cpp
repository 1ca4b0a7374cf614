// SPDX-License-Identifier: Apache-2.0
// What is in memory is known as long as nothing writes there: from a load on, and from a store on.
#include "message/load_again.h"

#include "ir/availability.h"
#include "ir/types.h"
#include "transform/memory.h"
#include "transform/places.h"
#include "transform/values.h"

namespace refract::load_again {
namespace {

using Message = message::LoadAgain;
enum Role : uint64_t { kLoad = 1 };

Verdict Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction is not there");
  if (!MayInsertBefore(module, spv::Op::OpLoad, before)) return No("nothing can be put there");
  const Inst inst = view.Find(message.access);
  if (inst == Inst::kNone) return No("the access is not there");
  const ValueAccess access = ValueAccessOf(module, inst);
  if (!access) return No("it is no load or store");
  const Id pointer = view.Value(message.pointer);
  if (pointer == Id::kNone) return No("the pointer is not there");
  if (!IsSamePlace(module, pointer, access.pointer)) {
    return No("the pointer may lead to another place");
  }
  if (!IsAvailable(module, pointer, before)) return No("the pointer is not available there");
  if (const Verdict v = MayHaveSynonym(view, access.value); !v) return v;
  if (MayBeOverwritten(view, pointer)) return No("later steps may write anything there");
  if (const Verdict v = MayLoad(module, pointer, false); !v) return v;
  view.CountOn(inst, 0);
  if (access.is_store) view.CountOn(inst, 1);
  return StillHolds(module, inst, before);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const ValueAccess access = ValueAccessOf(module, module.Find(message.access));
  const Id loaded =
      editor.InsertValue(module.Find(message.before), spv::Op::OpLoad, module.TypeOf(access.value),
                         editor.Made(kLoad), {module.FindId(message.pointer)});
  editor.facts().AddSynonym(Part(loaded), Part(access.value), editor.Because());
}

// Somewhere behind, in the block or in one that it dominates.
Inst PickPlace(Proposer& proposer, Inst access) {
  const Module& module = proposer.module();
  const ControlFlow& flow = module.Flow(module.FunctionOf(access));
  Inst inst = access;
  for (size_t steps = 1 + proposer.Pick(16); steps > 0; --steps) {
    const Block block = module.BlockOf(inst);
    if (inst != module.Terminator(block)) {
      inst = module.Next(inst);
      continue;
    }
    const auto successors = flow.Successors(block);
    if (successors.empty()) break;
    const Block next = successors[proposer.Pick(successors.size())];
    if (!flow.Dominates(module.BlockOf(access), next) || next == module.BlockOf(access)) break;
    inst = module.Next(module.Label(next));
  }
  return MayInsertBefore(module, spv::Op::OpLoad, inst)
             ? OldestPlaceFrom(module, spv::Op::OpLoad, inst)
             : inst;
}

// A pointer to the same place: another one if there is.
Id PickPointer(Proposer& proposer, Id pointer, Inst before) {
  constexpr size_t kUses = 64;
  const Module& module = proposer.module();
  std::vector<Id> pointers;
  size_t seen = 0;
  const auto add = [&](auto& self, Id base) -> void {
    for (Use use = module.FirstUse(base); use != Use::kNone && seen < kUses;
         use = module.NextUse(use), ++seen) {
      const Id other = module.Result(module.User(use));
      if (other == Id::kNone || module.OperandIndex(use) != 0 ||
          !IsPointer(module, module.TypeOf(other))) {
        continue;
      }
      if (other != pointer && IsSamePlace(module, other, pointer) &&
          IsAvailable(module, other, before)) {
        pointers.push_back(other);
      }
      self(self, other);
    }
  };
  const Id root = RootOfPointer(module, pointer);
  if (root != Id::kNone) add(add, root);
  return pointers.empty() ? pointer : pointers[proposer.Pick(pointers.size())];
}

void Offer(Proposer& proposer, Inst inst) {
  const Module& module = proposer.module();
  const ValueAccess access = ValueAccessOf(module, inst);
  // Cheap ones first: much memory is others'.
  if (!MayHaveSynonym(proposer.view(), access.value) ||
      RootOfPointer(module, access.pointer) == Id::kNone ||
      !MayLoad(module, access.pointer, false) ||
      MayBeOverwritten(proposer.view(), access.pointer)) {
    return;
  }
  for (int tries = 0; tries < 3; ++tries) {
    const Inst before = PickPlace(proposer, inst);
    const Message message{module.NameOf(before), module.NameOf(inst),
                          module.NameOf(PickPointer(proposer, access.pointer, before))};
    if (!Check(message, proposer.view())) continue;
    proposer.Offer(message);
    return;
  }
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        if (ValueAccessOf(module, inst) && proposer.Toss()) Offer(proposer, inst);
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {4, 30}, .follow_ons = {"replace_id_with_synonym", "move_instruction_down"}});

}  // namespace refract::load_again
