// SPDX-License-Identifier: Apache-2.0
#include "campaign/blame_text.h"

#include "target/blame_runs.h"

namespace refract {
inline namespace campaign {

std::string BlameText(const Original& original, const Candidate& candidate, const Target& target,
                      TargetTest& interestingness, const std::vector<BufferLayout>& layouts,
                      const RunSettings& settings, Harness& harness) {
  if (candidate.context == nullptr) return {};
  const Result<Job> plain = JobOf(original, original.context.module, original.words,
                                  original.context.inputs.get(), settings);
  const Result<Job> changed =
      JobOf(original, candidate.context->module, candidate.words, candidate.inputs.get(), settings);
  if (!plain || !changed) return {};
  const Result<TargetTest::DisplayRuns> shown = interestingness.RunForDisplay(candidate);
  if (!shown) return {};
  const std::optional<Blame> blame = FindBlame(harness, {
                                                            .target = target,
                                                            .original = *plain,
                                                            .variant = *changed,
                                                            .original_result = shown->original,
                                                            .variant_result = shown->variant,
                                                            .rule = interestingness.rule(),
                                                            .layouts = layouts,
                                                        });
  return blame ? blame->Text() : std::string();
}

}  // namespace campaign
}  // namespace refract
