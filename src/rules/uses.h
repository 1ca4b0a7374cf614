// SPDX-License-Identifier: Apache-2.0
// Uses as messages name them: (instruction, id expected there, occurrence).
#pragma once

#include "message/values.h"
#include "rules/rule.h"

namespace refract::inline rules {

/// An operand of an instruction; `user` is kNone if there is no such use.
struct OperandPlace {
  Inst user = Inst::kNone;
  uint32_t operand = 0;
  explicit operator bool() const { return user != Inst::kNone; }
};

/// The use a message means, if it is (still) there: a use by an instruction of a basic block.
OperandPlace FindUse(const Module& module, const message::Use& use);
/// The same, for a check: the steps that put the operand there are noted as needed.
OperandPlace FindUse(const View& view, const message::Use& use);
/// For a check that rests on what the instruction is: notes the steps that turned it into that,
/// which show in operands that are literals or constants, or that the same step made.
void CountOnForm(const View& view, Inst inst);
/// Whether the instruction is there, in a block, and of that opcode: as a message says of what it
/// rewrites, where other steps may have done so and it would mean something else.
Verdict IsStill(const View& view, Inst inst, uint32_t opcode);
/// How a message says it. `operand` must be an id.
message::Use DescribeUse(const Module& module, Inst user, uint32_t operand);

/// Whether the operand may be any value of the type that is there now: it need not be a constant, a
/// declaration, a label or a type, and selects no struct member (SPIR-V 2.16.1, and the rules of
/// the instruction).
bool MayBeAnyValue(const Module& module, OperandPlace place);
/// Where an instruction that makes a new value for this use has to be put before: the user itself,
/// or for a phi the end of the predecessor (before its merge instruction).
Inst InsertionPointFor(const Module& module, OperandPlace place);

/// Before the merge instruction if the block has one, else before the terminator.
Inst EndOfBlock(const Module& module, Block block);

}  // namespace refract::inline rules
