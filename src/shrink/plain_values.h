// SPDX-License-Identifier: Apache-2.0
// What stands in for a value that goes: the plainest of its type.
#pragma once

#include "ir/edit/editor.h"

namespace refract::inline shrink {

/// Zero, false, null of a type that has such a value, made if need be; of a pointer a variable or
/// parameter of that type other than `instead_of` that `function` can see, of class Function a new
/// variable if there is none. kNone if there is nothing.
Id PlainValue(Editor& editor, Id type, Function function, Id instead_of);

/// How far a constant is from plain: 0 for zero, false and null, 1 for one, 2 for others.
int Plainness(const Module& module, Inst constant);

/// Whether this use says something of the id and no more: its name, its decoration.
bool IsAnnotation(const Module& module, Use use);
/// Whether anything but annotations uses the id.
bool IsUsed(const Module& module, Id id);
/// All uses but annotations get a plain value instead; false, and nothing changed, if there is
/// none.
bool ReplaceByPlain(Editor& editor, Id id);
/// All uses but annotations get `by`.
void ReplaceUses(Editor& editor, Id id, Id by);

}  // namespace refract::inline shrink
