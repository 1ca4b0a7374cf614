// SPDX-License-Identifier: Apache-2.0
#include "reduce/exact_output.h"

#include <utility>

namespace refract {
inline namespace reduce {
namespace {

// Why the outputs of this interpretation are not the only correct ones; empty if they are.
std::string WhyNotExact(const Interpretation& interpretation) {
  const OriginalCheck& check = interpretation.check();
  if (!check.undefined.empty()) return check.undefined.front();
  if (!check.deterministic) return "the output depends on the order of execution";
  if (!check.extent.is_whole()) return "the interpreter had no time for the whole module";
  if (interpretation.rule().kind != CompareRule::kExact) {
    return "implementations may round the output differently";
  }
  return {};
}

}  // namespace

Result<std::optional<Interpretation>> InterpretExactly(const Original& source,
                                                       const Candidate& candidate,
                                                       const RunSettings& settings, bool schedules,
                                                       std::string* why_not) {
  Result<Interpretation> interpretation =
      Interpretation::OfCandidate(source, candidate, settings, schedules);
  if (!interpretation && interpretation.error().kind == ErrorKind::kFailed) {
    return interpretation.error();
  }
  *why_not = interpretation ? WhyNotExact(*interpretation) : interpretation.error().message;
  if (!why_not->empty()) return std::optional<Interpretation>();
  return std::optional<Interpretation>(std::move(*interpretation));
}

}  // namespace reduce
}  // namespace refract
