// SPDX-License-Identifier: Apache-2.0
// Blame (target/blame.h) for the failure of a reduced test, as a line of text for the report.
#pragma once

#include <string>
#include <vector>

#include "engine/original.h"
#include "reduce/target_interestingness.h"

namespace refract {
inline namespace campaign {

/// Runs `candidate` on `target` again, and returns what is to blame for its failure. Returns an
/// empty string if the candidate does not fail this time or cannot be run.
std::string BlameText(const Original& original, const Candidate& candidate, const Target& target,
                      TargetTest& interestingness, const std::vector<BufferLayout>& layouts,
                      const RunSettings& settings, Harness& harness);

}  // namespace campaign
}  // namespace refract
