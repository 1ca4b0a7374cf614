// SPDX-License-Identifier: Apache-2.0
// Counters of the loops that transformations make: 32-bit ints, signed where the module may have
// signed ones. Plain constants all along; other steps make them opaque.
#pragma once

#include <cstdint>

#include "rules/context_editor.h"

namespace refract::inline rules {

/// The type of a counter; made if need be.
Id DeclareCounterType(ContextEditor& editor);
/// A constant of that type; at most 2^31 - 1.
Id DeclareCount(ContextEditor& editor, uint32_t count);
/// `counter` + 1, put before `where`.
Id InsertIncrement(ContextEditor& editor, Inst where, Id counter, Name name);
/// Whether `counter` < `limit`, both counters, put before `where`.
Id InsertLess(ContextEditor& editor, Inst where, Id counter, Id limit, Name name);
/// Whether `counter` >= `limit`.
Id InsertNotLess(ContextEditor& editor, Inst where, Id counter, Id limit, Name name);

}  // namespace refract::inline rules
