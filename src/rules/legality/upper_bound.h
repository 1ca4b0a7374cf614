// SPDX-License-Identifier: Apache-2.0
// Finds an upper bound of an integer from the way it is computed.
#pragma once

#include "rules/context.h"

namespace refract {
inline namespace rules {

/// An upper bound of all components of the value, an int or a vector of ints, read as unsigned. If
/// `value` is a variable of class Input, the bound of its contents. The analysis visits a bounded
/// number of instructions. Irrelevant values and values with RelaxedPrecision have no bound but
/// their type.
uint64_t UpperBound(const View& view, Id value);

}  // namespace rules
}  // namespace refract
