// SPDX-License-Identifier: Apache-2.0
#include "shrink/tally.h"

#include "base/hash.h"

namespace refract {
inline namespace shrink {

bool Tally::IsKnown(const std::string& content) {
  if (known_.insert(ContentHash(content)).second) return false;
  ++report.known;
  return true;
}

bool Tally::Knows(const std::string& content) const {
  return known_.count(ContentHash(content)) != 0;
}

Answer Tally::Stop() {
  stopped_ = true;
  report.is_finished = false;
  return Answer::kStop;
}

void Tally::Accept(std::string_view pass, size_t instructions) {
  ++report.accepted;
  ++report.accepted_by[std::string(pass)];
  instructions_ = instructions;
}

bool Tally::Report(std::string_view pass) const {
  return !options_.progress || options_.progress({pass, report.tries, instructions_});
}

}  // namespace shrink
}  // namespace refract
