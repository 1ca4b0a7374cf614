// SPDX-License-Identifier: Apache-2.0
// Looks up the property table (ir/grammar/properties.h) for an instruction of a module. Unlike the
// table, it knows the set of an OpExtInst, which index selects a struct member, and which values
// are pointers.
#pragma once

#include <string>

#include "ir/grammar/properties.h"
#include "ir/module.h"

namespace refract {
inline namespace ir {

/// The row of the instruction; for OpExtInst, the row of the extended instruction.
const Properties& PropertiesOf(const Module& module, Inst inst);
/// The instruction set of an OpExtInst.
ExtInstSet ExtInstSetOf(const Module& module, Inst ext_inst);
/// The literal string that begins at in-operand `index`.
std::string StringAt(const Module& module, Inst inst, uint32_t index);

/// True if the instruction does not affect what the module computes: a debug line, or an extended
/// instruction of a debug-information or non-semantic set.
bool IsDebugInstruction(const Module& module, Inst inst);

/// The type of which in-operand `index` of an access chain, an index, selects a part; kNone if it
/// is not known.
Id IndexedType(const Module& module, Inst chain, uint32_t index);

/// The rule for an in-operand, refined by the types:
///  - an index of an access chain is kConstant if it selects a struct member, else kValue;
///  - the coordinate of a read of an input attachment is kConstant;
///  - a value or argument of pointer type is kPointer or kArgument, one of an opaque type kOpaque.
OperandRule RuleOfOperand(const Module& module, Inst inst, uint32_t index);

/// True if any id with the same value and type may be this operand, constant or not.
inline bool TakesAnyValue(const Module& module, Inst inst, uint32_t index) {
  return RuleOfOperand(module, inst, index).takes_any_value();
}

}  // namespace ir
}  // namespace refract
