// SPDX-License-Identifier: Apache-2.0
#include "engine/collector.h"

#include <algorithm>

namespace refract {
inline namespace engine {
namespace {

constexpr size_t kOffersPerPass = 400;
// In a module with more instructions than kLargeModule, a pass walks about kMaxWalkedInLargeModule
// instructions and starts at a random function. To walk the whole module would cost more than to
// apply the steps, and all offers would come from its beginning.
constexpr size_t kLargeModule = 8192;
constexpr size_t kMaxWalkedInLargeModule = 2048;

}  // namespace

Collector::Collector(const View& view, Random& random, uint32_t chance, double max_cost,
                     const std::vector<AnyMessage>& donors)
    : Proposer(view),
      random_(random),
      chance_(chance),
      max_cost_(max_cost),
      donors_(donors),
      first_(module().first_function()) {
  const size_t functions = module().function_slots() - 1;
  is_large_ = module().instruction_slots() > kLargeModule && functions > 1;
  if (!is_large_) return;
  const auto drawn = static_cast<Function>(1 + random_.Below(functions));
  // The function may have been removed.
  if (module()[drawn].definition != Inst::kNone) first_ = drawn;
}

size_t Collector::MaxInstructions() const {
  return is_large_ ? kMaxWalkedInLargeModule : SIZE_MAX;
}

bool Collector::Full() const {
  return offers_.size() >= kOffersPerPass;
}

std::vector<AnyMessage> Collector::Take(size_t most) {
  std::vector<AnyMessage> taken;
  size_t left = std::min(most, offers_.size());
  for (size_t i = 0; i < offers_.size() && left > 0; ++i) {
    if (random_.Below(offers_.size() - i) >= left) continue;
    taken.push_back(std::move(offers_[i]));
    --left;
  }
  return taken;
}

}  // namespace engine
}  // namespace refract
