// SPDX-License-Identifier: Apache-2.0
// Plain values that replace removed ones.
#pragma once

#include "ir/edit/editor.h"

namespace refract {
inline namespace shrink {

/// Returns zero, false or null for a type that has such a value, and declares it if necessary. For
/// a pointer, returns a variable or parameter of that type that `function` can use, other than
/// `instead_of`; for storage class Function, it adds a variable if not found. Returns kNone if
/// there is no such value.
Id PlainValue(Editor& editor, Id type, Function function, Id instead_of);

/// Returns one or true as a constant of a scalar type, and declares it if necessary.
Id OneValue(Editor& editor, Id type);

/// Returns how far a constant is from plain: 0 for zero, false and null, 1 for one, 2 for others.
int Plainness(const Module& module, Inst constant);

/// True if the use is only an annotation of the id: a name or a decoration.
bool IsAnnotation(const Module& module, Use use);
/// True if anything but annotations uses the id.
bool IsUsed(const Module& module, Id id);
/// Replaces all uses but annotations by a plain value. Returns false and changes nothing if
/// not found.
bool ReplaceByPlain(Editor& editor, Id id);
/// Replaces all uses but annotations by `by`.
void ReplaceUses(Editor& editor, Id id, Id by);

}  // namespace shrink
}  // namespace refract
