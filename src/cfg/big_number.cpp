// SPDX-License-Identifier: Apache-2.0
#include "cfg/big_number.h"

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/text.h"

namespace refract::cfg {

BigNumber::BigNumber(uint64_t value) {
  for (; value != 0; value >>= 32) limbs_.push_back(static_cast<uint32_t>(value));
}

BigNumber& BigNumber::operator+=(const BigNumber& other) {
  if (limbs_.size() < other.limbs_.size()) limbs_.resize(other.limbs_.size(), 0);
  uint64_t carry = 0;
  for (size_t i = 0; i < limbs_.size(); ++i) {
    if (i >= other.limbs_.size() && carry == 0) break;
    carry += uint64_t{limbs_[i]} + (i < other.limbs_.size() ? other.limbs_[i] : 0);
    limbs_[i] = static_cast<uint32_t>(carry);
    carry >>= 32;
  }
  if (carry != 0) limbs_.push_back(static_cast<uint32_t>(carry));
  return *this;
}

BigNumber operator*(const BigNumber& a, const BigNumber& b) {
  BigNumber product;
  if (a.IsZero() || b.IsZero()) return product;
  product.limbs_.assign(a.limbs_.size() + b.limbs_.size(), 0);
  for (size_t i = 0; i < a.limbs_.size(); ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < b.limbs_.size(); ++j) {
      carry += uint64_t{a.limbs_[i]} * b.limbs_[j] + product.limbs_[i + j];
      product.limbs_[i + j] = static_cast<uint32_t>(carry);
      carry >>= 32;
    }
    product.limbs_[i + b.limbs_.size()] = static_cast<uint32_t>(carry);
  }
  if (product.limbs_.back() == 0) product.limbs_.pop_back();
  return product;
}

uint32_t BigNumber::bits() const {
  if (IsZero()) return 0;
  return static_cast<uint32_t>(32 * limbs_.size()) -
         static_cast<uint32_t>(std::countl_zero(limbs_.back()));
}

uint64_t BigNumber::ShiftedDown(uint32_t shift) const {
  CHECK(bits() <= shift + 64);
  uint64_t value = 0;
  const uint32_t skip = shift / 32, within = shift % 32;
  for (size_t i = limbs_.size(); i-- > skip;) {
    const size_t place = i - skip;  // position of this limb in the quotient
    if (place == 0) {
      value |= limbs_[i] >> within;
    } else if (32 * place - within < 64) {
      value |= uint64_t{limbs_[i]} << (32 * place - within);
    }
  }
  return value;
}

std::string BigNumber::ToDecimal() const {
  constexpr uint32_t kDigits = 1'000'000'000;
  std::vector<uint32_t> rest = limbs_, groups;
  while (!rest.empty()) {
    uint64_t remainder = 0;
    for (size_t i = rest.size(); i-- > 0;) {
      remainder = remainder << 32 | rest[i];
      rest[i] = static_cast<uint32_t>(remainder / kDigits);
      remainder %= kDigits;
    }
    groups.push_back(static_cast<uint32_t>(remainder));
    while (!rest.empty() && rest.back() == 0) rest.pop_back();
  }
  if (groups.empty()) return "0";
  std::string text = format("{}", groups.back());
  for (size_t i = groups.size() - 1; i-- > 0;) text += format("{:09}", groups[i]);
  return text;
}

}  // namespace refract::cfg
