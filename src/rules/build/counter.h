// SPDX-License-Identifier: Apache-2.0
// Counters for the loops that transformations make: 32-bit ints, signed if the module allows signed
// ints. Their bounds are plain constants; other steps can make these opaque.
#pragma once

#include <cstdint>

#include "rules/context_editor.h"

namespace refract {
inline namespace rules {

/// The type of counters; declared if needed.
Id DeclareCounterType(ContextEditor& editor);
/// A constant of the counter type; at most 2^31 - 1.
Id DeclareCount(ContextEditor& editor, uint32_t count);
/// Inserts `counter` + 1 before `where`.
Id InsertIncrement(ContextEditor& editor, Inst where, Id counter, Name name);
/// Inserts `counter` < `limit` before `where`. Both are counters.
Id InsertLess(ContextEditor& editor, Inst where, Id counter, Id limit, Name name);
/// Inserts `counter` >= `limit` before `where`.
Id InsertNotLess(ContextEditor& editor, Inst where, Id counter, Id limit, Name name);

}  // namespace rules
}  // namespace refract
