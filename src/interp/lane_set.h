// SPDX-License-Identifier: Apache-2.0
// A set of invocations ("lanes") of a batch.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace refract {
inline namespace interp {

/// The largest number of invocations in a batch: the usual limit of Vulkan for a workgroup.
constexpr uint32_t kMaxLanes = 1024;

class LaneSet {
 public:
  explicit LaneSet(uint32_t lanes = 0) : size_((lanes + 63) / 64) {}
  LaneSet(const LaneSet& other) : size_(other.size_) { CopyWords(other); }
  LaneSet& operator=(const LaneSet& other) {
    size_ = other.size_;
    CopyWords(other);
    return *this;
  }
  static LaneSet All(uint32_t lanes) {
    LaneSet set(lanes);
    for (uint32_t lane = 0; lane < lanes; ++lane) set.Add(lane);
    return set;
  }

  void Add(uint32_t lane) { words_[lane / 64] |= uint64_t{1} << (lane % 64); }
  void Remove(uint32_t lane) { words_[lane / 64] &= ~(uint64_t{1} << (lane % 64)); }
  bool Has(uint32_t lane) const { return (words_[lane / 64] >> (lane % 64) & 1) != 0; }
  /// True if the set has any of the 16 lanes from `first` on, which is a multiple of 16.
  bool HasInBlock(uint32_t first) const {
    return (words_[first / 64] >> (first % 64) & 0xffff) != 0;
  }
  bool empty() const {
    uint64_t any = 0;
    for (uint32_t i = 0; i < size_; ++i) any |= words_[i];
    return any == 0;
  }
  uint32_t count() const {
    int count = 0;
    for (uint32_t i = 0; i < size_; ++i) count += std::popcount(words_[i]);
    return static_cast<uint32_t>(count);
  }
  LaneSet& operator|=(const LaneSet& other) {
    for (uint32_t i = 0; i < size_; ++i) words_[i] |= other.words_[i];
    return *this;
  }
  LaneSet& operator&=(const LaneSet& other) {
    for (uint32_t i = 0; i < size_; ++i) words_[i] &= other.words_[i];
    return *this;
  }
  LaneSet& operator-=(const LaneSet& other) {
    for (uint32_t i = 0; i < size_; ++i) words_[i] &= ~other.words_[i];
    return *this;
  }
  /// Calls `visit(lane)` for each lane, in ascending order.
  template <class Visit>
  void ForEach(Visit visit) const {
    for (uint32_t w = 0; w < size_; ++w) {
      for (uint64_t rest = words_[w]; rest != 0; rest &= rest - 1) {
        visit(64 * w + static_cast<uint32_t>(std::countr_zero(rest)));
      }
    }
  }
  friend bool operator==(const LaneSet& a, const LaneSet& b) {
    for (uint32_t i = 0; i < a.size_; ++i) {
      if (a.words_[i] != b.words_[i]) return false;
    }
    return a.size_ == b.size_;
  }

 private:
  void CopyWords(const LaneSet& other) {
    for (uint32_t i = 0; i < size_; ++i) words_[i] = other.words_[i];
  }
  uint32_t size_;
  uint64_t words_[kMaxLanes / 64] = {};
};

}  // namespace interp
}  // namespace refract
