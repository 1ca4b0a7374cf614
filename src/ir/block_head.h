// SPDX-License-Identifier: Apache-2.0
// Which instructions of a block have to stay with its label. What splits a block, or puts control
// flow around its body, cuts behind them.
#pragma once

#include "ir/module.h"

namespace refract::inline ir {

/// OpLine or OpNoLine.
inline bool IsDebugLine(spv::Op opcode) {
  return opcode == spv::Op::OpLine || opcode == spv::Op::OpNoLine;
}

/// The first instruction of a basic block that may stand in a block without predecessors' phis or a
/// function's variables: what follows the last OpPhi or OpVariable and, in the entry block, the
/// DebugFunctionDefinition. At the latest the terminator. In the entry block this looks at every
/// instruction.
Inst BodyStart(const Module& module, Block block);

}  // namespace refract::inline ir
