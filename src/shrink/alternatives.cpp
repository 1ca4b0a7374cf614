// SPDX-License-Identifier: Apache-2.0
#include "shrink/alternatives.h"

#include "base/check.h"

namespace refract {
inline namespace shrink {

ReplayedPointer Alternatives::At(const ReplayedPointer& best, size_t step, size_t at) {
  StepAlternatives& alternatives = AlternativesOf(best, step);
  CHECK(at <= alternatives.replayed.size());
  if (at == alternatives.replayed.size()) ReplayNext(&alternatives, step);
  return alternatives.replayed[at];
}

bool Alternatives::ReplayAhead(const ReplayedPointer& best, size_t step, size_t at,
                               size_t further) {
  while (true) {
    StepAlternatives& alternatives = AlternativesOf(best, step);
    if (at == alternatives.messages.size()) {
      if (step == 0) return false;
      --step;
      at = 0;
    } else if (at == alternatives.replayed.size()) {
      ReplayNext(&alternatives, step);
      return true;
    } else {
      if (needs_test_(alternatives.replayed[at], *best) && further-- == 0) return false;
      ++at;
    }
  }
}

void Alternatives::Keep(const ReplayedPointer& best, const ReplayedPointer& candidate) {
  std::erase_if(by_step_, [&](const auto& one) {
    return one.second.best != best && one.second.best != candidate;
  });
}

Alternatives::StepAlternatives& Alternatives::AlternativesOf(const ReplayedPointer& best,
                                                             size_t step) {
  const auto [place, is_new] = by_step_.try_emplace({best.get(), step});
  if (is_new) place->second = {best, list_(*best, step), {}};
  return place->second;
}

void Alternatives::ReplayNext(StepAlternatives* alternatives, size_t step) {
  alternatives->replayed.push_back(
      make_(*alternatives->best, step, alternatives->messages[alternatives->replayed.size()]));
}

}  // namespace shrink
}  // namespace refract
