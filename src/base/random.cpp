// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <sys/random.h>

#include <ctime>

namespace refract {
inline namespace base {
Random::Random(uint64_t seed) {
  for (uint64_t i = 0; i < 4; ++i) state_[i] = Mix(seed, i);
}

uint64_t DrawSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    seed = Mix(static_cast<uint64_t>(std::time(nullptr)), static_cast<uint64_t>(std::clock()));
  }
  return seed >> 32;  // short enough to type
}

}  // namespace base
}  // namespace refract
