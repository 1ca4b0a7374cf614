// SPDX-License-Identifier: Apache-2.0
// The states of references, baselines, outcomes and kept tests. A store has them as text, and so
// have events, stats.json and messages. Only TextOf and FromText convert between both. The texts
// are part of the file formats (docs/campaign.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "signature/signature.h"
#include "target/original_check.h"

namespace refract {
inline namespace campaign {

/// What the interpreter finds for a reference.
enum class ReferenceStability : uint8_t {
  kExact,
  kStable,
  kSampled,  ///< at least stable, but only a sample was executed
  kUnstable,
  kUndefined,
  kUnknown,   ///< the interpreter cannot run it, or not in time
  kUnusable,  ///< it cannot be loaded or run: not valid, or inputs are missing
};

/// The result of the runs of a reference on a target.
enum class BaselineState : uint8_t {
  kOk,
  // Outputs of variants are not compared on the target:
  kDiffers,  ///< the outputs are not those of the interpreter
  kVaries,   ///< the outputs are not always the same
  // Variants do not run on the target:
  kFails,  ///< the target crashes, hangs and so on
  kUnsupported,
};

/// How an outcome ended. nullopt is "ok". A fault of Refract is kOurError.
using OutcomeVerdict = std::optional<FailureClass>;

/// How far a kept test has come.
enum class KeptState : uint8_t {
  kFound,
  kConfirmed,    ///< ran again, and failed again
  kNotRepeated,  ///< ran again, and did not fail often enough
  kReduced,
  kEnded,   ///< the reduction took too long: the best result so far
  kFailed,  ///< the test cannot be confirmed or reduced
};

/// What the threads of a campaign do, for progress messages.
enum class CampaignPhase : uint8_t { kReferences, kTests, kReducing };

/// The state of a campaign in stats.json.
enum class CampaignState : uint8_t { kRunning, kEnded, kMerged };

/// The stored text of a state: "not_repeated".
std::string_view TextOf(ReferenceStability stability);
std::string_view TextOf(BaselineState state);
std::string_view TextOf(KeptState state);
std::string_view TextOf(FailureClass verdict);
std::string_view TextOf(const OutcomeVerdict& verdict);
std::string_view TextOf(CampaignPhase phase);
std::string_view TextOf(CampaignState state);

/// Sets `*state` to the state with that text. For an unknown text, returns false and sets nothing.
bool FromText(std::string_view text, ReferenceStability* state);
bool FromText(std::string_view text, BaselineState* state);
bool FromText(std::string_view text, KeptState* state);
bool FromText(std::string_view text, FailureClass* verdict);
bool FromText(std::string_view text, OutcomeVerdict* verdict);

/// The stability of a reference that the interpreter executed as a whole.
ReferenceStability StabilityOf(Stability stability);
/// Whether the campaign puts such a reference aside: no test uses it.
bool IsPutAside(ReferenceStability stability);
/// Whether variants of a reference with this baseline run on the target.
bool RunsVariants(BaselineState state);
/// Whether a test has a reduced form, perhaps not the smallest.
bool HasReduction(KeptState state);

}  // namespace campaign
}  // namespace refract
