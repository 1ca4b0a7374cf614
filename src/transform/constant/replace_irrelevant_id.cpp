// SPDX-License-Identifier: Apache-2.0
// Replaces a use of an irrelevant value by another value. The new value must be defined
// (rules/legality/defined.h); in a dead block, any value is allowed.
#include "message/replace_irrelevant_id.h"

#include <algorithm>
#include <vector>

#include "ir/availability.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/defined.h"
#include "rules/legality/index_range.h"
#include "rules/legality/memory_places.h"
#include "rules/uses.h"
#include "rules/values.h"

namespace refract::replace_irrelevant_id {
namespace {

using Message = message::ReplaceIrrelevantId;

// The block where the operand must be available: for a phi, the predecessor.
Block UseBlock(const Module& module, OperandUse place) {
  if (module.Opcode(place.user) != spv::Op::OpPhi) return module.BlockOf(place.user);
  return module.BlockOfLabel(module.IdAt(place.user, place.operand + 1));
}

// True if the instruction keeps an index in range for every value, because its other operand is a
// literal.
bool KeepsIndexInRange(const Module& module, Inst inst, Id value) {
  const auto is_number = [&](uint32_t operand) {
    const Id id = module.IdAt(inst, operand);
    return id != value && LiteralValue(module, id);
  };
  const spv::Op opcode = module.Opcode(inst);
  return (opcode == spv::Op::OpUMod && is_number(1)) ||
         (opcode == spv::Op::OpBitwiseAnd && (is_number(0) || is_number(1)));
}

enum class Destination { kNowhere, kMemory, kIndex };

// Where values computed by the user can end up: in an index, or in memory and functions, from where
// they can end up in an index. The search is bounded; beyond the bound, kIndex is assumed.
Destination DestinationOf(const Module& module, Inst user, Id value) {
  constexpr size_t kMost = 48;
  std::vector<Inst> reached{user};
  Destination destination = Destination::kNowhere;
  for (size_t i = 0; i < reached.size(); ++i) {
    const Inst inst = reached[i];
    if (i == kMost || IsAccessChain(module.Opcode(inst))) return Destination::kIndex;
    if (KeepsIndexInRange(module, inst, value)) continue;
    const bool is_value = PropertiesOf(module, inst).pure || module.Opcode(inst) == spv::Op::OpPhi;
    if (!is_value && inst != user) destination = Destination::kMemory;
    if (!is_value) continue;
    ForEachUse(module, module.Result(inst), [&](Use use) {
      const Inst next = module.User(use);
      if (module.IsBasicBlock(module.BlockOf(next)) && reached.size() <= kMost &&
          std::find(reached.begin(), reached.end(), next) == reached.end()) {
        reached.push_back(next);
      }
    });
  }
  return destination;
}

// True if a value derived from this one may be an index that is in range only because two uses have
// the same value: one in a comparison, the other in the selected index.
bool MayMoveIndex(const Module& module, OperandUse place) {
  const Id value = module.IdAt(place.user, place.operand);
  const Destination destination = DestinationOf(module, place.user, value);
  if (destination != Destination::kMemory) return destination == Destination::kIndex;
  bool is_compared = false;
  ForEachUse(module, value,
             [&](Use use) { is_compared |= IsBool(module, module.Type(module.User(use))); });
  return is_compared;
}

// True if values computed by the user may decide something: a branch, an address, or the contents
// of memory on which other instructions depend. Results of calls never count as exact
// (IsSurelyExact). The search is bounded; beyond the bound, true is assumed.
bool MayDecide(const View& view, Inst user) {
  constexpr size_t kMost = 48;
  const Module& module = view.module();
  std::vector<Inst> reached{user};
  for (size_t i = 0; i < reached.size(); ++i) {
    const Inst inst = reached[i];
    const spv::Op opcode = module.Opcode(inst);
    if (i == kMost || PropertiesOf(opcode).is_branch || IsAccessChain(opcode)) return true;
    if (opcode == spv::Op::OpStore && !MayBeOverwritten(view, module.IdAt(inst, 0))) return true;
    if (!PropertiesOf(module, inst).pure && opcode != spv::Op::OpPhi) continue;
    ForEachUse(module, module.Result(inst), [&](Use use) {
      const Inst next = module.User(use);
      if (module.IsBasicBlock(module.BlockOf(next)) && reached.size() <= kMost &&
          std::find(reached.begin(), reached.end(), next) == reached.end()) {
        reached.push_back(next);
      }
    });
  }
  return false;
}

CheckResult CheckReplacement(const View& view, OperandUse place, Id replacement) {
  const Module& module = view.module();
  const Id current = module.IdAt(place.user, place.operand);
  if (current == replacement) return No("the operand is already the new value");
  if (module.TypeOf(current) != module.TypeOf(replacement)) {
    return No("the old and the new value have different types");
  }
  if (!IsAvailableAtUse(module, replacement, place.user, place.operand)) {
    return No("the new value is not available where the operand is used");
  }
  if (MayPutIndexOutOfRange(module, place, replacement)) {
    return No("with the new value, a constant index may be out of range");
  }
  if (view.IsDead(UseBlock(module, place))) return Yes();
  if (!view.IsIrrelevant(current)) return No("the operand is not marked as irrelevant");
  if (!IsSurelyDefined(view, replacement)) return No("the new value may be undefined");
  if (MayMoveIndex(module, place)) return No("with the new value, an index may be out of range");
  // A check that let the value decide something (MayBranchOn, add_pointer) relied on its exactness.
  if (MayDecide(view, place.user) && IsSurelyExact(view, current) &&
      !IsSurelyExact(view, replacement)) {
    return No("the new value may be approximate, and a branch or index may depend on the operand");
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  const Id replacement = view.Value(message.replacement);
  if (replacement == Id::kNone) return No("the new value does not exist");
  if (!MayBeAnyValue(module, place)) return No("the operand cannot be replaced by another value");
  return CheckReplacement(view, place, replacement);
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  editor.SetOperand(place.user, place.operand, module.FindId(message.replacement));
}

void Offer(Proposer& proposer, const std::vector<Id>& constants, OperandUse place) {
  const Module& module = proposer.module();
  if (!MayBeAnyValue(module, place)) return;
  if (proposer.view().facts().Dead(module.LabelId(UseBlock(module, place))) == nullptr &&
      MayMoveIndex(module, place)) {
    return;
  }
  const Id type = module.TypeOf(module.IdAt(place.user, place.operand));
  std::vector<Id> choices;
  const auto add = [&](Id id) {
    if (module.TypeOf(id) == type && CheckReplacement(proposer.view(), place, id)) {
      choices.push_back(id);
    }
  };
  for (Id id : ValuesNear(module, InsertionPointFor(module, place), 12)) add(id);
  for (Id id : constants) {
    if (choices.size() < 16) add(id);
  }
  if (choices.empty()) return;
  proposer.Offer(Message{DescribeUse(module, place.user, place.operand),
                         module.NameOf(choices[proposer.Pick(choices.size())])});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const Facts& facts = proposer.view().facts();
  std::vector<Id> constants;
  ForEachInstruction(module, Module::SectionBlock(Section::kDeclarations), [&](Inst inst) {
    if (IsConstant(module.Opcode(inst))) constants.push_back(module.Result(inst));
  });
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      const bool is_dead = facts.Dead(module.LabelId(block)) != nullptr;
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!module.IsId(inst, i)) continue;
          if (!is_dead && facts.Irrelevant(module.IdAt(inst, i)) == nullptr) continue;
          if (proposer.ShouldTry()) Offer(proposer, constants, {inst, i});
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 90}, .follow_ons = {"replace_id_with_synonym", "add_relaxed_precision"}});

}  // namespace refract::replace_irrelevant_id
