// SPDX-License-Identifier: Apache-2.0
// Makes what is left of a recording smaller once no step can go: its donated functions, the values
// in its messages, its steps. Names stay, so what rests on them goes on; nothing but what replays
// is judged. Call it on a recording all of whose steps apply.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "engine/original.h"
#include "engine/replay.h"
#include "message/recording.h"
#include "shrink/options.h"
#include "shrink/played.h"

namespace refract::inline shrink {

/// Whether a candidate still shows what is looked for; the answer is to depend on its words and
/// inputs (context().inputs) alone. Result hashes, needs and ids of its recording are right.
/// `meanwhile` can be called while the answer is on its way, as often as there is time.
using InterestingRecording = std::function<bool(const Played&, const Meanwhile& meanwhile)>;

struct ShrunkRecording {
  message::Recording recording;
  ReplayResult replayed;
  ShrinkReport report;
};

// All of these: the recording is taken for interesting and not judged again. One that does not
// replay is an error. The result is no larger than before: no more steps, and by the instructions
// in which it differs from the original, then by words. Candidates that give the words of the best
// one are taken without asking.

/// The four below, in turn until none has anything left; ids at the end. One budget for all. Where
/// something changed, steps that can now be left out go too, until no single one can.
Result<ShrunkRecording> ShrinkRecording(const Original& original,
                                        const message::Recording& recording,
                                        const InterestingRecording& interesting,
                                        const ShrinkOptions& options = {});

/// The functions in add_function steps, by the structural passes of shrink_module.h; what stays
/// keeps its local number. Later steps that do not apply to what is left go along.
Result<ShrunkRecording> ShrinkDonatedFunctions(const Original& original,
                                               const message::Recording& recording,
                                               const InterestingRecording& interesting,
                                               const ShrinkOptions& options = {});

/// Constants in messages become zero, false or one; no step goes.
Result<ShrunkRecording> UsePlainerValues(const Original& original,
                                         const message::Recording& recording,
                                         const InterestingRecording& interesting,
                                         const ShrinkOptions& options = {});

/// Lists in messages become shorter, flags false, enums their first value, numbers smaller, names
/// none, for every type of transformation; no step goes. Donated functions are left alone.
Result<ShrunkRecording> UseSmallerSteps(const Original& original,
                                        const message::Recording& recording,
                                        const InterestingRecording& interesting,
                                        const ShrinkOptions& options = {});

/// What steps made gets the ids from the original's bound on, in the order in which the result has
/// them. `report.accepted` is 1 if the judge agreed, else the recording comes back as it was.
Result<ShrunkRecording> RenumberIds(const Original& original, const message::Recording& recording,
                                    const InterestingRecording& interesting,
                                    const ShrinkOptions& options = {});

}  // namespace refract::inline shrink
