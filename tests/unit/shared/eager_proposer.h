// SPDX-License-Identifier: Apache-2.0
// A proposer for tests of what fuzzer passes propose.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "base/random.h"
#include "rules/rule.h"

namespace refract {

/// Proposes wherever it can; the seed decides what it picks.
class EagerProposer : public Proposer {
 public:
  EagerProposer(const View& view, uint64_t seed) : Proposer(view), random_(seed) {}
  bool ShouldTry() override { return true; }
  size_t Pick(size_t n) override { return random_.Below(n); }
  bool Full() const override { return false; }
  void Offer(AnyMessage message) override { offers.push_back(std::move(message)); }
  std::vector<AnyMessage> offers;

 private:
  Random random_;
};

}  // namespace refract
