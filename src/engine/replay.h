// SPDX-License-Identifier: Apache-2.0
// Applies the steps of a recording, or some of them, to the original.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/apply_step.h"
#include "engine/original.h"
#include "message/recording.h"

namespace refract {
inline namespace engine {

struct ReplayOptions {
  uint32_t first = 0xffffffffu;  ///< apply only steps with numbers up to this
  std::vector<uint32_t> steps;   ///< apply only steps with these numbers, ascending; empty: all
  bool force = false;  ///< replay even if the module or the inputs are not the recorded ones
  /// Called after each wanted step, applied or not, with the context at that point; may be empty.
  std::function<void(const message::Step&, const StepOutcome&, const Context&)> watch;
};

/// A step whose check failed.
struct SkippedStep {
  uint32_t number = 0;
  std::string type;
  std::string reason;
};

struct ReplayResult {
  Context context;
  std::vector<uint32_t> words;
  std::vector<uint32_t> applied;  ///< numbers of the applied steps
  std::vector<SkippedStep> skipped;
};

/// Returns the context to which the first step of the recording is applied: that of the original,
/// with the ids that the recording binds to names, and with its execution facts. Refuses what
/// Replay refuses.
Result<Context> BeginReplay(const Original& original, const message::Recording& recording,
                            bool force = false);

/// Replays the recording. Steps keep their numbers. A step whose check fails is skipped. Refuses a
/// recording of another module or of other inputs, unless options.force is set.
Result<ReplayResult> Replay(const Original& original, const message::Recording& recording,
                            const ReplayOptions& options);

/// Returns the options with which the original of a recording was read.
Result<OriginalOptions> OriginalOptionsOf(const message::Recording& recording);

/// Returns the ids of all instructions that steps made, sorted by name, as a recording stores them.
std::vector<message::IdBinding> MadeIds(const Module& module);

}  // namespace engine
}  // namespace refract
