// SPDX-License-Identifier: Apache-2.0
// Converts a pointer of class PhysicalStorageBuffer to an integer and back. The pointer has the
// same address again (SPIR-V, OpConvertPtrToU and OpBitcast), but a compiler must not lose track of
// what it points to. The integer is never exact, so no other step lets an output depend on it
// (rules/legality/defined.h).
#include "message/convert_pointer_and_back.h"

#include "ir/grammar/operand_rules.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::convert_pointer_and_back {
namespace {

using Message = message::ConvertPointerAndBack;
using Form = Message::Form;
using spv::Op;
enum Role : uint64_t { kNumber = 1, kPointer = 2 };

// Bitcasts between pointers and vectors need one of these (SPIR-V 1.5, OpBitcast).
bool HasBitcastsToVectors(const Module& module) {
  constexpr uint32_t kVersion15 = 0x00010500;
  return module.version() >= kVersion15 || HasExtension(module, "SPV_KHR_physical_storage_buffer");
}

// A compiler may assume that nothing else leads to the memory of a restrict pointer, and a pointer
// made of a number is something else.
bool HasRestrict(const Module& module) {
  bool found = false;
  ForEachInstruction(module, Module::SectionBlock(Section::kAnnotations), [&](Inst inst) {
    const bool of_member = module.Opcode(inst) == Op::OpMemberDecorate;
    if (!of_member && module.Opcode(inst) != Op::OpDecorate) return;
    const auto decoration = static_cast<spv::Decoration>(module.Word(inst, of_member ? 2 : 1));
    found = found || decoration == spv::Decoration::RestrictPointer ||
            decoration == spv::Decoration::Restrict;
  });
  return found;
}

message::Type TypeOfNumber(Form form) {
  return form == Form::kHalves ? VectorType(IntType(32, false), 2) : IntType(64, false);
}

// True if the operand is a pointer and may be another one with the same address. Only pointers to
// whole blocks may: the stride and order of a matrix, and Coherent or Volatile, are decorations of
// the member of the block from which a pointer to a part comes.
bool IsPlace(const Module& module, Inst user, uint32_t operand) {
  if (!module.IsId(user, operand)) return false;
  const Id type = module.TypeOf(module.IdAt(user, operand));
  if (type == Id::kNone || !IsPointer(module, type) ||
      StorageClassOf(module, type) != spv::StorageClass::PhysicalStorageBuffer ||
      !IsBlock(module, ElementType(module, type))) {
    return false;
  }
  const OperandRole role = RuleOfOperand(module, user, operand).role;
  return role == OperandRole::kPointer || role == OperandRole::kArgument;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const OperandUse place = FindUse(view, message.use);
  if (!place) return No("the given use of a value does not exist");
  if (!IsPlace(module, place.user, place.operand)) {
    return No(
        "the operand is not a pointer to a whole block of class PhysicalStorageBuffer that can be "
        "replaced");
  }
  if (static_cast<uint32_t>(message.form) > static_cast<uint32_t>(Form::kHalves)) {
    return No("the field `form` has an unknown value");
  }
  if (HasRestrict(module)) return No("the module has a restrict pointer");
  if (message.form == Form::kHalves && !HasBitcastsToVectors(module)) {
    return No("a bitcast between a pointer and a vector needs SPIR-V 1.5 or an extension");
  }
  if (!IsDeclarableHere(module, TypeOfNumber(message.form))) {
    return No("the type of the number cannot be declared in this module");
  }
  return Yes();
}

void Apply(const Message& message, ContextEditor& editor) {
  const Module& module = editor.module();
  const OperandUse place = FindUse(module, message.use);
  const Id pointer = module.IdAt(place.user, place.operand);
  const bool converts = message.form == Form::kNumber;
  Builder builder(editor, InsertionPointFor(module, place), pointer);
  const Id number =
      builder.Compute(converts ? Op::OpConvertPtrToU : Op::OpBitcast,
                      Declare(editor, TypeOfNumber(message.form)), editor.Made(kNumber), {pointer});
  const Id back = builder.Compute(converts ? Op::OpConvertUToPtr : Op::OpBitcast,
                                  module.TypeOf(pointer), editor.Made(kPointer), {number});
  if (const Steps* why = editor.facts().IrrelevantPointee(pointer)) {
    editor.facts().SetIrrelevantPointee(back, editor.Provenance(*why));
  }
  editor.SetOperand(place.user, place.operand, back);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  ForEachFunction(proposer, [&](Function function) {
    ForEachBlock(module, function, [&](Block block) {
      ForEachInstruction(module, block, [&](Inst inst) {
        for (uint32_t i = 0; i < module.OperandCount(inst); ++i) {
          if (!IsPlace(module, inst, i) || !proposer.ShouldTry() || ShouldSkip(proposer, inst)) {
            continue;
          }
          const auto form = static_cast<Form>(proposer.Pick(3));
          const Message message{DescribeUse(module, inst, i), form};
          if (Check(message, proposer.view())) proposer.Offer(message);
        }
      });
    });
  });
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {10, 60}, .follow_ons = {"add_synonym", "rebuild_value"}});

}  // namespace refract::convert_pointer_and_back
