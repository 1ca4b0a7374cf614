// SPDX-License-Identifier: Apache-2.0
// Where in the module the known inputs are, and which constants may stand for them.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"
#include "rules/context.h"

namespace refract::inline rules {

/// A number of a uniform block or of the push constants, or a vector or matrix of them.
struct InputPlace {
  Id variable = Id::kNone;
  Id type = Id::kNone;  ///< of what is there
};

/// What is at that place of the inputs: of the first variable with that set and binding (or the
/// first of the push constants) that is a block and has such a part; nullopt if there is none, or
/// if RelaxedPrecision says that what is loaded may differ from what is there. `input.bits` does
/// not matter.
std::optional<InputPlace> FindInput(const Module& module, const KnownValue& input);

/// Whether every implementation sees these bits of a float of that width as the same number: not a
/// NaN, which compares and copies as it likes, and no denormal, which may be flushed to zero.
bool IsPlainFloat(uint32_t width, uint64_t bits);

/// Whether a float, or vector of floats, is surely the same bits on every implementation, not only
/// the same number: what is loaded as it was given, and normal numbers. Of what arithmetic makes a
/// zero may have either sign.
bool HasSureBits(const View& view, Id value);

/// Whether the value, a float or vector of floats, is surely a normal number in each component, not
/// zero: a constant, or what only chooses from such and is composed of such. Bounded.
bool IsSurelyNormal(const View& view, Id value);

}  // namespace refract::inline rules
