// SPDX-License-Identifier: Apache-2.0
// ^C during long work: the first asks it to end in good order, the second ends everything.
#pragma once

#include <atomic>
#include <csignal>

namespace refract::inline cli {

/// While there is one, ^C (and SIGTERM, which schedulers send) sets `asked`. One at a time.
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

}  // namespace refract::inline cli
