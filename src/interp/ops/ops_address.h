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

/// Corrects the shadows of the results of OpIAdd, OpISub, OpBitwiseOr and OpBitwiseXor (`list`, an
/// spv::Op) of type `scalar`.
void KeepAddresses(Machine& machine, const Op& op);
/// Corrects the shadows of the results of OpIEqual and OpINotEqual of type `scalar`.
void CompareAddresses(Machine& machine, const Op& op);

}  // namespace interp
}  // namespace refract
