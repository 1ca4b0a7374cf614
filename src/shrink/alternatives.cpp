// SPDX-License-Identifier: Apache-2.0
#include "shrink/alternatives.h"

#include "base/check.h"

namespace refract {
inline namespace shrink {

PlayedPointer Alternatives::At(const PlayedPointer& best, size_t step, size_t at) {
  Line& line = LineOf(best, step);
  CHECK(at <= line.made.size());
  if (at == line.made.size()) MakeNext(&line, step);
  return line.made[at];
}

bool Alternatives::MakeAhead(const PlayedPointer& best, size_t step, size_t at, size_t further) {
  while (true) {
    Line& line = LineOf(best, step);
    if (at == line.messages.size()) {
      if (step == 0) return false;
      --step;
      at = 0;
    } else if (at == line.made.size()) {
      MakeNext(&line, step);
      return true;
    } else {
      if (is_open_(line.made[at], *best) && further-- == 0) return false;
      ++at;
    }
  }
}

void Alternatives::Keep(const PlayedPointer& best, const PlayedPointer& candidate) {
  std::erase_if(lines_, [&](const auto& one) {
    return one.second.best != best && one.second.best != candidate;
  });
}

Alternatives::Line& Alternatives::LineOf(const PlayedPointer& best, size_t step) {
  const auto [place, is_new] = lines_.try_emplace({best.get(), step});
  if (is_new) place->second = {best, list_(*best, step), {}};
  return place->second;
}

void Alternatives::MakeNext(Line* line, size_t step) {
  line->made.push_back(make_(*line->best, step, line->messages[line->made.size()]));
}

}  // namespace shrink
}  // namespace refract
