// SPDX-License-Identifier: Apache-2.0
// A recording beside all that it gives, so that a change of one step is replayed from there on.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "engine/original.h"
#include "engine/replay.h"
#include "message/recording.h"

namespace refract {

struct Played {
  message::Recording recording;  ///< its steps are those that apply, with their needs
  /// Before each step, and at the end what all of them give.
  std::vector<std::shared_ptr<const Context>> contexts;
  std::vector<uint32_t> words;

  const Context& Before(size_t position) const { return *contexts[position]; }
  const Context& context() const { return *contexts.back(); }
  ReplayResult AsReplay() const;
};

/// Refuses what Replay refuses.
Result<Played> Play(const Original& original, message::Recording recording);

/// Which steps have to apply; others go where they do not.
enum class Must : uint8_t { kAll, kFirst, kNone };
/// What `recording` gives, which is as `before` was up to the step at `position`. Nothing if a step
/// does not apply that must, the one at `position` being the first.
std::optional<Played> PlayFrom(const Original& original, const Played& before, size_t position,
                               message::Recording recording, Must must);

}  // namespace refract
