// SPDX-License-Identifier: Apache-2.0
// A recording with the contexts before and after each step, so that a changed recording is replayed
// only from the changed step on.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/original.h"
#include "engine/replay.h"
#include "message/recording.h"

namespace refract {
inline namespace shrink {

/// The size of a recording for its reader.
struct RecordingSize {
  size_t steps = 0;
  size_t difference = 0;  ///< the number of instructions that differ from the original
  size_t words = 0;
  friend bool operator<=(const RecordingSize& a, const RecordingSize& b) {
    return a.steps <= b.steps &&
           std::pair(a.difference, a.words) <= std::pair(b.difference, b.words);
  }
};

/// A replayed recording.
struct ReplayedRecording {
  message::Recording recording;  ///< with the steps that apply, and with their dependencies
  /// The context before each step, and the final one.
  std::vector<std::shared_ptr<const Context>> contexts;
  std::vector<uint32_t> words;
  RecordingSize size;

  const Context& Before(size_t position) const { return *contexts[position]; }
  const Context& context() const { return *contexts.back(); }
  /// Identifies words and inputs. The answer of an interestingness test depends on nothing else.
  std::string Content() const { return recording.result_hash + recording.result_inputs_hash; }
  ReplayResult ToReplayResult() const;
};
using ReplayedPointer = std::shared_ptr<const ReplayedRecording>;

/// Replays `recording`. Refuses what Replay refuses.
Result<ReplayedPointer> ReplayWithContexts(const Original& original, message::Recording recording);

/// Which steps have to apply. Other steps are left out if they do not.
enum class RequiredSteps : uint8_t { kAll, kFirst, kNone };
/// Replays `recording`, which must equal that of `before` up to the step at `position`. kFirst
/// means the step at `position`. Returns null if a step that must apply does not.
ReplayedPointer ReplayFrom(const Original& original, const ReplayedRecording& before,
                           size_t position, message::Recording recording, RequiredSteps must);

}  // namespace shrink
}  // namespace refract
