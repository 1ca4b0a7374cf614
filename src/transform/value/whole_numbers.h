// SPDX-License-Identifier: Apache-2.0
// Floats that surely are whole numbers and small enough that no sum or product of them is rounded,
// in whichever order and form it is computed.
#pragma once

#include <cstdint>
#include <optional>

#include "rules/context.h"

namespace refract::inline transform {

/// A bound of all scalars of the value, which is of floats: each of them is a whole number, neither
/// negative nor -0, and not above the bound; nullopt where that cannot be told at a glance. Looks
/// at a bounded number of instructions. What is irrelevant may be anything.
std::optional<uint64_t> LargestWhole(const View& view, Id value);

/// Up to here a float of that width holds every whole number.
uint64_t MostWholes(uint32_t width);

}  // namespace refract::inline transform
