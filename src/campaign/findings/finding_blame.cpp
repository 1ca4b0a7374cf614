// SPDX-License-Identifier: Apache-2.0
#include "campaign/findings/finding_blame.h"

#include "target/blame_runs.h"

namespace refract {
inline namespace campaign {

std::optional<Blame> BlameOf(const Original& original, const Candidate& candidate,
                             const Target& target, TargetTest& interestingness,
                             const std::vector<BufferLayout>& layouts, const RunSettings& settings,
                             Harness& harness) {
  if (candidate.context == nullptr) return std::nullopt;
  const Result<Job> plain = JobOf(original, original.context.module, original.words,
                                  original.context.inputs.get(), settings);
  const Result<Job> changed =
      JobOf(original, candidate.context->module, candidate.words, candidate.inputs.get(), settings);
  if (!plain || !changed) return std::nullopt;
  const Result<TargetTest::DisplayRuns> shown = interestingness.RunForDisplay(candidate);
  if (!shown) return std::nullopt;
  return FindBlame(harness, {
                                .target = target,
                                .original = *plain,
                                .variant = *changed,
                                .original_result = shown->original,
                                .variant_result = shown->variant,
                                .rule = interestingness.rule(),
                                .layouts = layouts,
                            });
}

}  // namespace campaign
}  // namespace refract
