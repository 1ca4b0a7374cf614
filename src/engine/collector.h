// SPDX-License-Identifier: Apache-2.0
// Collects the messages that a fuzzer pass offers, and draws some of them at random.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"
#include "message/any.h"
#include "rules/rule.h"

namespace refract {
inline namespace engine {

class Collector : public Proposer {
 public:
  /// `chance`: per cent, to act at each place. `max_cost`: Proposer::MaxCost. All references must
  /// outlive this.
  Collector(const View& view, Random& random, uint32_t chance, double max_cost,
            const std::vector<AnyMessage>& donors);

  Function FirstFunction() const override { return first_; }
  size_t MaxInstructions() const override;
  bool ShouldTry() override { return !Full() && random_.Percent(chance_); }
  size_t Pick(size_t n) override { return random_.Below(n); }
  double MaxCost() const override { return max_cost_; }
  bool Full() const override;
  void Offer(AnyMessage message) override { offers_.push_back(std::move(message)); }
  const std::vector<AnyMessage>& donors() const override { return donors_; }

  /// Returns at most `most` of the offers, drawn at random, in the order in which they were made.
  std::vector<AnyMessage> Take(size_t most);

 private:
  Random& random_;
  uint32_t chance_;
  double max_cost_;
  const std::vector<AnyMessage>& donors_;
  Function first_;
  bool is_large_ = false;
  std::vector<AnyMessage> offers_;
};

}  // namespace engine
}  // namespace refract
