// SPDX-License-Identifier: Apache-2.0
// A copy-on-write vector: copies share pages until one of them writes. It makes a copy of a Module
// or of Facts cost microseconds. The reducer keeps thousands of copies.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/check.h"

namespace refract {
inline namespace ir {

/// A read by index is two loads. Several threads may read a const CowVector, and different threads
/// may read and write different copies of one.
template <class T>
class CowVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  CowVector() = default;
  CowVector(const CowVector& other) : pages_(other.pages_), size_(other.size_) {
    for (Page* page : pages_) page->references.fetch_add(1, std::memory_order_relaxed);
  }
  CowVector(CowVector&& other) noexcept
      : pages_(std::move(other.pages_)), size_(std::exchange(other.size_, 0)) {
    other.pages_.clear();
  }
  CowVector& operator=(CowVector other) noexcept {
    pages_.swap(other.pages_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~CowVector() {
    for (Page* page : pages_) Release(page);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }

  const T& operator[](size_t index) const { return pages_[index >> kBits]->items[index & kMask]; }

  /// The element, for writing. Copies its page first if other vectors share it.
  T& Mutable(size_t index) {
    CHECK(index < size_);
    return Own(index >> kBits)->items[index & kMask];
  }

  void push_back(const T& item) {
    if ((size_ & kMask) == 0) pages_.push_back(new Page);
    Own(size_ >> kBits)->items[size_ & kMask] = item;
    ++size_;
  }

  void resize(size_t size, const T& item) {
    CHECK(size >= size_);
    while (size_ < size) push_back(item);
  }

  /// Calls `visit(index)`, in ascending order, for the elements on pages that are not shared with
  /// `other`. For a vector and an earlier copy of it, these are all elements that may differ and a
  /// few more.
  template <class Visit>
  void ForEachUnshared(const CowVector& other, Visit visit) const {
    for (size_t page = 0; page < pages_.size(); ++page) {
      if (page < other.pages_.size() && pages_[page] == other.pages_[page]) continue;
      for (size_t i = page << kBits; i < size_ && i >> kBits == page; ++i) visit(i);
    }
  }

 private:
  // Pages have about 2 KiB: small enough for cheap writes after a copy, and large enough that the
  // page table is cheap to copy.
  static constexpr size_t Bits() {
    size_t bits = 3;
    while ((sizeof(T) << (bits + 1)) <= 2048) ++bits;
    return bits;
  }
  static constexpr size_t kBits = Bits();
  static constexpr size_t kMask = (size_t{1} << kBits) - 1;

  struct Page {
    std::atomic<uint32_t> references{1};
    T items[size_t{1} << kBits];
  };

  static void Release(Page* page) {
    if (page->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete page;
  }

  Page* Own(size_t index) {
    Page* page = pages_[index];
    if (page->references.load(std::memory_order_acquire) == 1) return page;
    Page* copy = new Page;
    for (size_t i = 0; i <= kMask; ++i) copy->items[i] = page->items[i];
    Release(page);
    pages_[index] = copy;
    return copy;
  }

  std::vector<Page*> pages_;
  size_t size_ = 0;
};

}  // namespace ir
}  // namespace refract
