// SPDX-License-Identifier: Apache-2.0
// Natural numbers of any size. The number of graphs with 64 blocks has over a hundred digits, and
// counts must be exact.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace refract::cfg {

class BigNumber {
 public:
  BigNumber() = default;
  BigNumber(uint64_t value);  // NOLINT(google-explicit-constructor)

  bool IsZero() const { return limbs_.empty(); }
  BigNumber& operator+=(const BigNumber& other);
  friend BigNumber operator*(const BigNumber& a, const BigNumber& b);
  friend bool operator==(const BigNumber& a, const BigNumber& b) { return a.limbs_ == b.limbs_; }
  /// Returns the number of binary digits; 0 for 0.
  uint32_t bits() const;
  /// Returns the number divided by 2^shift, rounded down. The quotient must be below 2^64.
  uint64_t ShiftedDown(uint32_t shift) const;
  std::string ToDecimal() const;

 private:
  std::vector<uint32_t> limbs_;  // lowest first; the last one is not 0
};

}  // namespace refract::cfg
