// SPDX-License-Identifier: Apache-2.0
// What the shadow of an integer records if the integer is the number of an address, or half of it.
//
// The number of an address differs between implementations, so it is approximate. It may still be
// converted back to a pointer without any effect on the outputs. Its shadow therefore says which
// object it belongs to. Arithmetic drops this, unless the result is an address in the same object
// or the same on every implementation (ops_integer.cpp). Buffers begin at multiples of
// kAddressAlignment, no buffer crosses a multiple of 2^32, and the lower half of an address is
// never 0; the harness makes sure of this.
//
// Layout: bits 0 and 1 are the Shadow. Bits 8 to 27: the object. Bits 29 to 31: what it is. Floats
// use these bits in another way (float_shadow.h). Private to this library.
#pragma once

#include <cstdint>
#include <optional>

#include "interp/machine.h"
#include "interp/memory.h"

namespace refract {
inline namespace interp {

constexpr uint32_t kMostAddressed = (1u << 20) - 2;

struct AddressShadow {
  enum Part : uint8_t { kWhole = 1, kLow = 2, kHigh = 4 };
  Part part = kWhole;
  uint32_t object = 0;

  uint32_t Bits() const { return kApproximateBit | object << 8 | uint32_t{part} << 29; }
  friend bool operator==(const AddressShadow&, const AddressShadow&) = default;
};

/// nullopt if it is not the shadow of an address. The scalar must be an integer.
inline std::optional<AddressShadow> AddressIn(uint32_t shadow) {
  if ((shadow & kShadowMask) != kApproximateBit || shadow >> 29 == 0) return std::nullopt;
  return AddressShadow{static_cast<AddressShadow::Part>(shadow >> 29), shadow >> 8 & 0xfffff};
}

/// The shadow of the whole number whose halves have these shadows.
inline uint32_t JoinHalves(uint32_t low, uint32_t high) {
  const std::optional<AddressShadow> a = AddressIn(low), b = AddressIn(high);
  if (a && b && a->part == AddressShadow::kLow && b->part == AddressShadow::kHigh &&
      a->object == b->object) {
    return AddressShadow{AddressShadow::kWhole, a->object}.Bits();
  }
  return (low | high) & kShadowMask;
}

/// The shadow of a half of a number. Outside its buffer, the halves of an address are not followed:
/// the lower one may carry into the higher one.
inline uint32_t HalfOf(const NumberedAddress& whole, bool high, const Program::Code& code) {
  std::optional<AddressShadow> address = AddressIn(whole.shadow);
  if (!address || address->part != AddressShadow::kWhole || whole.bits >> 32 != address->object ||
      (whole.bits & 0xffffffff) > code.objects[address->object].size) {
    return whole.shadow & kShadowMask;
  }
  address->part = high ? AddressShadow::kHigh : AddressShadow::kLow;
  return address->Bits();
}

}  // namespace interp
}  // namespace refract
