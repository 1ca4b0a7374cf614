// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine and with every compiler, which the
// distributions of the standard library are not. The generator is xoshiro256** (Blackman and Vigna,
// 2018), seeded by splitmix64.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/check.h"

namespace refract {
inline namespace base {

/// Mixes `value` into `hash`, with splitmix64's finaliser. The order of calls matters. The result
/// must never change: permanent names and recordings depend on it.
constexpr uint64_t Mix(uint64_t hash, uint64_t value) {
  uint64_t z = (hash ^ (value + 0x9e3779b97f4a7c15u)) + 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

class Random {
 public:
  explicit Random(uint64_t seed);
  /// 64 random bits.
  uint64_t Next() {
    const uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const uint64_t t = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= t;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform in [0, bound), unbiased; bound > 0.
  uint64_t Below(uint64_t bound) {
    CHECK(bound > 0);
    if ((bound & (bound - 1)) == 0) return Next() & (bound - 1);  // the same without a division
    for (;;) {
      // Rejects the lowest 2^64 mod bound draws, so that all remainders are equally likely.
      const uint64_t draw = Next();
      if (draw >= bound || draw >= (0 - bound) % bound) return draw % bound;
    }
  }
  /// Uniform in [low, high], both included; low <= high.
  uint64_t Between(uint64_t low, uint64_t high) { return low + Below(high - low + 1); }
  /// True with a probability of `percent` in 100 (0: never, 100: always).
  bool Percent(uint32_t percent) { return Below(100) < percent; }
  /// A generator with a state of its own: what it draws does not affect the draws of this one.
  Random Split() { return Random(Next()); }

 private:
  uint64_t state_[4];
};

/// A seed from the operating system, for runs without --seed.
uint64_t DrawSeed();

}  // namespace base
}  // namespace refract
