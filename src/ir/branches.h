// SPDX-License-Identifier: Apache-2.0
// The parts of terminators and merge instructions: which operands are labels.
#pragma once

#include "ir/module.h"

namespace refract {
inline namespace ir {

/// True if `opcode` ends a basic block (SPIR-V 2.2.5, and the terminators of extensions).
bool IsTerminator(spv::Op opcode);
/// True for OpSelectionMerge and OpLoopMerge.
inline bool IsMerge(spv::Op opcode) {
  return opcode == spv::Op::OpSelectionMerge || opcode == spv::Op::OpLoopMerge;
}
/// True if the block has an OpLoopMerge.
inline bool IsLoopHeader(const Module& module, Block block) {
  const Inst merge = module.MergeInstruction(block);
  return merge != Inst::kNone && module.Opcode(merge) == spv::Op::OpLoopMerge;
}

/// The number of words of one case literal of this OpSwitch (2 if the selector is wider than 32
/// bits).
uint32_t SwitchLiteralWords(const Module& module, Inst switch_inst);

/// Calls `visit(operand index)` for each operand of a terminator that is a target label, in order;
/// twice for a label that occurs twice.
template <class Visit>
void ForEachTarget(const Module& module, Inst terminator, Visit visit) {
  switch (module.Opcode(terminator)) {
    case spv::Op::OpBranch:
      visit(0u);
      break;
    case spv::Op::OpBranchConditional:
      visit(1u);
      visit(2u);
      break;
    case spv::Op::OpSwitch: {
      visit(1u);
      const uint32_t step = SwitchLiteralWords(module, terminator) + 1;
      for (uint32_t i = 2 + step - 1; i < module.OperandCount(terminator); i += step) visit(i);
      break;
    }
    default:
      break;
  }
}

}  // namespace ir
}  // namespace refract
