// SPDX-License-Identifier: Apache-2.0
// Accesses memory through another pointer to the same place. Compilers decide which accesses refer
// to the same place from the way the pointers are computed.
#include "message/replace_pointer.h"

#include <algorithm>
#include <vector>

#include "ir/availability.h"
#include "ir/decorations.h"
#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/context_editor.h"
#include "rules/legality/memory_places.h"
#include "rules/uses.h"

namespace refract::replace_pointer {
namespace {

using Message = message::ReplacePointer;

// True for operands that take any pointer to the memory. Other operands require a variable or a
// part of one.
bool MayBeAnyPointer(const Module& module, Inst user, uint32_t operand) {
  switch (module.Opcode(user)) {
    case spv::Op::OpLoad:
    case spv::Op::OpStore:
    case spv::Op::OpCopyMemory:
    case spv::Op::OpAccessChain:
    case spv::Op::OpInBoundsAccessChain:
    case spv::Op::OpCopyObject:
      // First whether the operand is an id at all: operand 1 of a load is a literal.
      return (operand == 0 || (operand == 1 && module.Opcode(user) == spv::Op::OpCopyMemory)) &&
             IsPointer(module, module.TypeOf(module.IdAt(user, operand)));
    default:
      return false;
  }
}

// True if a decoration restricts how the pointer is used. Decorations of a variable do not count,
// because they describe the variable itself.
bool IsLeftAlone(const Module& module, Id pointer) {
  return RootOfPointer(module, pointer) != pointer && !IsTouchable(module, pointer);
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse use = FindUse(view, message.use);
  if (!use) return No("the given use of a value does not exist");
  if (!MayBeAnyPointer(module, use.user, use.operand)) {
    return No("the pointer operand cannot be replaced by another pointer");
  }
  const Id pointer = view.Value(message.pointer);
  if (pointer == Id::kNone) return No("the pointer does not exist");
  const Id current = module.IdAt(use.user, use.operand);
  if (pointer == current) return Yes();  // the operand is already this pointer
  if (module.TypeOf(pointer) != module.TypeOf(current)) {
    return No("the old and the new value have different types");
  }
  if (IsLeftAlone(module, pointer) || IsLeftAlone(module, current)) {
    return No("a decoration on a pointer forbids the change");
  }
  if (!IsAvailableAtUse(module, pointer, use.user, use.operand)) {
    return No("the pointer is not available where the operand is used");
  }
  if (!IsSameMemoryPlace(module, pointer, current)) {
    return No("the two pointers may refer to different memory");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse use = FindUse(module, message.use);
  editor.SetOperand(use.user, use.operand, module.FindId(message.pointer));
}

void Offer(Proposer& proposer, Inst user, uint32_t operand) {
  const Module& module = proposer.module();
  const Id current = module.IdAt(user, operand);
  std::vector<Id> others = OtherPointersTo(module, current, user);
  std::erase_if(others, [&](Id id) {
    return module.TypeOf(id) != module.TypeOf(current) || IsLeftAlone(module, id);
  });
  if (others.empty() || IsLeftAlone(module, current)) return;
  proposer.Offer(Message{DescribeUse(module, user, operand),
                         module.NameOf(others[proposer.Pick(others.size())])});
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        const uint32_t most = std::min(2u, module.OperandCount(inst));
        for (uint32_t i = 0; i < most; ++i) {
          if (MayBeAnyPointer(module, inst, i) && proposer.ShouldTry()) Offer(proposer, inst, i);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule =
    MakeRule<Message, Check, Apply, Propose>({.chance = {5, 50}, .follow_ons = {"add_pointer"}});

}  // namespace refract::replace_pointer
