// SPDX-License-Identifier: Apache-2.0
// Adds a pointer. It must be valid wherever it is inserted: indices are constants in range, values
// that are clamped, or indices of an existing pointer.
#include "message/add_pointer.h"

#include <optional>
#include <vector>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/declare.h"
#include "rules/legality/defined.h"
#include "rules/legality/memory.h"
#include "rules/legality/memory_places.h"
#include "rules/offer.h"
#include "rules/values.h"

namespace refract::add_pointer {
namespace {

using Message = message::AddPointer;
using Form = Message::Form;
enum Role : uint64_t { kPointer = 1, kTest = 2, kIndex = 3 };

// True if the index can be a computed value. In an array of descriptors that requires capabilities,
// and in variables that are interfaces between stages it is not allowed.
bool MayBeComputed(const Module& module, Id pointer) {
  switch (StorageClassOf(module, module.TypeOf(pointer))) {
    case spv::StorageClass::Function:
    case spv::StorageClass::Private:
    case spv::StorageClass::Workgroup:
      return true;
    case spv::StorageClass::Uniform:
    case spv::StorageClass::StorageBuffer:
    case spv::StorageClass::PushConstant:
      return !IsArrayOfBlocks(module, PointeeOf(module, pointer));
    default:
      return false;
  }
}

CheckResult CheckValue(const View& view, const Message& message, Id type, Id value, Inst before) {
  const Module& module = view.module();
  if (value == Id::kNone) return No("an index does not exist");
  if (!IsInt(module, module.TypeOf(value)) || !IsOrdinary(module, module.TypeOf(value))) {
    return No("an index is not an integer of a supported type");
  }
  if (!IsAvailable(module, value, before)) {
    return No("an index is not available at the insertion point");
  }
  if (TypeOpcode(module, type) == spv::Op::OpTypeStruct ||
      !MayBeComputed(module, view.Value(message.pointer))) {
    return No("an index must be a constant");
  }
  // A larger count might not fit into the type of the index.
  if (PartCount(module, type).value_or(UINT32_MAX) > 0x7f) return No("the array is too large");
  if (!IsSurelyDefined(view, value)) return No("an index may be undefined");
  // The index decides which value a load returns. An inexact index makes that value inexact, even
  // if each value in memory is exact.
  if (!IsSurelyExact(view, value) && !view.IsUniform(value)) {
    return No("an index may be approximate");
  }
  return Yes();
}

CheckResult CheckIndices(const View& view, const Message& message, Inst before) {
  const Module& module = view.module();
  const Id pointer = view.Value(message.pointer);
  Id type = PointeeOf(module, pointer);
  if (message.indices.empty()) return No("the list of indices is empty");
  // Each index leads to a part, so there are at most as many indices as levels of nesting.
  for (const message::PointerIndex& index : message.indices) {
    const uint32_t part = index.value ? 0 : index.constant;
    const Id part_type = PartCount(module, type) ? PartType(module, type, part) : Id::kNone;
    if (part_type == Id::kNone) return No("no part has this index");
    // Later steps may load what the pointer points to.
    if (IsBlock(module, type) && !IsMemberRead(module, pointer, part)) {
      return No("no instruction reads the member, so the inputs may have no value for it");
    }
    if (index.value) {
      if (const CheckResult v = CheckValue(view, message, type, view.Value(index.value), before);
          !v) {
        return v;
      }
    }
    type = part_type;
  }
  return Yes();
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst before = view.Find(message.before);
  if (before == Inst::kNone) return No("the instruction does not exist");
  if (!MayInsertBefore(module, spv::Op::OpAccessChain, before)) {
    return No("no instruction can be inserted at this point");
  }
  const Id pointer = view.Value(message.pointer);
  if (pointer == Id::kNone) return No("the pointer does not exist");
  const std::optional<Place> place =
      IsPointer(module, module.TypeOf(pointer)) ? PlaceOf(module, pointer) : std::nullopt;
  if (!place) return No("the id is not a pointer to a variable or to a part of a variable");
  if (!IsAvailable(module, pointer, before)) {
    return No("the pointer is not available at the insertion point");
  }
  if (!HasOrdinaryStorageClass(module, pointer)) {
    return No("the storage class of the pointer is not supported");
  }
  if (pointer != place->root && !IsTouchable(module, pointer)) {
    return No("a decoration on the pointer forbids the change");
  }
  if (!MayBeUsedIn(module, pointer, module.FunctionOf(before))) {
    return No("an entry point that reaches the function does not use the variable");
  }
  // Other forms ignore indices. Refuse them, because the names in them are not checked.
  if (message.form != Form::kPart && !message.indices.empty()) {
    return No("indices are allowed only if the field `form` is PART");
  }
  switch (message.form) {
    case Form::kPart:
      return CheckIndices(view, message, before);
    case Form::kSame:
      return place->path.empty() ? No("the pointer does not lead to a part of a variable") : Yes();
    case Form::kCopy:
      return Yes();
    default:
      return No("the field `form` has an unknown value");
  }
}

// Clamps the index: the value if it is below the count, otherwise the last index.
Id CutOff(ContextEditor& editor, Inst before, uint64_t number, Id value, uint32_t count) {
  const Module& module = editor.module();
  const Id type = module.TypeOf(value);
  const auto constant = [&](uint32_t bits) {
    return Declare(editor, ScalarConstant(module, type, bits));
  };
  const Id is_below = editor.InsertValue(before, spv::Op::OpULessThan, Declare(editor, BoolType()),
                                         editor.Made(kTest, number), {value, constant(count)});
  return editor.InsertValue(before, spv::Op::OpSelect, type, editor.Made(kIndex, number),
                            {is_below, value, constant(count - 1)});
}

// The operands of an access chain; `type` gets the type that they lead to.
Args ChainArgs(const Message& message, ContextEditor& editor, Id pointer, Id* type) {
  const Module& module = editor.module();
  *type = PointeeOf(module, pointer);
  Args args{pointer};
  for (size_t i = 0; i < message.indices.size(); ++i) {
    const message::PointerIndex& index = message.indices[i];
    Id id;
    if (index.value) {
      id = CutOff(editor, module.Find(message.before), i, module.FindId(index.value),
                  *PartCount(module, *type));
    } else {
      id = Declare(editor, ScalarConstant(IntType(32, false), index.constant));
    }
    args.push_back(id);
    *type = PartType(module, *type, index.value ? 0 : index.constant);
  }
  return args;
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const Inst before = module.Find(message.before);
  const Id pointer = module.FindId(message.pointer);
  const Place place = *PlaceOf(module, pointer);
  if (module.FunctionOf(module.Definition(place.root)) == Function::kNone) {
    editor.AddToInterfaces(place.root, module.FunctionOf(before));
  }
  Args args{pointer};
  Id type = module.TypeOf(pointer);
  if (message.form == Form::kSame) {
    args = {place.root};
    for (Id index : place.path) args.push_back(index);
  } else if (message.form == Form::kPart) {
    Id part;
    args = ChainArgs(message, editor, pointer, &part);
    type = DeclarePointer(editor, StorageClassOf(module, type), part);
  }
  const bool is_copy = message.form == Form::kCopy;
  const Id made =
      editor.InsertValue(before, is_copy ? spv::Op::OpCopyObject : spv::Op::OpAccessChain, type,
                         editor.Made(kPointer), args);
  if (const Steps* why = editor.facts().IrrelevantPointee(pointer)) {
    editor.facts().SetIrrelevantPointee(made, editor.Provenance(*why));
  }
}

std::vector<Id> PointersNear(const Module& module, Function function) {
  constexpr size_t kMost = 96;
  std::vector<Id> pointers;
  const auto add = [&](Inst inst) {
    const Id id = module.Result(inst);
    if (pointers.size() < kMost && id != Id::kNone && IsPointer(module, module.Type(inst)) &&
        HasOrdinaryStorageClass(module, id) && PlaceOf(module, id)) {
      pointers.push_back(id);
    }
  };
  ForEachInstruction(module, module[function].head, add);
  ForEachBlock(module, function, [&](Block block) { ForEachInstruction(module, block, add); });
  ForEachGlobalVariable(module, add);
  return pointers;
}

// Picks indices into the memory that the pointer points to; some of them are values.
void PickIndices(Proposer& proposer, Id pointer, Inst before, Message* message) {
  const Module& module = proposer.module();
  const bool may_be_computed = MayBeComputed(module, pointer);
  Id type = PointeeOf(module, pointer);
  for (;;) {
    const uint32_t count = PartCount(module, type).value_or(0);
    if (count == 0) return;
    message::PointerIndex index;
    index.constant = static_cast<uint32_t>(proposer.Pick(count));
    if (may_be_computed && TypeOpcode(module, type) != spv::Op::OpTypeStruct &&
        proposer.Pick(2) == 0) {
      std::vector<Id> near = ValuesNear(module, before, 24);
      std::erase_if(near, [&](Id id) { return !IsInt(module, module.TypeOf(id)); });
      if (!near.empty()) index = {0, module.NameOf(near[proposer.Pick(near.size())])};
    }
    type = PartType(module, type, index.constant);
    message->indices.push_back(index);
    if (proposer.Pick(3) == 0) return;
  }
}

void ProposeIn(Proposer& proposer, Function function) {
  const Module& module = proposer.module();
  std::vector<Id> pointers;
  const auto offer = [&](Inst before) {
    if (pointers.empty()) pointers = PointersNear(module, function);
    for (int tries = 0; tries < 4 && !pointers.empty(); ++tries) {
      const Id pointer = pointers[proposer.Pick(pointers.size())];
      if (!IsAvailable(module, pointer, before)) continue;
      Message message{module.NameOf(before), module.NameOf(pointer),
                      static_cast<Form>(proposer.Pick(3))};
      if (message.form == Form::kPart) PickIndices(proposer, pointer, before, &message);
      if (!Check(message, proposer.view())) continue;
      proposer.Offer(message);
      return;
    }
  };
  OfferAtInsertionPointsIn(proposer, function, spv::Op::OpAccessChain, offer);
}

void Propose(Proposer& proposer) {
  ForEachFunction(proposer, [&](Function function) { ProposeIn(proposer, function); });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {1, 10},
     .follow_ons = {"replace_pointer", "load_again", "access", "add_pointer",
                    "toggle_access_chain"}});

}  // namespace refract::add_pointer
