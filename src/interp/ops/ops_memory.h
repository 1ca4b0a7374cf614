// SPDX-License-Identifier: Apache-2.0
// Handlers of loads, stores and access chains. Private to this library.
#pragma once

#include "interp/code.h"

namespace refract {
inline namespace interp {

/// Rows from this number on belong to variables that are too large for normal rows. They are made
/// when they are written (SparseRows).
constexpr uint32_t kFirstSparseRow = 0x80000000u;
/// The row number, or the object number, of a null pointer.
constexpr uint32_t kNullPointer = 0xffffffffu;

/// Op::flags of memory ops: if set, a and b are the address itself. For memory of one invocation, a
/// is the row. For shared memory, a is the object and b the byte. If not set, a and b are rows that
/// hold these.
constexpr uint8_t kFixedPointer = 16;

void LoadRows(Machine& machine, const Op& op);   ///< loads `count` rows from the row at a
void StoreRows(Machine& machine, const Op& op);  ///< stores `count` rows from c to the row at a
/// `count` scalars, as Code::scalars describes them from `list` on. StoreShared stores from row c
/// on.
void LoadShared(Machine& machine, const Op& op);
void StoreShared(Machine& machine, const Op& op);

/// words[list]: the number of indices, then for each its row, its Scalar, whether it is signed, the
/// stride, the bound, and an offset. The bound kRuntimeBound means the elements that fit into the
/// rest of the object after that offset, counted from the base. d: the constant part of the
/// address.
/// AccessRows: a is the base. AccessShared: a and b are the base; the result is object and byte.
void AccessRows(Machine& machine, const Op& op);
void AccessShared(Machine& machine, const Op& op);
constexpr uint32_t kRuntimeBound = 0xffffffffu;
/// The bound of the Element of OpPtrAccessChain, which is signed and may lead anywhere.
constexpr uint32_t kAnyElement = 0x7fffffffu;
/// a, b: a pointer to an array of `d` descriptors; c: the row of the index, of type `scalar`. The
/// result is a pointer to the element, of `count` rows.
void SelectDescriptor(Machine& machine, const Op& op);
/// Traps if the words of one of `count` rows from a on differ between the active invocations or,
/// unless d is kNoComparison, between batches. d: index in Machine::compared_descriptors.
void RequireOneDescriptor(Machine& machine, const Op& op);
constexpr uint32_t kNoComparison = 0xffffffffu;
/// a, b: the pointer to the block; c: the offset of the array in it; d: its stride.
void ArrayLength(Machine& machine, const Op& op);

/// Resets a variable that is too large for rows: `a` is its first row, `b` the number of rows, c is
/// 1 for zeros.
void ResetSparse(Machine& machine, const Op& op);

/// The place in shared memory that an op's a and b give.
struct SharedAddress {
  uint32_t object = 0, byte = 0;
};
SharedAddress PointerAt(Machine& machine, const Op& op, uint32_t lane);
/// True if the pointer is defined and not null; otherwise a trap.
bool RequireDefinedPointer(Machine& machine, const Op& op, uint32_t lane);

/// Op::flags of atomics: a is the row with the number of a texel, b the row with the index of the
/// image.
constexpr uint8_t kTexelPointer = 32;
/// Executes the atomic `list` (an spv::Op) on a `scalar` at the place that a and b give; c is the
/// row of the value, d that of the comparator.
void RunAtomic(Machine& machine, const Op& op);

}  // namespace interp
}  // namespace refract
