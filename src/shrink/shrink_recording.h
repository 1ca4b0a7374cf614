// SPDX-License-Identifier: Apache-2.0
// Makes the remaining steps of a recording smaller when no step can be left out: donated functions,
// values in messages, and other fields. Names stay, so that later steps still apply. Only
// candidates that replay are tested. All steps of the recording must apply.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/original.h"
#include "engine/replay.h"
#include "message/recording.h"
#include "shrink/options.h"
#include "shrink/replayed.h"

namespace refract {
inline namespace shrink {

/// Returns true if a candidate still shows the failure. The answer must depend only on its words
/// and inputs (context().inputs). The result hashes, dependencies and ids of the recording are set.
/// It may call `idle_work` as often as there is time while it waits for the answer.
using InterestingRecording =
    std::function<bool(const ReplayedRecording&, const IdleWork& idle_work)>;

struct ShrunkRecording {
  message::Recording recording;
  ReplayResult replayed;
  ShrinkReport report;
};

// For all functions below: the recording must be interesting and is not tested. A recording that
// does not replay is an error. The result is not larger: it has no more steps, and not more by the
// number of instructions that differ from the original and then by words. Candidates with the same
// words as the best one are accepted without a test.

/// Leaves out steps on whose names later steps depend (without_step.h), shrinks donated functions,
/// and makes messages plainer and smaller, in turn, until none of these has an effect. Then it
/// renumbers the ids. One budget holds for all. After changes, it also leaves out steps until no
/// single step can be left out.
Result<ShrunkRecording> ShrinkRecording(const Original& original,
                                        const message::Recording& recording,
                                        const InterestingRecording& interesting,
                                        const ShrinkOptions& options = {});

/// Shrinks the functions in add_function steps with the shrink passes. Instructions that remain
/// keep their local numbers. Later steps that then do not apply are left out.
Result<ShrunkRecording> ShrinkDonatedFunctions(const Original& original,
                                               const message::Recording& recording,
                                               const InterestingRecording& interesting,
                                               const ShrinkOptions& options = {});

/// Gives the new instructions ids from the bound of the original on, in the order of the result.
/// `report.accepted` is 1 if the result is still interesting; otherwise the recording is unchanged.
Result<ShrunkRecording> RenumberIds(const Original& original, const message::Recording& recording,
                                    const InterestingRecording& interesting,
                                    const ShrinkOptions& options = {});

}  // namespace shrink
}  // namespace refract
