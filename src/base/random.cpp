// SPDX-License-Identifier: Apache-2.0
#include "base/random.h"

#include <sys/random.h>

#include <ctime>

#include "base/check.h"

namespace refract {
namespace {
constexpr uint64_t RotateLeft(uint64_t x, int k) {
  return (x << k) | (x >> (64 - k));
}
}  // namespace

Random::Random(uint64_t seed) {
  for (uint64_t i = 0; i < 4; ++i) state_[i] = Mix(seed, i);
}

uint64_t Random::Next() {
  const uint64_t result = RotateLeft(state_[1] * 5, 7) * 9;
  const uint64_t t = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= t;
  state_[3] = RotateLeft(state_[3], 45);
  return result;
}

uint64_t Random::Below(uint64_t bound) {
  CHECK(bound > 0);
  if ((bound & (bound - 1)) == 0) return Next() & (bound - 1);  // the same without dividing
  // Rejection of the incomplete last interval keeps it unbiased.
  const uint64_t reject_below = (0 - bound) % bound;
  for (;;) {
    const uint64_t draw = Next();
    if (draw >= reject_below) return draw % bound;
  }
}

uint64_t DrawSeed() {
  uint64_t seed = 0;
  if (getrandom(&seed, sizeof seed, 0) != sizeof seed) {
    seed = Mix(static_cast<uint64_t>(std::time(nullptr)), static_cast<uint64_t>(std::clock()));
  }
  return seed >> 32;  // short enough to type again
}

}  // namespace refract
