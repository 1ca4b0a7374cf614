// SPDX-License-Identifier: Apache-2.0
// Calls functions in a copy of this process (fork). Use it for work on untrusted input that may
// run forever, use all memory or crash: the copy can be killed, and nothing remains of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace refract {
inline namespace base {

struct ChildLimits {
  double seconds = 60;                  ///< wall-clock time after which the child is killed
  uint64_t memory = uint64_t{4} << 30;  ///< bytes of resident memory
};

struct ChildResult {
  enum class End {
    kDone,    ///< `work` returned `bytes`
    kTime,    ///< killed at the time limit
    kMemory,  ///< killed at the memory limit, or no memory was left
    kSignal,  ///< the child crashed with `signal`
    kNoChild  ///< the system could not create a process; nothing ran
  };
  End end = End::kNoChild;
  int signal = 0;
  std::string bytes;
};

/// Runs `work` in a child process and returns what `work` returned. The child has only the calling
/// thread, so `work` must not rely on other threads. It must not write files or print. With a heap
/// of a few MiB, a call costs 0.3 ms.
ChildResult CallInChild(const std::function<std::string()>& work, const ChildLimits& limits);

/// Children that live for many calls of one function. After a fork, the kernel copies each page
/// that this process writes, so a fork for each call slows down a process that uses much memory.
/// Several threads may call it at the same time: each call has a child of its own. A child ends
/// with this process. It ignores the signals by which a user interrupts this process.
class KeptChildren {
 public:
  /// The result may depend only on the request: the state of the copy is that of an earlier time.
  using Work = std::string (*)(const std::string& request);

  explicit KeptChildren(Work work);
  ~KeptChildren();
  KeptChildren(const KeptChildren&) = delete;
  KeptChildren& operator=(const KeptChildren&) = delete;

  /// Like CallInChild. A child that reaches a limit or crashes is replaced at the next call. A copy
  /// of this process (fork) may call it too: it gets children of its own.
  ChildResult Call(const std::string& request, const ChildLimits& limits);

 private:
  class Child;

  std::unique_ptr<Child> TakeIdle();

  Work work_;
  std::mutex mutex_;
  int owner_;  // the process whose children they are
  std::vector<std::unique_ptr<Child>> idle_;
};

}  // namespace base
}  // namespace refract
