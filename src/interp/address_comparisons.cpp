// SPDX-License-Identifier: Apache-2.0
// Comparisons of integers that were computed from addresses: what is certain on every
// implementation.
#include "interp/address_worlds.h"

namespace refract {
inline namespace interp {
namespace {

bool IsSignedComparison(spv::Op opcode) {
  return opcode == spv::Op::OpSLessThan || opcode == spv::Op::OpSLessThanEqual ||
         opcode == spv::Op::OpSGreaterThan || opcode == spv::Op::OpSGreaterThanEqual;
}

bool IsEquality(spv::Op opcode) {
  return opcode == spv::Op::OpIEqual || opcode == spv::Op::OpINotEqual;
}

// The unsigned comparison for a signed one, and the other way round.
spv::Op OtherSign(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpULessThan:
      return spv::Op::OpSLessThan;
    case spv::Op::OpULessThanEqual:
      return spv::Op::OpSLessThanEqual;
    case spv::Op::OpUGreaterThan:
      return spv::Op::OpSGreaterThan;
    case spv::Op::OpUGreaterThanEqual:
      return spv::Op::OpSGreaterThanEqual;
    case spv::Op::OpSLessThan:
      return spv::Op::OpULessThan;
    case spv::Op::OpSLessThanEqual:
      return spv::Op::OpULessThanEqual;
    case spv::Op::OpSGreaterThan:
      return spv::Op::OpUGreaterThan;
    case spv::Op::OpSGreaterThanEqual:
      return spv::Op::OpUGreaterThanEqual;
    default:
      return opcode;
  }
}

// The comparison with its operands swapped.
spv::Op Swapped(spv::Op opcode) {
  switch (opcode) {
    case spv::Op::OpULessThan:
      return spv::Op::OpUGreaterThan;
    case spv::Op::OpULessThanEqual:
      return spv::Op::OpUGreaterThanEqual;
    case spv::Op::OpUGreaterThan:
      return spv::Op::OpULessThan;
    case spv::Op::OpUGreaterThanEqual:
      return spv::Op::OpULessThanEqual;
    case spv::Op::OpSLessThan:
      return spv::Op::OpSGreaterThan;
    case spv::Op::OpSLessThanEqual:
      return spv::Op::OpSGreaterThanEqual;
    case spv::Op::OpSGreaterThan:
      return spv::Op::OpSLessThan;
    case spv::Op::OpSGreaterThanEqual:
      return spv::Op::OpSLessThanEqual;
    default:
      return opcode;
  }
}

// The result for unsigned numbers, of which a signed comparison has the same order.
bool CompareUnsigned(spv::Op opcode, uint64_t a, uint64_t b) {
  switch (opcode) {
    case spv::Op::OpIEqual:
      return a == b;
    case spv::Op::OpINotEqual:
      return a != b;
    case spv::Op::OpULessThan:
    case spv::Op::OpSLessThan:
      return a < b;
    case spv::Op::OpULessThanEqual:
    case spv::Op::OpSLessThanEqual:
      return a <= b;
    case spv::Op::OpUGreaterThan:
    case spv::Op::OpSGreaterThan:
      return a > b;
    default:
      return a >= b;
  }
}

// The comparison of a number that is not zero with `other`, if this is known.
std::optional<bool> CompareNonzero(spv::Op opcode, uint64_t other) {
  if (other == 0) {
    if (opcode == spv::Op::OpIEqual || opcode == spv::Op::OpULessThanEqual) return false;
    if (opcode == spv::Op::OpINotEqual || opcode == spv::Op::OpUGreaterThan) return true;
  }
  if (other == 1 && opcode == spv::Op::OpUGreaterThanEqual) return true;
  if (other == 1 && opcode == spv::Op::OpULessThan) return false;
  return std::nullopt;
}

}  // namespace

// Whether the bits are those of an address in its object; for a lower half, whether they may be.
bool AddressWorlds::IsInside(const Number& address, const AddressShadow& about) const {
  if (about.object >= bases_.size()) return false;
  const uint64_t size = code_.objects[about.object].size;
  switch (about.part) {
    case AddressShadow::kWhole:
      return address.bits >> 32 == about.object && (address.bits & kHalfMask) <= size;
    case AddressShadow::kLow:
      return address.bits <= size;
    case AddressShadow::kHigh:
      return address.bits == about.object;
  }
  return false;
}

bool AddressWorlds::IsNonzero(const Number& number) const {
  if (number.shadow == 0) return number.bits != 0;
  if (const Computed* computed = ComputedOf(number)) return computed->is_nonzero;
  const std::optional<AddressShadow> address = AddressIn(number.shadow);
  return address && address->part != AddressShadow::kHigh && IsInside(number, *address);
}

// Compares what the operands come from, if they come from it in the same way.
std::optional<bool> AddressWorlds::CompareOrigins(spv::Op opcode, const Number& a,
                                                  const Number& b) const {
  const Computed *x = ComputedOf(a), *y = ComputedOf(b);
  if (x == nullptr || x->origin == Origin::kNone) {
    return y == nullptr || y->origin == Origin::kNone ? std::nullopt
                                                      : CompareOrigins(Swapped(opcode), b, a);
  }
  Number other{0, 0, x->from.width};
  const uint64_t mask = OnesOf(x->from.width);
  if (y != nullptr) {
    if (y->origin != x->origin || y->from.width != x->from.width) return std::nullopt;
    other = y->from;
  } else if (b.shadow != 0) {
    return std::nullopt;
  } else if (x->origin == Origin::kFlipped) {
    other.bits = b.bits ^ ((mask >> 1) + 1);
  } else {
    // The constant must be an extended one, too.
    const uint64_t top = (mask >> 1) + 1, low = b.bits & mask;
    const uint64_t extended =
        x->origin == Origin::kSignExtended && (low & top) != 0 ? low | ~mask : low;
    if (b.bits != (extended & OnesOf(b.width))) return std::nullopt;
    other.bits = low;
  }
  const bool changes_sign = x->origin == Origin::kFlipped ||
                            (x->origin == Origin::kZeroExtended && IsSignedComparison(opcode));
  return Compare(changes_sign ? OtherSign(opcode) : opcode, x->from, other);
}

std::optional<bool> AddressWorlds::CompareAddresses(spv::Op opcode, const Number& a,
                                                    const Number& b) const {
  const std::optional<AddressShadow> x = AddressIn(a.shadow), y = AddressIn(b.shadow);
  if (!x || !y || x->part != y->part || !IsInside(a, *x) || !IsInside(b, *y)) return std::nullopt;
  if (x->object != y->object) {
    if (x->part != AddressShadow::kWhole || !IsEquality(opcode)) return std::nullopt;
    return opcode == spv::Op::OpINotEqual;
  }
  // A buffer may have a multiple of 2^31 in it, where the sign of lower halves changes.
  if (IsSignedComparison(opcode) && x->part == AddressShadow::kLow) return std::nullopt;
  return CompareUnsigned(opcode, a.bits, b.bits);
}

std::optional<bool> AddressWorlds::Compare(spv::Op opcode, const Number& a, const Number& b) const {
  const bool same_bits = a.bits == b.bits || ComputedOf(a) != nullptr;
  if (a.shadow == b.shadow && same_bits && ValuesOf(a)) return CompareUnsigned(opcode, 0, 0);
  if (const auto certain = CompareAddresses(opcode, a, b)) return certain;
  if (b.shadow == 0 && IsNonzero(a)) {
    if (const auto certain = CompareNonzero(opcode, b.bits)) return certain;
  }
  if (a.shadow == 0 && IsNonzero(b)) {
    if (const auto certain = CompareNonzero(Swapped(opcode), a.bits)) return certain;
  }
  return CompareOrigins(opcode, a, b);
}

}  // namespace interp
}  // namespace refract
