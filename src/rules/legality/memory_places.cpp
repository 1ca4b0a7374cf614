// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/memory_places.h"

#include <algorithm>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/legality/memory.h"
#include "rules/legality/reorder.h"
#include "rules/values.h"

namespace refract {
inline namespace rules {
namespace {

using Storage = spv::StorageClass;

// True if a member anywhere in the type has the decoration.
bool HasDecoratedMember(const Module& module, Id type, spv::Decoration decoration) {
  switch (TypeOpcode(module, type)) {
    case spv::Op::OpTypeArray:
    case spv::Op::OpTypeRuntimeArray:
      return HasDecoratedMember(module, ElementType(module, type), decoration);
    case spv::Op::OpTypeStruct:
      for (uint32_t i = 0; i < *PartCount(module, type); ++i) {
        if (HasMemberDecoration(module, type, i, decoration)) return true;
        if (IsRepeatedMember(module, type, i)) continue;
        if (HasDecoratedMember(module, PartType(module, type, i), decoration)) return true;
      }
      return false;
    default:
      return false;
  }
}

}  // namespace

std::optional<Place> PlaceOf(const Module& module, Id pointer) {
  Place place;
  for (Inst inst = module.Definition(pointer);; inst = module.Definition(module.IdAt(inst, 0))) {
    const spv::Op opcode = module.Opcode(inst);
    if (opcode == spv::Op::OpVariable || opcode == spv::Op::OpFunctionParameter) {
      place.root = module.Result(inst);
      std::reverse(place.path.begin(), place.path.end());
      return place;
    }
    if (!IsAccessChain(opcode) && opcode != spv::Op::OpCopyObject) return std::nullopt;
    for (uint32_t i = module.OperandCount(inst); i-- > 1;) {
      place.path.push_back(module.IdAt(inst, i));
    }
  }
}

bool IsSameMemoryPlace(const Module& module, Id a, Id b) {
  if (a == b) return true;
  const std::optional<Place> place_a = PlaceOf(module, a), place_b = PlaceOf(module, b);
  if (!place_a || !place_b || place_a->root != place_b->root) return false;
  return std::equal(place_a->path.begin(), place_a->path.end(), place_b->path.begin(),
                    place_b->path.end(), [&](Id index_a, Id index_b) {
                      if (index_a == index_b) return true;
                      const std::optional<uint64_t> value = LiteralValue(module, index_a);
                      return value && value == LiteralValue(module, index_b);
                    });
}

bool AreDisjoint(const Module& module, Id a, Id b) {
  const std::optional<Place> place_a = PlaceOf(module, a), place_b = PlaceOf(module, b);
  if (!place_a || !place_b) return false;
  for (size_t i = 0; i < std::min(place_a->path.size(), place_b->path.size()); ++i) {
    const std::optional<uint64_t> index_a = LiteralValue(module, place_a->path[i]);
    const std::optional<uint64_t> index_b = LiteralValue(module, place_b->path[i]);
    if (!index_a || !index_b) return false;
    if (*index_a != *index_b) return true;
  }
  return false;
}

std::vector<Id> OtherPointersTo(const Module& module, Id pointer, Inst before) {
  constexpr size_t kUses = 64;
  std::vector<Id> pointers, bases;
  if (PlaceOf(module, pointer)) bases.push_back(RootOfPointer(module, pointer));
  size_t seen = 0;
  for (size_t i = 0; i < bases.size(); ++i) {
    for (Use use = module.FirstUse(bases[i]); use != Use::kNone && seen < kUses;
         use = module.NextUse(use), ++seen) {
      const Inst user = module.User(use);
      const spv::Op opcode = module.Opcode(user);
      if (module.OperandIndex(use) != 0 ||
          (!IsAccessChain(opcode) && opcode != spv::Op::OpCopyObject)) {
        continue;
      }
      bases.push_back(module.Result(user));
    }
  }
  for (Id other : bases) {
    if (other != pointer && IsSameMemoryPlace(module, other, pointer) &&
        IsAvailable(module, other, before)) {
      pointers.push_back(other);
    }
  }
  return pointers;
}

bool MayBeOverwritten(const View& view, Id pointer) {
  const Module& module = view.module();
  if (!PlaceOf(module, pointer)) return true;
  for (;; pointer = module.IdAt(module.Definition(pointer), 0)) {
    if (view.facts().IrrelevantPointee(pointer) != nullptr) return true;
    const spv::Op opcode = module.OpcodeOf(pointer);
    if (opcode == spv::Op::OpVariable) return false;
    // Calls of live-safe functions can pass pointers to irrelevant variables.
    if (opcode == spv::Op::OpFunctionParameter) {
      const Function function = module.FunctionOf(module.Definition(pointer));
      return view.facts().LiveSafe(module.FunctionId(function)) != nullptr;
    }
  }
}

ValueAccess ValueAccessOf(const Module& module, Inst inst) {
  if (module.Opcode(inst) == spv::Op::OpLoad) {
    return {module.IdAt(inst, 0), module.Result(inst), false};
  }
  if (module.Opcode(inst) == spv::Op::OpStore) {
    return {module.IdAt(inst, 0), module.IdAt(inst, 1), true};
  }
  return {};
}

bool IsMemoryPlaceDecorated(const Module& module, Id pointer, spv::Decoration decoration) {
  const std::optional<Place> place = PlaceOf(module, pointer);
  if (!place || FindDecoration(module, place->root, decoration) != Inst::kNone) return true;
  Id type = PointeeOf(module, place->root);
  for (Id index : place->path) {
    if (TypeOpcode(module, type) != spv::Op::OpTypeStruct) {
      type = ElementType(module, type);
      continue;
    }
    const auto member = static_cast<uint32_t>(LiteralValue(module, index).value_or(0));
    if (HasMemberDecoration(module, type, member, decoration)) return true;
    type = PartType(module, type, member);
  }
  return HasDecoratedMember(module, type, decoration);
}

bool MayBeRounded(const Module& module, Id pointer) {
  return IsMemoryPlaceDecorated(module, pointer, spv::Decoration::RelaxedPrecision);
}

namespace {

// True if only instructions of its own function can write to a variable, because no pointer into it
// is passed or stored.
bool IsOnlyAccessed(const Module& module, Id pointer) {
  for (Use use = module.FirstUse(pointer); use != Use::kNone; use = module.NextUse(use)) {
    const Inst user = module.User(use);
    if (!module.IsBasicBlock(module.BlockOf(user))) continue;
    switch (module.Opcode(user)) {
      case spv::Op::OpLoad:
      case spv::Op::OpCopyMemory:
        break;
      case spv::Op::OpStore:
        if (module.OperandIndex(use) != 0) return false;
        break;
      case spv::Op::OpAccessChain:
      case spv::Op::OpInBoundsAccessChain:
      case spv::Op::OpCopyObject:
        if (!IsOnlyAccessed(module, module.Result(user))) return false;
        break;
      default:
        return false;
    }
  }
  return true;
}

// Walks from `before` back to the access on all paths.
class WalkBack {
 public:
  WalkBack(const Module& module, Inst access, Id pointer)
      : module_(module), access_(access), pointer_(pointer) {
    const Id root = RootOfPointer(module, pointer);
    is_local_ = root != Id::kNone && module.OpcodeOf(root) == spv::Op::OpVariable &&
                StorageClassOf(module, module.TypeOf(root)) == Storage::Function;
  }

  // True if nothing on these paths writes to the memory. The access must dominate `before`.
  bool IsUntouched(Inst before) {
    if (!WalkUp(module_.Prev(before))) return false;
    const ControlFlow& flow = module_.Flow(module_.FunctionOf(before));
    while (!open_.empty()) {
      const Block block = open_.back();
      open_.pop_back();
      for (Block from : flow.Predecessors(block)) {
        if (!flow.Reachable(from) || Contains(from)) continue;
        seen_.push_back(from);
        if (seen_.size() > kMostBlocks || !WalkUp(module_.Terminator(from))) return false;
      }
    }
    return true;
  }

 private:
  static constexpr size_t kMostBlocks = 24;
  static constexpr size_t kMostInstructions = 400;

  bool Contains(Block block) const {
    return std::find(seen_.begin(), seen_.end(), block) != seen_.end();
  }

  // Walks back to the access or to the start of the block, whose predecessors then come next. False
  // if something writes.
  bool WalkUp(Inst inst) {
    const Block block = module_.BlockOf(inst);
    for (; inst != Inst::kNone; inst = module_.Prev(inst)) {
      if (inst == access_) return true;
      if (++walked_ > kMostInstructions || Writes(inst)) return false;
    }
    open_.push_back(block);
    return true;
  }

  bool Writes(Inst inst) {
    if (module_.Opcode(inst) == spv::Op::OpFunctionCall && is_local_) {
      if (!is_only_accessed_) {
        is_only_accessed_ = IsOnlyAccessed(module_, RootOfPointer(module_, pointer_));
      }
      return !*is_only_accessed_;
    }
    return MayChange(module_, inst, pointer_);
  }

  const Module& module_;
  const Inst access_;
  const Id pointer_;
  bool is_local_ = false;
  std::optional<bool> is_only_accessed_;
  std::vector<Block> seen_, open_;
  size_t walked_ = 0;
};

bool Precedes(const Module& module, Inst access, Inst before) {
  const Function function = module.FunctionOf(before);
  if (!module.IsBasicBlock(module.BlockOf(access)) || module.FunctionOf(access) != function) {
    return false;
  }
  const Block from = module.BlockOf(access), to = module.BlockOf(before);
  if (from == to) return access != before && module.Precedes(access, before);
  return module.Flow(function).Dominates(from, to);
}

}  // namespace

CheckResult StillHolds(const Module& module, Inst access, Inst before) {
  if (!Precedes(module, access, before)) {
    return No("the load or store does not dominate the insertion point");
  }
  const Id pointer = ValueAccessOf(module, access).pointer;
  if (HasOrderingMemoryOperands(module, access) || IsVolatileOrCoherent(module, pointer)) {
    return No("the load or store orders memory accesses, or the memory is volatile or coherent");
  }
  // RelaxedPrecision of a load concerns the loaded value; RelaxedPrecision of a stored value
  // concerns how it was computed.
  const bool is_relaxed_load = module.Opcode(access) == spv::Op::OpLoad &&
                               FindDecoration(module, module.Result(access),
                                              spv::Decoration::RelaxedPrecision) != Inst::kNone;
  if (is_relaxed_load || MayBeRounded(module, pointer)) {
    return No("the loaded value may have been rounded");
  }
  if (!WalkBack(module, access, pointer).IsUntouched(before)) {
    return No("the memory may have been written after the load or store");
  }
  return Yes();
}

CheckResult MayLoadAgain(const View& view, Inst inst, Id pointer, Inst before) {
  const Module& module = view.module();
  const ValueAccess access = ValueAccessOf(module, inst);
  if (!access) return No("the instruction is not a load or store");
  if (!IsSameMemoryPlace(module, pointer, access.pointer)) {
    return No("the pointer may refer to other memory");
  }
  if (!IsAvailable(module, pointer, before)) {
    return No("the pointer is not available at the insertion point");
  }
  if (const CheckResult v = MayHaveSynonym(view, access.value); !v) return v;
  if (MayBeOverwritten(view, pointer)) {
    return No("later steps of the recording may write any value to the memory");
  }
  if (const CheckResult v = MayLoad(module, pointer, false); !v) return v;
  view.DependOn(inst, 0);
  if (access.is_store) view.DependOn(inst, 1);
  return StillHolds(module, inst, before);
}

Inst PickInsertionPointAfter(Proposer& proposer, Inst access) {
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
             ? OldestInsertionPoint(module, spv::Op::OpLoad, inst)
             : inst;
}

}  // namespace rules
}  // namespace refract
