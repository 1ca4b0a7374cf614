// SPDX-License-Identifier: Apache-2.0
// Who is to blame for what a reduced test shows (target/blame.h), in words for the report.
#pragma once

#include <string>
#include <vector>

#include "engine/original.h"
#include "reduce/target_judge.h"

namespace refract::inline campaign {

/// Empty where it cannot be said: the candidate does not fail this time.
std::string BlameText(const Original& original, const Candidate& candidate, const Target& target,
                      TargetJudge& judge, const std::vector<BufferLayout>& layouts,
                      const RunSettings& settings, Harness& harness);

}  // namespace refract::inline campaign
