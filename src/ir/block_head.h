// SPDX-License-Identifier: Apache-2.0
// Finds the instructions of a block that must stay with its label. Transformations that split a
// block, or put control flow around its body, cut after them.
#pragma once

#include "ir/module.h"

namespace refract {
inline namespace ir {

/// OpLine or OpNoLine.
inline bool IsDebugLine(spv::Op opcode) {
  return opcode == spv::Op::OpLine || opcode == spv::Op::OpNoLine;
}

/// The first instruction of a basic block that may move to another block: the one after the last
/// OpPhi or OpVariable and, in the entry block, after the DebugFunctionDefinition; at the latest
/// the terminator. In the entry block this visits every instruction.
Inst BodyStart(const Module& module, Block block);

}  // namespace ir
}  // namespace refract
