// SPDX-License-Identifier: Apache-2.0
// ^C during long work. The first ^C requests an end in good order; the second kills the process.
#pragma once

#include <atomic>
#include <csignal>

namespace refract {
inline namespace cli {

/// While an object exists, ^C (and SIGTERM, which schedulers send) sets `asked`. At most one object
/// may exist at a time.
class Interruption {
 public:
  Interruption();
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

  static std::atomic<bool> asked;

 private:
  struct sigaction interrupt_ {};
  struct sigaction terminate_ {};
};

}  // namespace cli
}  // namespace refract
