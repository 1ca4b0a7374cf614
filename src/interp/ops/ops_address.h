// SPDX-License-Identifier: Apache-2.0
// Conversions between pointers to PhysicalStorageBuffer and their numbers. Private to this library.
#pragma once

#include "interp/code.h"

namespace refract {
inline namespace interp {

/// The pointer at row a becomes `count` integers of type `scalar`: one of any width, or two of 32
/// bits.
void NumberFromPointer(Machine& machine, const Op& op);
/// `count` integers of type `scalar` at row a become a pointer.
void PointerFromNumber(Machine& machine, const Op& op);
/// Traps unless the pointer that a and b give is a multiple of c bytes.
void RequireAligned(Machine& machine, const Op& op);

/// After an instruction on integers, Code::from_addresses[list]: corrects the results that were
/// computed from addresses (address_worlds.h).
void CorrectFromAddresses(Machine& machine, const Op& op);
/// The same after a comparison of integers.
void CorrectComparison(Machine& machine, const Op& op);

}  // namespace interp
}  // namespace refract
