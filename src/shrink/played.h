// SPDX-License-Identifier: Apache-2.0
// A recording beside all that it gives, so that a change of one step is replayed from there on.
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

namespace refract::inline shrink {

/// How much there is to read.
struct PlayedSize {
  size_t steps = 0;
  size_t difference = 0;  ///< instructions in which it differs from the original
  size_t words = 0;
  friend bool operator<=(const PlayedSize& a, const PlayedSize& b) {
    return a.steps <= b.steps &&
           std::pair(a.difference, a.words) <= std::pair(b.difference, b.words);
  }
};

struct Played {
  message::Recording recording;  ///< its steps are those that apply, with their needs
  /// Before each step, and at the end what all of them give.
  std::vector<std::shared_ptr<const Context>> contexts;
  std::vector<uint32_t> words;
  PlayedSize size;

  const Context& Before(size_t position) const { return *contexts[position]; }
  const Context& context() const { return *contexts.back(); }
  /// Of words and inputs: what a judge's answer depends on.
  std::string Content() const { return recording.result_hash + recording.result_inputs_hash; }
  ReplayResult AsReplay() const;
};
using PlayedPointer = std::shared_ptr<const Played>;

/// Refuses what Replay refuses.
Result<PlayedPointer> Play(const Original& original, message::Recording recording);

/// Which steps have to apply; others go where they do not.
enum class Must : uint8_t { kAll, kFirst, kNone };
/// What `recording` gives, which is as `before` was up to the step at `position`. Null if a step
/// does not apply that must, the one at `position` being the first.
PlayedPointer PlayFrom(const Original& original, const Played& before, size_t position,
                       message::Recording recording, Must must);

}  // namespace refract::inline shrink
