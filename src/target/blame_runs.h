// SPDX-License-Identifier: Apache-2.0
// Makes the runs that decide who is to blame for a finding (target/blame.h).
#pragma once

#include <optional>
#include <vector>

#include "target/blame.h"
#include "target/difference.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace target {

/// An original and a variant that ran on `target`, with their results.
struct BlameInputs {
  const Target& target;
  const Job& original;
  const Job& variant;
  const RunResult& original_result;
  const RunResult& variant_result;
  ComparisonRule rule;
  const std::vector<BufferLayout>& layouts;
  double time_limit = 10;  ///< seconds for each run of a command that hung
};

/// Returns nothing if there is no finding, or if the original itself fails. Runs drivers, tools and
/// the interpreter: some runs for each command of the target, and about two dozen more to find the
/// pass if spirv-opt is to blame.
std::optional<Blame> FindBlame(Harness& harness, const BlameInputs& question);

}  // namespace target
}  // namespace refract
