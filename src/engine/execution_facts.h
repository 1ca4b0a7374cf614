// SPDX-License-Identifier: Apache-2.0
// What one execution of the original shows: blocks that never run, values that are the same always
// and everywhere. Taken once by the interpreter; a recording keeps them, so that who replays it
// needs no execution.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract::inline engine {

/// Runs the original on its inputs, the whole picture or dispatch. Empty where that says nothing
/// for sure: it cannot be interpreted or takes too long, its behaviour is undefined, an approximate
/// value decides something, or its inputs leave something open. `too_long`, if not null, is set to
/// the limit if that is the reason.
message::ExecutionFacts TakeExecutionFacts(const Original& original,
                                           std::string* too_long = nullptr);

/// The same of a context as it is, for tests: of the invocations `sample` (RunOptions) alone, with
/// zero for what the inputs leave open. `file` is what errors call the module.
message::ExecutionFacts TakeExecutionFactsOn(const Context& context, const std::string& file,
                                             const std::vector<uint32_t>& sample);

/// Makes them facts of `context`, which is the original's. They rest on no step.
void PutExecutionFacts(const message::ExecutionFacts& taken, Context* context);

}  // namespace refract::inline engine
