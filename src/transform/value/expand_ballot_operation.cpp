// SPDX-License-Identifier: Apache-2.0
// Expands an operation on a ballot into operations on its words. Bit i of a ballot is bit i % 32 of
// word i / 32 (SPIR-V, OpGroupNonUniformBallot).
#include "message/expand_ballot_operation.h"

#include "ir/decorations.h"
#include "ir/types.h"
#include "rules/build/builder.h"
#include "rules/build/declare.h"
#include "rules/offer.h"
#include "rules/uses.h"

namespace refract::expand_ballot_operation {
namespace {

using Message = message::ExpandBallotOperation;
using spv::Op;
enum Role : uint64_t { kWord = 1, kCount = 2, kSum = 3, kStep = 4 };

constexpr uint32_t kWords = 4;

// True for a count of all bits of a ballot. Bits of invocations that do not exist are ignored by
// the count; they are zero only in what OpGroupNonUniformBallot yields.
bool CountsAll(const View& view, Inst inst) {
  const Module& module = view.module();
  if (module.Opcode(inst) != Op::OpGroupNonUniformBallotBitCount ||
      module.Word(inst, 1) != static_cast<uint32_t>(spv::GroupOperation::Reduce)) {
    return false;
  }
  view.DependOn(inst, 2);
  return module.OpcodeOf(module.IdAt(inst, 2)) == Op::OpGroupNonUniformBallot;
}

CheckResult Check(const Message& message, const View& view) {
  const Module& module = view.module();
  const Inst inst = view.Find(message.operation);
  if (CheckResult still = HasExpectedOpcode(view, inst, message.opcode); !still) return still;
  if (module.Opcode(inst) == Op::OpGroupNonUniformBallotBitExtract) {
    if (Width(module, module.TypeOf(module.IdAt(inst, 2))) != 32) {
      return No("the index does not have 32 bits");
    }
  } else if (!CountsAll(view, inst)) {
    return No("the operation does not take a bit or count all bits of a ballot");
  }
  if (!IsTouchable(module, module.Result(inst))) {
    return No("a decoration on the result forbids the change");
  }
  return Yes();
}

// The sum of the numbers of bits in all words.
void Count(ContextEditor& editor, Inst inst) {
  const Module& module = editor.module();
  const Id type = module.Type(inst), ballot = module.IdAt(inst, 2);
  Builder builder(editor, inst, module.Result(inst));
  Id sum = Id::kNone;
  for (uint32_t i = 0; i < kWords; ++i) {
    const Id word = builder.Extract(*Part(ballot).Component(i), editor.Made(kWord, i));
    const Id count = builder.Compute(Op::OpBitCount, type, editor.Made(kCount, i), {word});
    if (i == 0) {
      sum = count;
    } else if (i + 1 < kWords) {
      sum = builder.Compute(Op::OpIAdd, type, editor.Made(kSum, i), {sum, count});
    } else {
      editor.SetOpcode(inst, Op::OpIAdd);
      editor.SetOperands(inst, {sum, count});
    }
  }
}

// (word[index >> 5] >> (index & 31)) & 1. An index of an invocation that does not exist gives an
// undefined result, now as before.
void Take(ContextEditor& editor, Inst inst) {
  const Module& module = editor.module();
  const Id ballot = module.IdAt(inst, 1), index = module.IdAt(inst, 2);
  const Id index_type = module.TypeOf(index);
  const Id word_type = ElementType(module, module.TypeOf(ballot));
  const auto of_index = [&](uint32_t bits) {
    return Declare(editor, ScalarConstant(module, index_type, bits));
  };
  const auto of_word = [&](uint32_t bits) {
    return Declare(editor, ScalarConstant(module, word_type, bits));
  };
  const Id five = of_index(5), low = of_index(31), one = of_word(1), zero = of_word(0);
  // Without a goal: the number of the word and the shift must stay in range.
  Builder builder(editor, inst);
  const Id number =
      builder.Compute(Op::OpShiftRightLogical, index_type, editor.Made(kStep, 0u), {index, five});
  const Id word =
      builder.Compute(Op::OpVectorExtractDynamic, word_type, editor.Made(kWord), {ballot, number});
  const Id place =
      builder.Compute(Op::OpBitwiseAnd, index_type, editor.Made(kStep, 1u), {index, low});
  const Id bit =
      builder.Compute(Op::OpShiftRightLogical, word_type, editor.Made(kStep, 2u), {word, place});
  const Id alone = builder.Compute(Op::OpBitwiseAnd, word_type, editor.Made(kStep, 3u), {bit, one});
  editor.SetOpcode(inst, Op::OpINotEqual);
  editor.SetOperands(inst, {alone, zero});
}

void Apply(const Message& message, ContextEditor& editor) {
  const Inst inst = editor.module().Find(message.operation);
  editor.RemoveDecorations(editor.module().Result(inst));
  const bool takes = editor.module().Opcode(inst) == Op::OpGroupNonUniformBallotBitExtract;
  takes ? Take(editor, inst) : Count(editor, inst);
}

void Propose(Proposer& proposer) {
  const Module& module = proposer.module();
  const auto fits = [&](Inst inst) {
    const Op opcode = module.Opcode(inst);
    return opcode == Op::OpGroupNonUniformBallotBitExtract ||
           opcode == Op::OpGroupNonUniformBallotBitCount;
  };
  OfferOperations<Message>(proposer, fits, Check);
}

}  // namespace

extern const Rule kRule;
constinit const Rule kRule = MakeRule<Message, Check, Apply, Propose>(
    {.chance = {20, 80}, .follow_ons = {"replace_bit_operation"}});

}  // namespace refract::expand_ballot_operation
