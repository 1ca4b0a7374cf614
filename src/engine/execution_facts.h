// SPDX-License-Identifier: Apache-2.0
// Execution facts: blocks that one execution of the original never enters, and values that are the
// same always and everywhere in it. The interpreter takes them once. The recording stores them, so
// that a replay needs no execution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract {
inline namespace engine {

/// Executes the original on its inputs, for the whole image or dispatch, and returns the facts.
/// Returns no facts if the execution proves nothing: the interpreter cannot run the original, the
/// run takes too long, its behaviour is undefined, control flow or an address depends on an
/// approximate value, or the inputs are incomplete. If the run takes too long or its
/// behaviour is undefined, `*why_none` (may be null) is set to a message about that.
message::ExecutionFacts TakeExecutionFacts(const Original& original,
                                           std::string* why_none = nullptr);

/// Does the same for any context, for tests. Only the invocations of `sample` (RunOptions) run, and
/// missing inputs are zero. Error messages call the module `file`.
message::ExecutionFacts TakeExecutionFactsOn(const Context& context, const std::string& file,
                                             const std::vector<uint32_t>& sample);

/// Adds the facts to `context`, which is that of the original. They depend on no step.
void AddExecutionFacts(const message::ExecutionFacts& taken, Context* context);

}  // namespace engine
}  // namespace refract
