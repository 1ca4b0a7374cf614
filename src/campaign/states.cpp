// SPDX-License-Identifier: Apache-2.0
#include "campaign/states.h"

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "target/finding.h"

namespace refract {
inline namespace campaign {
namespace {

template <class State>
struct Named {
  State state;
  std::string_view text;
};

constexpr Named<ReferenceStability> kStabilities[] = {
    {ReferenceStability::kExact, "exact"},         {ReferenceStability::kStable, "stable"},
    {ReferenceStability::kSampled, "sampled"},     {ReferenceStability::kUnstable, "unstable"},
    {ReferenceStability::kUndefined, "undefined"}, {ReferenceStability::kUnknown, "unknown"},
    {ReferenceStability::kUnusable, "unusable"},
};
constexpr Named<BaselineState> kBaselineStates[] = {
    {BaselineState::kOk, "ok"},
    {BaselineState::kDiffers, "differs"},
    {BaselineState::kVaries, "varies"},
    {BaselineState::kFails, "fails"},
    {BaselineState::kUnsupported, "unsupported"},
};
constexpr Named<KeptState> kKeptStates[] = {
    {KeptState::kFound, "found"},
    {KeptState::kConfirmed, "confirmed"},
    {KeptState::kNotRepeated, "not_repeated"},
    {KeptState::kReduced, "reduced"},
    {KeptState::kEnded, "ended"},
    {KeptState::kFailed, "failed"},
};
constexpr Named<CampaignPhase> kPhases[] = {
    {CampaignPhase::kReferences, "references"},
    {CampaignPhase::kTests, "tests"},
    {CampaignPhase::kReducing, "reducing"},
};
constexpr Named<CampaignState> kCampaignStates[] = {
    {CampaignState::kRunning, "running"},
    {CampaignState::kEnded, "ended"},
    {CampaignState::kMerged, "merged"},
};

template <class State, size_t N>
std::string_view Find(const Named<State> (&table)[N], State state) {
  const auto* found = std::find_if(std::begin(table), std::end(table),
                                   [&](const Named<State>& row) { return row.state == state; });
  CHECK(found != std::end(table));
  return found->text;
}

template <class State, size_t N>
bool Find(const Named<State> (&table)[N], std::string_view text, State* state) {
  const auto* found = std::find_if(std::begin(table), std::end(table),
                                   [&](const Named<State>& row) { return row.text == text; });
  if (found == std::end(table)) return false;
  *state = found->state;
  return true;
}

}  // namespace

std::string_view TextOf(ReferenceStability stability) {
  return Find(kStabilities, stability);
}
std::string_view TextOf(BaselineState state) {
  return Find(kBaselineStates, state);
}
std::string_view TextOf(KeptState state) {
  return Find(kKeptStates, state);
}
std::string_view TextOf(FailureClass verdict) {
  return FailureClassName(verdict);
}
std::string_view TextOf(const OutcomeVerdict& verdict) {
  return VerdictName(verdict);
}
std::string_view TextOf(CampaignPhase phase) {
  return Find(kPhases, phase);
}
std::string_view TextOf(CampaignState state) {
  return Find(kCampaignStates, state);
}

bool FromText(std::string_view text, ReferenceStability* state) {
  return Find(kStabilities, text, state);
}
bool FromText(std::string_view text, BaselineState* state) {
  return Find(kBaselineStates, text, state);
}
bool FromText(std::string_view text, KeptState* state) {
  return Find(kKeptStates, text, state);
}
bool FromText(std::string_view text, FailureClass* verdict) {
  const std::optional<FailureClass> found = FailureClassNamed(text);
  if (found) *verdict = *found;
  return found.has_value();
}
bool FromText(std::string_view text, OutcomeVerdict* verdict) {
  const std::optional<FailureClass> found = FailureClassNamed(text);
  if (!found && text != TextOf(OutcomeVerdict())) return false;
  *verdict = found;
  return true;
}

ReferenceStability StabilityOf(Stability stability) {
  switch (stability) {
    case Stability::kExact:
      return ReferenceStability::kExact;
    case Stability::kStable:
      return ReferenceStability::kStable;
    case Stability::kUnstable:
      break;
  }
  return ReferenceStability::kUnstable;
}

bool IsPutAside(ReferenceStability stability) {
  return stability == ReferenceStability::kUndefined || stability == ReferenceStability::kUnusable;
}

bool RunsVariants(BaselineState state) {
  return state != BaselineState::kFails && state != BaselineState::kUnsupported;
}

bool HasReduction(KeptState state) {
  return state == KeptState::kReduced || state == KeptState::kEnded;
}

}  // namespace campaign
}  // namespace refract
