// SPDX-License-Identifier: Apache-2.0
// Handlers of loads, stores and access chains. Inside this room only.
#pragma once

#include "interp/code.h"

namespace refract::inline interp {

/// Rows from here on belong to variables too large to lie in rows: they are made when written.
constexpr uint32_t kFirstSparseRow = 0x80000000u;
/// The row, or the object, that a null pointer names.
constexpr uint32_t kNullPointer = 0xffffffffu;

/// Op::flags of memory ops: what a and b say. Memory of one invocation: a is the row itself, else
/// the row that holds its number. Shared memory: a is the object and b the byte, else the rows that
/// hold them.
constexpr uint8_t kFixedPointer = 16;

void LoadRows(Machine& machine, const Op& op);   ///< `count` rows from where row a says
void StoreRows(Machine& machine, const Op& op);  ///< `count` rows from c to where row a says
/// `count` scalars as Code::scalars from `list` on says; StoreShared: from row c.
void LoadShared(Machine& machine, const Op& op);
void StoreShared(Machine& machine, const Op& op);

/// words[list]: number of indices, then for each its row, its Scalar, whether it is signed, the
/// stride, the bound (kRuntimeBound: what is left of the object from the last word's place, counted
/// from the base) and that place. d: what is added in any case.
/// AccessRows: a the base. AccessShared: a and b; result: object and byte.
void AccessRows(Machine& machine, const Op& op);
void AccessShared(Machine& machine, const Op& op);
constexpr uint32_t kRuntimeBound = 0xffffffffu;
/// a, b: the pointer to the block; c: the array's offset in it, d: its stride.
void ArrayLength(Machine& machine, const Op& op);

/// A variable too large for rows is made anew: `a` its first row, `b` how many, c: 1 for zeros.
void ResetSparse(Machine& machine, const Op& op);

/// A place in shared memory that an op's a and b say.
struct SharedPlace {
  uint32_t object = 0, byte = 0;
};
SharedPlace PointerAt(Machine& machine, const Op& op, uint32_t lane);
/// Whether the pointer is one: an undefined one is no address and a trap.
bool SteersPointer(Machine& machine, const Op& op, uint32_t lane);

/// Op::flags of atomics: a is the row of a texel's number, b that of the image's.
constexpr uint8_t kTexelPointer = 32;
/// The atomic that `list` names (an spv::Op) on a `scalar` where a and b say: c is the value's row,
/// d the comparator's.
void RunAtomic(Machine& machine, const Op& op);

}  // namespace refract::inline interp
