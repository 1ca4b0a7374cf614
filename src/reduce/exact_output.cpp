// SPDX-License-Identifier: Apache-2.0
#include "reduce/exact_output.h"

#include <cstring>
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

// The outputs that `wanted` has.
ExpectedOutputs ExpectedFrom(const Outputs& outputs, const ExpectedOutputs& wanted) {
  ExpectedOutputs expected;
  for (const BoundBuffer& buffer : outputs.buffers) {
    for (const ExpectedBuffer& old : wanted.buffers) {
      if (!SamePlace(old, buffer)) continue;
      ExpectedBuffer& one = expected.buffers.emplace_back(old);
      one.words.assign(buffer.bytes.size() / 4, 0);
      std::memcpy(one.words.data(), buffer.bytes.data(), 4 * one.words.size());
    }
  }
  for (const ColourTarget& target : outputs.targets) {
    if (!wanted.picture || target.location != 0) continue;
    if (target.format != spv::ImageFormat::Rgba8) continue;
    ExpectedPicture& picture = expected.picture.emplace();
    picture.colours.resize(target.texels.size() / 4);
    std::memcpy(picture.colours.data(), target.texels.data(), 4 * picture.colours.size());
  }
  return expected;
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

Result<std::shared_ptr<const Inputs>> WithExpectedOutputs(const Original& source,
                                                          const Candidate& candidate,
                                                          const RunSettings& settings) {
  Inputs inputs = *candidate.inputs;
  inputs.expected.reset();
  const std::shared_ptr<const Inputs>& given = source.context.inputs;
  if (given != nullptr && given->expected) {
    std::string why_not;
    const auto exact = InterpretExactly(source, candidate, settings, true, &why_not);
    if (!exact) return exact.error();
    if (*exact) inputs.expected = ExpectedFrom((*exact)->AsRun().outputs, *given->expected);
  }
  return std::make_shared<const Inputs>(std::move(inputs));
}

}  // namespace reduce
}  // namespace refract
