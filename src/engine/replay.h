// SPDX-License-Identifier: Apache-2.0
// Applies a recording, or some of its steps, to its original again.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/apply_step.h"
#include "engine/original.h"
#include "message/recording.h"

namespace refract::inline engine {

struct ReplayOptions {
  uint32_t first = 0xffffffffu;  ///< only steps with numbers up to this
  std::vector<uint32_t> steps;   ///< only these numbers, ascending; empty: all
  bool force = false;            ///< also if the module or inputs are not the recorded ones
  /// Called after each wanted step, applied or not, with what the context is then; may be empty.
  std::function<void(const message::Step&, const StepOutcome&, const Context&)> watch;
};

struct SkippedStep {
  uint32_t number = 0;
  std::string type;
  std::string reason;
};

struct ReplayResult {
  Context context;
  std::vector<uint32_t> words;
  std::vector<uint32_t> applied;  ///< numbers
  std::vector<SkippedStep> skipped;
};

/// The context that the recording's first step is applied to: of the original, with the ids of what
/// steps make, and the facts taken. Refuses as Replay does.
Result<Context> BeginReplay(const Original& original, const message::Recording& recording,
                            bool force = false);

/// Steps keep their numbers; one whose check says no is skipped. A recording of another module or
/// other inputs is refused unless options.force.
Result<ReplayResult> Replay(const Original& original, const message::Recording& recording,
                            const ReplayOptions& options);

/// The options under which the original of a recording was read.
Result<OriginalOptions> OriginalOptionsOf(const message::Recording& recording);

/// The ids of what steps made, sorted by name: what a recording keeps.
std::vector<message::IdBinding> MadeIds(const Module& module);

}  // namespace refract::inline engine
