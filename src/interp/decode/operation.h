// SPDX-License-Identifier: Apache-2.0
// An instruction, or the operation of an OpSpecConstantOp. Private to this library.
#pragma once

#include <cstdint>

#include "ir/module.h"

namespace refract {
inline namespace interp {

struct Operation {
  const Module* module = nullptr;
  Inst inst = Inst::kNone;
  spv::Op opcode = spv::Op::OpNop;
  uint32_t first_operand = 0;  ///< the in-operand of `inst` where its operands begin
  uint32_t operand_count = 0;

  Id IdAt(uint32_t index) const { return module->IdAt(inst, first_operand + index); }
  uint32_t WordAt(uint32_t index) const { return module->Word(inst, first_operand + index); }
};
Operation OperationOf(const Module& module, Inst inst);

}  // namespace interp
}  // namespace refract
