// SPDX-License-Identifier: Apache-2.0
// Counts the memory that the benchmarks allocate, in the sizes that malloc gives. Resident memory
// would not show the effect of memory that is reused.
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "bench_data.h"

namespace refract::bench {
namespace {

std::atomic<bool> counting{false};
std::atomic<int64_t> bytes{0};

void* Allocate(size_t size) {
  void* memory = std::malloc(size);
  if (memory == nullptr) std::abort();
  if (counting.load(std::memory_order_relaxed)) {
    bytes.fetch_add(static_cast<int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  }
  return memory;
}

void Free(void* memory) {
  if (memory != nullptr && counting.load(std::memory_order_relaxed)) {
    bytes.fetch_sub(static_cast<int64_t>(malloc_usable_size(memory)), std::memory_order_relaxed);
  }
  std::free(memory);
}

}  // namespace

void CountAllocations(bool on) {
  if (on) bytes.store(0);
  counting.store(on);
}

int64_t AllocatedBytes() {
  return bytes.load();
}

}  // namespace refract::bench

void* operator new(size_t size) {
  return refract::bench::Allocate(size);
}
void* operator new[](size_t size) {
  return refract::bench::Allocate(size);
}
void operator delete(void* memory) noexcept {
  refract::bench::Free(memory);
}
void operator delete[](void* memory) noexcept {
  refract::bench::Free(memory);
}
void operator delete(void* memory, size_t) noexcept {
  refract::bench::Free(memory);
}
void operator delete[](void* memory, size_t) noexcept {
  refract::bench::Free(memory);
}
