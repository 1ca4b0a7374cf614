// SPDX-License-Identifier: Apache-2.0
// Chooses the donors of each run. A run uses only a few donors, however many there are, so that it
// need not read all of them. The seed of the run chooses them. Many runs together use all donors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "message/any.h"

namespace refract {
inline namespace donate {

/// A run uses functions of at most this many donors.
inline constexpr size_t kMaxDonorsPerRun = 8;

/// Returns the donors of the run with this seed: distinct numbers below `count`, ascending. Returns
/// all numbers if `count` is at most kMaxDonorsPerRun.
std::vector<size_t> ChooseDonors(uint64_t seed, size_t count);

/// The functions of all donors, for a process that makes many variants. Each run gets the same
/// functions as a single run with the same donors and seed.
class DonorPool {
 public:
  /// Adds the next donor. A donor without functions counts too: a run may choose it.
  void Add(std::vector<AnyMessage> functions) { donors_.push_back(std::move(functions)); }
  /// Returns the functions of the donors of that run, each origin once.
  std::vector<AnyMessage> FunctionsOf(uint64_t seed) const;
  size_t donors() const { return donors_.size(); }

 private:
  std::vector<std::vector<AnyMessage>> donors_;
};

}  // namespace donate
}  // namespace refract
