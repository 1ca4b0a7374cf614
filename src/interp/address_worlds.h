// SPDX-License-Identifier: Apache-2.0
// Integers that are computed from addresses. The number of an address differs between
// implementations, so an integer that depends on it is approximate, unless the dependence cancels
// out. To find this out, the interpreter computes each such integer for several *worlds*: choices
// of the addresses of all buffers, as implementations may make them. If the values are the same in
// all worlds, the integer is exact. If they are those of an address, or of half of one, the integer
// is this address (address_shadow.h), whatever was computed in between.
//
// The worlds differ in every bit that implementations may choose, and have extremes: buffers at the
// start and at the end of a range of 2^32 bytes, in both orders, and all buffers in one such range.
// A value of several bits that depends on addresses is thus the same in all worlds only by an
// unlikely accident. This does not hold for a truth value, so comparisons need a proof (Compare).
// Private to this library.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "interp/address_shadow.h"
#include "interp/code.h"

namespace refract {
inline namespace interp {

/// An integer with its shadow.
struct Number {
  uint64_t bits = 0;
  uint32_t shadow = 0;
  uint32_t width = 32;  ///< 8, 16, 32 or 64
};

/// The bits of the lower half of an address.
constexpr uint64_t kHalfMask = 0xffffffff;
/// All bits of an integer.
constexpr uint64_t OnesOf(uint32_t width) {
  return ~uint64_t{0} >> (64 - width);
}

class AddressWorlds {
 public:
  static constexpr size_t kWorlds = 10;
  using Values = std::array<uint64_t, kWorlds>;

  explicit AddressWorlds(const Program::Code& code);

  /// The values of a number in all worlds; nullopt if it is undefined, or approximate for another
  /// reason than addresses.
  std::optional<Values> ValuesOf(const Number& number) const;
  /// The number with these values. `bits` are those that it has if it is neither exact nor an
  /// address. It is plainly approximate if too many different numbers were made.
  Number Settle(const Values& values, uint32_t width, uint64_t bits);
  /// The number that `opcode` made of `operands`. Remembers what Compare can use.
  Number SettleResult(spv::Op opcode, const std::vector<Number>& operands, const Values& values,
                      uint32_t width, uint64_t bits);

  /// A half of a number of 64 bits, and the number with these halves.
  Number Half(const Number& whole, bool high);
  Number Join(const Number& low, const Number& high);

  /// The result of a comparison of integers, if it is the same on every implementation.
  std::optional<bool> Compare(spv::Op opcode, const Number& a, const Number& b) const;

 private:
  /// How a number was made of another one, so that its order follows from that of the other one.
  enum class Origin : uint8_t { kNone, kFlipped, kZeroExtended, kSignExtended };
  /// A number that is not an address.
  struct Computed {
    Values values;
    bool is_nonzero = false;  ///< on every implementation
    Origin origin = Origin::kNone;
    Number from;  ///< without `origin`: nothing
  };
  bool IsInside(const Number& address, const AddressShadow& about) const;
  bool IsNonzero(const Number& number) const;
  const Computed* ComputedOf(const Number& number) const;
  std::optional<bool> CompareOrigins(spv::Op opcode, const Number& a, const Number& b) const;
  std::optional<bool> CompareAddresses(spv::Op opcode, const Number& a, const Number& b) const;
  std::optional<Number> FindAddress(const Values& values) const;
  std::optional<Number> FindHalf(const Values& values) const;
  Computed* FindOrAdd(const Values& values, uint32_t* index);

  const Program::Code& code_;
  std::vector<uint32_t> objects_;  // those with addresses
  std::vector<Values> bases_;      // by object: where it begins
  std::vector<Computed> computed_;
  std::map<Values, uint32_t> found_;  // indices in computed_
};

}  // namespace interp
}  // namespace refract
