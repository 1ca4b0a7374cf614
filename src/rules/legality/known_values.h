// SPDX-License-Identifier: Apache-2.0
// The places of the known inputs in the module, and floats whose bits are certain.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "facts/facts.h"
#include "ir/module.h"
#include "rules/context.h"

namespace refract {
inline namespace rules {

/// A number in a uniform block or in the push constants, or a vector or matrix of numbers.
struct InputPlace {
  Id variable = Id::kNone;
  Id type = Id::kNone;  ///< of the value at this place
};

/// Finds the place of an input: in the only variable with that set and binding (or the only push
/// constants), which must be a block that has such a part. Nullopt if not found, or if
/// RelaxedPrecision means that the loaded value may differ from the input. Ignores `input.bits`.
std::optional<InputPlace> FindInput(const Module& module, const KnownValue& input);

/// True if every implementation treats these bits as the same number: not a NaN, and not a
/// denormal, which may be flushed to zero.
bool IsPlainFloat(uint32_t width, uint64_t bits);

/// True if a float, or a vector of floats, certainly has the same bits on every implementation, not
/// only the same number: loaded inputs, and normal numbers. A zero that arithmetic computes can
/// have either sign.
bool HasSureBits(const View& view, Id value);

/// As HasSureBits, if the value is exact (IsSurelyExact), which is not checked.
bool AreBitsKept(const View& view, Id value);

/// True if each component of a float or vector of floats is certainly a normal number, not zero:
/// the value is a constant, or only selected or composed from such values. The analysis is bounded.
bool IsSurelyNormal(const View& view, Id value);

}  // namespace rules
}  // namespace refract
