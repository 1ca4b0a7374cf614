// SPDX-License-Identifier: Apache-2.0
// Which step of a recording is to blame for a result that somebody finds fault with, and which few
// steps show it.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/original.h"
#include "message/recording.h"

namespace refract::inline engine {

/// What is wrong with a context; nullopt if nothing is. Deterministic.
using ContextJudge = std::function<std::optional<std::string>(const Context&)>;

struct StepFault {
  uint32_t step = 0;            ///< the first after which something is wrong
  std::string type;             ///< its transformation
  std::string what;             ///< what the judge says of the smallest recording
  message::Recording smallest;  ///< without any one of its steps nothing is wrong
};

/// `judge` finds `what` wrong with the recording's whole result, and nothing with the steps up to
/// `sound_steps`.
StepFault FindFault(const Original& original, const message::Recording& recording,
                    uint32_t sound_steps, const std::string& what, const ContextJudge& judge);

}  // namespace refract::inline engine
