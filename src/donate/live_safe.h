// SPDX-License-Identifier: Apache-2.0
// Makes a function live-safe: it terminates and has no undefined behaviour, whatever calls it with
// whatever arguments.
#pragma once

#include "ir/edit/editor.h"
#include "rules/rule.h"

namespace refract {
inline namespace donate {

constexpr uint32_t kMaxLoopLimit = 64;

/// Checks that MakeLiveSafe can handle the function. It must be valid, access only its parameters
/// and local variables of storable types, and call only live-safe functions.
CheckResult MayBeLiveSafe(const Module& module, Function function);
/// Bounds loops and indices, initialises local variables, and keeps operands of operations that can
/// be undefined in range. For each loop, it adds an edge from the block with the back edge to the
/// merge block. Values whose definitions then no longer dominate their uses go through variables.
/// This is impossible for pointers, so the caller must validate the result. New instructions are
/// named after the merge instruction of the loop, the access chain, the operation or the value.
void MakeLiveSafe(Editor& editor, Function function, uint32_t loop_limit);

}  // namespace donate
}  // namespace refract
