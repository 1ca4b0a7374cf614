// SPDX-License-Identifier: Apache-2.0
// A value that is made at its first use and then shared by all copies. Several threads may read it:
// if two make it at the same time, they use the same result.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace refract {
inline namespace ir {

template <class T>
class LazyShared {
 public:
  LazyShared() = default;
  LazyShared(const LazyShared& other) : node_(other.node_.load(std::memory_order_acquire)) {
    if (Node* node = node_.load(std::memory_order_relaxed)) {
      node->references.fetch_add(1, std::memory_order_relaxed);
    }
  }
  LazyShared(LazyShared&& other) noexcept : node_(other.node_.exchange(nullptr)) {}
  LazyShared& operator=(LazyShared other) noexcept {
    Node* mine = node_.exchange(other.node_.load(std::memory_order_relaxed));
    other.node_.store(mine, std::memory_order_relaxed);
    return *this;
  }
  ~LazyShared() { Release(node_.load(std::memory_order_acquire)); }

  /// The value. The first call makes it with `make()`.
  template <class Make>
  const T& Get(Make make) {
    Node* node = node_.load(std::memory_order_acquire);
    if (node != nullptr) return node->value;
    Node* made = new Node(make());
    if (node_.compare_exchange_strong(node, made, std::memory_order_acq_rel)) return made->value;
    delete made;  // another thread was first
    return node->value;
  }

  /// True if the value has been made.
  bool is_made() const { return node_.load(std::memory_order_acquire) != nullptr; }

  /// The value, for changing in place; copies keep the old one. Null if the value has not been
  /// made. No other thread may read this object meanwhile.
  T* Own() {
    Node* node = node_.load(std::memory_order_relaxed);
    if (node == nullptr) return nullptr;
    if (node->references.load(std::memory_order_acquire) == 1) return &node->value;
    Node* copy = new Node(node->value);
    node_.store(copy, std::memory_order_relaxed);
    Release(node);
    return &copy->value;
  }

  /// Discards the value; copies keep theirs. No other thread may read this object meanwhile.
  void Drop() { Release(node_.exchange(nullptr)); }

 private:
  struct Node {
    explicit Node(T&& v) : value(std::move(v)) {}
    explicit Node(const T& v) : value(v) {}
    std::atomic<uint32_t> references{1};
    T value;
  };
  static void Release(Node* node) {
    if (node != nullptr && node->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete node;
    }
  }
  std::atomic<Node*> node_{nullptr};
};

}  // namespace ir
}  // namespace refract
