// SPDX-License-Identifier: Apache-2.0
// Makes the runs that say who is to blame for a finding (target/blame.h).
#pragma once

#include <optional>
#include <vector>

#include "target/blame.h"
#include "target/difference.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract::inline target {

/// An original and a variant that ran on `target`, and what came of it.
struct BlameQuestion {
  const Target& target;
  const Job& original;
  const Job& variant;
  const RunResult& original_result;
  const RunResult& variant_result;
  CompareRule rule = CompareRule::kExact;
  const std::vector<BufferLayout>& layouts;
  double time_limit = 10;  ///< seconds for each run of a command that hung
};

/// Nothing if there is no finding, or the original fails itself. Runs drivers, tools and the
/// interpreter, some for each command of the target and, where spirv-opt is to blame, two dozen of
/// its passes.
std::optional<Blame> FindBlame(Harness& harness, const BlameQuestion& question);

}  // namespace refract::inline target
