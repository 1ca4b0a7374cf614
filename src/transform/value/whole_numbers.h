// SPDX-License-Identifier: Apache-2.0
// Finds floats that are certainly whole numbers and so small that no sum or product of them is
// rounded, in whatever order and form it is computed.
#pragma once

#include <cstdint>
#include <optional>

#include "rules/context.h"

namespace refract {
inline namespace transform {

/// An upper bound of all scalars of a value of floats, if each of them is certainly a whole number
/// from +0 up to the bound. Nullopt if a simple analysis, which visits a bounded number of
/// instructions, cannot show this. Irrelevant values can be anything.
std::optional<uint64_t> MaxWholeNumber(const View& view, Id value);

/// The largest number up to which a float of that width can represent every whole number.
uint64_t MaxExactWholeNumber(uint32_t width);

}  // namespace transform
}  // namespace refract
