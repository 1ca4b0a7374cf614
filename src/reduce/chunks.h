// SPDX-License-Identifier: Apache-2.0
// The strategies that leave out chunks of steps, starting at the end.
#pragma once

#include <cstddef>
#include <memory>

#include "reduce/strategy.h"

namespace refract {
inline namespace reduce {

/// Leaves out chunks, starting at the end, and halves their size if no chunk can be left out
/// (Donaldson et al., "Test-case reduction and deduplication almost for free with
/// transformation-based compiler testing", 2021, section 3.4). The last round tries each single
/// step, which proves that the result is 1-minimal.
class Halving : public Strategy {
 public:
  explicit Halving(Subset all);
  std::unique_ptr<Strategy> Clone() const override { return std::make_unique<Halving>(*this); }
  void Answer(bool interesting, const Subset& applied) override;
  uint32_t ChancePercent() const override { return 20; }

 private:
  size_t Begin() const { return end_ > chunk_ ? end_ - chunk_ : 0; }
  void Prepare();

  size_t chunk_, end_;
  bool smaller_ = false;  // a chunk was left out in this round
};

/// Leaves out chunks whose size follows the probability that a step matters. Implements
/// MakeStrategy for Algorithm::kCounter.
std::unique_ptr<Strategy> MakeCounter(Subset all);

}  // namespace reduce
}  // namespace refract
