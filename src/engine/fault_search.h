// SPDX-License-Identifier: Apache-2.0
// Finds the step of a recording that causes a fault in its result, and a small subset of the steps
// that still shows the fault.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/original.h"
#include "message/recording.h"

namespace refract {
inline namespace engine {

/// Returns what is wrong with a context, or nullopt if nothing is. Must be deterministic.
using ContextCheck = std::function<std::optional<std::string>(const Context&)>;

/// The step that causes a fault, and a small recording that shows it.
struct StepFault {
  uint32_t step = 0;            ///< the first step after which there is a fault
  std::string type;             ///< the transformation of that step
  std::string what;             ///< what is wrong with the result of `smallest`
  message::Recording smallest;  ///< without any one of its steps there is no fault
};

/// Searches for the fault `what`, which `check` finds in the result of the whole recording. It
/// finds no fault in the result of the steps up to `sound_steps`.
StepFault FindFault(const Original& original, const message::Recording& recording,
                    uint32_t sound_steps, const std::string& what, const ContextCheck& check);

}  // namespace engine
}  // namespace refract
