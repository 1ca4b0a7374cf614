// SPDX-License-Identifier: Apache-2.0
// Constant indices out of range. Some compilers reject them, even where nothing runs: spirv-val
// from 2025 on, and glslang in the output of SPIRV-Cross, where it folds expressions of constants.
// Steps must not make them, not even in dead blocks.
#pragma once

#include <map>

#include "rules/uses.h"

namespace refract {
inline namespace rules {

/// True if a compiler that folds constants knows the value: it is a constant, or it is computed
/// from constants only. The search is bounded; beyond the bound, false is assumed.
bool IsFoldable(const Module& module, Id value);

/// True if the operand is an index into an array, matrix or vector: of an access chain, or of a
/// dynamic access to a component of a vector.
bool IsIndex(const Module& module, OperandUse place);

/// True if an index of the instruction is a constant out of range, or a copy of one.
bool HasIndexOutOfRange(const Module& module, Inst inst);

/// True if with this value in place of the operand, a compiler that folds constants may find an
/// index out of range: at the user, or where a value computed from the operand is used.
bool MayPutIndexOutOfRange(const Module& module, OperandUse place, Id value);
/// The same for the values, which replace the keys at each use.
bool MayPutIndexOutOfRange(const Module& module, const std::map<Id, Id>& values);

}  // namespace rules
}  // namespace refract
