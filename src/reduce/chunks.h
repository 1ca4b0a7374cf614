// SPDX-License-Identifier: Apache-2.0
// The strategies that leave out chunks of steps, from the end on.
#pragma once

#include <cstddef>
#include <memory>

#include "reduce/strategy.h"

namespace refract::inline reduce {

/// Chunks left out from the end on; halved when none of a size can go (Donaldson et al., "Test-case
/// reduction and deduplication almost for free with transformation-based compiler testing", 2021,
/// 3.4). The last round, of single steps none of which can go, is the proof of 1-minimality.
class Halving : public Strategy {
 public:
  explicit Halving(Subset all);
  std::unique_ptr<Strategy> Clone() const override { return std::make_unique<Halving>(*this); }
  void Answer(bool interesting, const Subset& applied) override;
  uint32_t Odds() const override { return 20; }

 private:
  size_t Begin() const { return end_ > chunk_ ? end_ - chunk_ : 0; }
  void Prepare();

  size_t chunk_, end_;
  bool smaller_ = false;  // something went in this round
};

/// Chunks of a size that follows how likely a step matters; as MakeStrategy.
std::unique_ptr<Strategy> MakeCounter(Subset all);

}  // namespace refract::inline reduce
