// SPDX-License-Identifier: Apache-2.0
// operator new and delete of the executable. A run of `refract fuzz` makes and gives back a hundred
// thousand small objects, two thirds of them in spirv-val; malloc, which has room in its quick
// lists for seven of a size, took a quarter of the run. Here each thread has lists without end of
// blocks by size. Blocks go back to the system when the process ends.
#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>

namespace {

constexpr size_t kStep = 16;           // sizes are multiples of it, and so are addresses
constexpr size_t kLargest = 512;       // of blocks in lists; larger ones are malloc's
constexpr size_t kSlab = 64 << 10;     // what malloc is asked for at a time
constexpr uint32_t kMostFree = 16384;  // of a size that a thread keeps to itself
constexpr size_t kSizes = kLargest / kStep + 1;

// Before each object, since delete is not always told the size.
struct alignas(kStep) Header {
  size_t size;  // in steps; 0: malloc's
};

struct Free {
  Free* next;
};

struct List {
  Free* first = nullptr;
  uint32_t length = 0;
};

struct Lists {
  List of[kSizes];
  char* fresh = nullptr;  // what is left of the last slab
  char* end = nullptr;
  bool is_known = false;  // to GiveBack
};

constinit thread_local Lists lists;
constinit std::mutex mutex;
constinit Free* shared[kSizes] = {};  // what threads had too much of, or left

void Share(List* list, size_t size) {
  if (list->first == nullptr) return;
  Free* last = list->first;
  while (last->next != nullptr) last = last->next;
  const std::lock_guard<std::mutex> lock(mutex);
  last->next = shared[size];
  shared[size] = list->first;
  *list = {};
}

// At the end of a thread.
void GiveBack(void* of_thread) {
  for (size_t size = 1; size < kSizes; ++size) {
    Share(&static_cast<Lists*>(of_thread)->of[size], size);
  }
}

void* AskMalloc(size_t bytes) {
  for (;;) {
    if (void* memory = std::malloc(bytes)) return memory;
    if (const std::new_handler handler = std::get_new_handler()) {
      handler();
    } else {
      throw std::bad_alloc();
    }
  }
}

// A block where the thread has none of the size.
[[gnu::noinline]] void* Refill(size_t size) {
  if (!lists.is_known) {
    static const pthread_key_t key = [] {
      pthread_key_t made{};
      if (pthread_key_create(&made, GiveBack) != 0) std::abort();
      // A child must not find it locked by a thread that it has not.
      pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
      return made;
    }();
    pthread_setspecific(key, &lists);
    lists.is_known = true;
  }
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (Free* first = shared[size]) {
      shared[size] = nullptr;
      lists.of[size].first = first->next;
      return first;
    }
  }
  const size_t bytes = sizeof(Header) + size * kStep;
  if (static_cast<size_t>(lists.end - lists.fresh) < bytes) {
    lists.fresh = static_cast<char*>(AskMalloc(kSlab));
    lists.end = lists.fresh + kSlab;
  }
  auto* header = new (lists.fresh) Header{size};
  lists.fresh += bytes;
  return header + 1;
}

}  // namespace

void* operator new(size_t bytes) {
  if (bytes > kLargest) {
    auto* header = new (AskMalloc(sizeof(Header) + bytes)) Header{0};
    return header + 1;
  }
  const size_t size = bytes == 0 ? 1 : (bytes + kStep - 1) / kStep;
  List& list = lists.of[size];
  Free* const first = list.first;
  if (first == nullptr) return Refill(size);
  list.first = first->next;
  if (list.length > 0) --list.length;
  return first;
}

void operator delete(void* object) noexcept {
  if (object == nullptr) return;
  Header* const header = static_cast<Header*>(object) - 1;
  const size_t size = header->size;
  if (size == 0) return std::free(header);
  List& list = lists.of[size];
  list.first = new (object) Free{list.first};
  if (++list.length > kMostFree) Share(&list, size);
}

void operator delete(void* object, size_t) noexcept {
  operator delete(object);
}
