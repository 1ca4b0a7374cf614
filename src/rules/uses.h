// SPDX-License-Identifier: Apache-2.0
// Uses of ids as messages name them: (instruction, expected id, occurrence).
#pragma once

#include "message/values.h"
#include "rules/rule.h"

namespace refract {
inline namespace rules {

/// An operand of an instruction; `user` is kNone if there is no such use.
struct OperandUse {
  Inst user = Inst::kNone;
  uint32_t operand = 0;
  explicit operator bool() const { return user != Inst::kNone; }
};

/// The use that a message names, if it (still) exists. The user must be an instruction of a basic
/// block.
OperandUse FindUse(const Module& module, const message::Use& use);
/// The same for a check: records a dependency on the steps that put the operand in place.
OperandUse FindUse(const View& view, const message::Use& use);
/// For a check that depends on what the instruction is: records a dependency on the steps that gave
/// it this form. These are the steps that put in place its operands that are literals, constants,
/// or values that the same step made.
void DependOnForm(const View& view, Inst inst);
/// Checks that the instruction exists, is in a block, and has the opcode that the message expects.
/// Other steps may have rewritten it so that the message would mean something else.
CheckResult HasExpectedOpcode(const View& view, Inst inst, uint32_t opcode);
/// The use in the form of a message. `operand` must be an id.
message::Use DescribeUse(const Module& module, Inst user, uint32_t operand);

/// True if the operand can be any value of its current type: it need not be a constant, and it is
/// not a declaration, a label, a type or the selector of a struct member (SPIR-V 2.16.1, and the
/// rules of the instruction).
bool MayBeAnyValue(const Module& module, OperandUse place);
/// Where to insert an instruction that makes a new value for this use: before the user itself, or
/// for a phi at the end of the predecessor (before its merge instruction).
Inst InsertionPointFor(const Module& module, OperandUse place);

/// The merge instruction of the block if it has one, otherwise its terminator: insert before it.
Inst EndOfBlock(const Module& module, Block block);

}  // namespace rules
}  // namespace refract
