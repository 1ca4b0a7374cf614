// SPDX-License-Identifier: Apache-2.0
// The only output that a module may have, as the interpreter computes it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "engine/original.h"
#include "reduce/interestingness.h"
#include "reduce/target_interestingness.h"

namespace refract {
inline namespace reduce {

/// Interprets a candidate that is run as `source` is. The result is empty unless the interpreter
/// runs all invocations, finds no undefined behaviour, and knows that the output is exact; with
/// `schedules`, the output must also be the same for every order of execution. `*why_not` is then
/// the reason, and is empty otherwise. Fails with kFailed if the interpreter was stopped.
Result<std::optional<Interpretation>> InterpretExactly(const Original& source,
                                                       const Candidate& candidate,
                                                       const RunSettings& settings, bool schedules,
                                                       std::string* why_not);

/// The inputs of a candidate (which has some) with the outputs that the interpreter computes for it
/// as `$expected`, for the outputs that `$expected` of `source` has. Without `$expected` if the
/// interpreter does not know the only correct output. Fails with kFailed if it was stopped.
Result<std::shared_ptr<const Inputs>> WithExpectedOutputs(const Original& source,
                                                          const Candidate& candidate,
                                                          const RunSettings& settings);

}  // namespace reduce
}  // namespace refract
