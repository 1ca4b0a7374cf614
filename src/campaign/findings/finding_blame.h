// SPDX-License-Identifier: Apache-2.0
// Blame (target/blame.h) for the failure of a reduced test.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "reduce/target_interestingness.h"
#include "target/blame.h"

namespace refract {
inline namespace campaign {

/// Runs `candidate` on `target` again, and returns what is to blame for its failure. Returns
/// nullopt if the candidate does not fail this time or cannot be run.
std::optional<Blame> BlameOf(const Original& original, const Candidate& candidate,
                             const Target& target, TargetTest& interestingness,
                             const std::vector<BufferLayout>& layouts, const RunSettings& settings,
                             Harness& harness);

}  // namespace campaign
}  // namespace refract
