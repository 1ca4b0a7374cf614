// SPDX-License-Identifier: Apache-2.0
// Making a function safe to run wherever and with whatever it is called: it ends, and nothing that
// is undefined happens on the way.
#pragma once

#include "ir/edit/editor.h"
#include "rules/rule.h"

namespace refract::inline donate {

constexpr uint32_t kMaxLoopLimit = 64;

/// Whether MakeLiveSafe can: for a valid function that works on nothing but its parameters and
/// local variables of storable types, and calls nothing but live-safe functions.
Verdict MayBeLiveSafe(const Module& module, Function function);
/// Bounds loops and indices, initialises local variables, keeps operands of what could be undefined
/// good. Values that the edges it adds, from where a loop goes round to behind the loop, would part
/// from their uses go through variables; pointers cannot, so the result has to be judged. What it
/// makes is named after the loop's merge instruction, the access chain, the operation or the value.
void MakeLiveSafe(Editor& editor, Function function, uint32_t loop_limit);

}  // namespace refract::inline donate
