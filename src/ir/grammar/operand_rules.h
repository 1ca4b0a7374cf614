// SPDX-License-Identifier: Apache-2.0
// The property table (ir/grammar/properties.h) asked about an instruction of a module: which set an
// OpExtInst is of, which index selects a struct member and what is a pointer are known here.
#pragma once

#include <string>

#include "ir/module.h"
#include "ir/grammar/properties.h"

namespace refract::inline ir {

/// The row of the instruction; of an OpExtInst the row of the extended instruction.
const Properties& PropertiesOf(const Module& module, Inst inst);
/// Which set an OpExtInst is of.
ExtInstSet ExtInstSetOf(const Module& module, Inst ext_inst);
/// The literal string that begins at in-operand `index`.
std::string StringAt(const Module& module, Inst inst, uint32_t index);

/// Whether the instruction says nothing of what the module computes: a debug line, or an extended
/// instruction of a debug-information or non-semantic set.
bool IsDebugInstruction(const Module& module, Inst inst);

/// The rule for an in-operand, with what the types say about it:
///  - an index of an access chain is kConstant where it selects a struct member, else kValue;
///  - a value or argument of pointer type is kPointer or kArgument, one of an opaque type kOpaque.
OperandRule RuleOfOperand(const Module& module, Inst inst, uint32_t index);

/// Whether any id with the same value and type may stand there, constant or not.
inline bool TakesAnyValue(const Module& module, Inst inst, uint32_t index) {
  return RuleOfOperand(module, inst, index).takes_any_value();
}

}  // namespace refract::inline ir
