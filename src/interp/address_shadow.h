// SPDX-License-Identifier: Apache-2.0
// What the shadow of an integer records if the integer is the number of an address, or half of it,
// or computed from addresses.
//
// The number of an address differs between implementations, so it is approximate. It may still be
// converted back to a pointer without any effect on the outputs. Its shadow therefore says which
// object it belongs to. AddressWorlds follows what is computed from it. Buffers begin at multiples
// of kAddressAlignment, no buffer crosses a multiple of 2^32, and the lower half of an address is
// never 0; the harness makes sure of this.
//
// Layout: bits 0 and 1 are the Shadow. Bits 8 to 27: the object, or the index of what was computed.
// Bits 29 to 31: what it is. Floats use these bits in another way (float_shadow.h). Private to this
// library.
#pragma once

#include <cstdint>
#include <optional>

#include "interp/machine.h"

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

/// In place of a part: a number that AddressWorlds knows by its index.
constexpr uint32_t kComputedPart = 3;

/// True if the shadow says more than approximate. The scalar must be an integer.
inline bool IsFromAddress(uint32_t shadow) {
  return (shadow & kShadowMask) == kApproximateBit && shadow >> 29 != 0;
}

/// nullopt if it is not the shadow of an address or of half of one. The scalar must be an integer.
inline std::optional<AddressShadow> AddressIn(uint32_t shadow) {
  if (!IsFromAddress(shadow) || shadow >> 29 == kComputedPart) return std::nullopt;
  return AddressShadow{static_cast<AddressShadow::Part>(shadow >> 29), shadow >> 8 & 0xfffff};
}

constexpr uint32_t ComputedShadow(uint32_t index) {
  return kApproximateBit | index << 8 | kComputedPart << 29;
}

/// The index of a computed number.
inline std::optional<uint32_t> ComputedIn(uint32_t shadow) {
  if (!IsFromAddress(shadow) || shadow >> 29 != kComputedPart) return std::nullopt;
  return shadow >> 8 & 0xfffff;
}

}  // namespace interp
}  // namespace refract
