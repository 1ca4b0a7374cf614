// SPDX-License-Identifier: Apache-2.0
#include "rules/legality/divergence_mix.h"

#include <vector>

namespace refract {
inline namespace rules {
namespace {

// A pass over a larger module walks only a part of it, which takes less time than the divergence
// analysis.
constexpr size_t kLargeModule = 20000;

}  // namespace

Id DivergenceMix::Pick(Proposer& proposer, std::span<const Id> values) {
  const Module& module = proposer.module();
  if (module.instruction_slots() > kLargeModule) return values[proposer.Pick(values.size())];
  if (proposer.Pick(2) == 0) wants_divergent_ = !wants_divergent_;
  const DivergenceAnalysis& analysis = module.Divergence();
  std::vector<Id> fitting;
  for (const Id id : values) {
    const bool is_divergent = analysis.Of(id) > DivergenceClass::kSubgroup;
    if (is_divergent == wants_divergent_) fitting.push_back(id);
  }
  const std::span<const Id> from = fitting.empty() ? values : std::span<const Id>(fitting);
  return from[proposer.Pick(from.size())];
}

}  // namespace rules
}  // namespace refract
