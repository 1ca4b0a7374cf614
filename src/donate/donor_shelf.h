// SPDX-License-Identifier: Apache-2.0
// Which donors a run has. A run takes functions of few donors, whichever number there is to choose
// from: its seed decides which, so they need not all be read for one run. Many runs together use
// all of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "message/any.h"

namespace refract::inline donate {

/// A run has functions of at most so many donors.
inline constexpr size_t kDonorsOfRun = 8;

/// The donors of the run with this seed: distinct numbers below `count`, ascending. All of them
/// where there are no more than kDonorsOfRun.
std::vector<size_t> DonorsOfRun(uint64_t seed, size_t count);

/// The functions of donors, by donor: what a process holds that makes many variants. Its runs have
/// the functions that single runs with the same donors and seeds have.
class DonorShelf {
 public:
  /// The next donor, which may have given nothing: it can be chosen nevertheless.
  void Add(std::vector<AnyMessage> functions) { donors_.push_back(std::move(functions)); }
  /// Of the donors of that run, each origin once.
  std::vector<AnyMessage> FunctionsOf(uint64_t seed) const;
  size_t donors() const { return donors_.size(); }

 private:
  std::vector<std::vector<AnyMessage>> donors_;
};

}  // namespace refract::inline donate
