// SPDX-License-Identifier: Apache-2.0
#include "shrink/try_budget.h"

#include "base/hash.h"

namespace refract {
inline namespace shrink {

bool TryBudget::MarkTested(const std::string& content) {
  if (known_.insert(ContentHash(content)).second) return false;
  ++report.known;
  return true;
}

bool TryBudget::WasTested(const std::string& content) const {
  return known_.count(ContentHash(content)) != 0;
}

Answer TryBudget::Stop() {
  stopped_ = true;
  report.is_finished = false;
  return Answer::kStop;
}

void TryBudget::Accept(std::string_view pass, size_t instructions) {
  ++report.accepted;
  ++report.accepted_by[std::string(pass)];
  instructions_ = instructions;
}

bool TryBudget::Report(std::string_view pass) const {
  return !options_.progress || options_.progress({pass, report.tries, instructions_});
}

}  // namespace shrink
}  // namespace refract
