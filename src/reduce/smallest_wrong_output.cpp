// SPDX-License-Identifier: Apache-2.0
#include "reduce/smallest_wrong_output.h"

#include <utility>

#include "base/text.h"
#include "reduce/failing_interestingness.h"

namespace refract {
inline namespace reduce {

Result<SmallestWrongOutput> ReduceWrongOutput(const Original& original,
                                              const std::vector<uint32_t>& words,
                                              const std::shared_ptr<const Inputs>& inputs,
                                              const Target& target, const RunSettings& run,
                                              ReduceOptions options, Harness& harness) {
  OriginalOptions same;
  same.entry = original.context.entry;
  same.environment = original.environment;
  same.validation = original.validation;
  const Result<Original> variant = MakeOriginal(words, original.file, inputs, same);
  if (!variant) return variant.error();
  FailingTest test(*variant, target, {}, run, harness);
  options.wrong_output = [] { return true; };
  Result<ModuleReduction> reduction = ReduceModule(*variant, options, test);
  if (!reduction) return reduction.error();
  SmallestWrongOutput result;
  if (reduction->end == Reduction::End::kNotInteresting) {
    result.why_not = test.NotJudged().empty() ? "the output is that of the interpreter"
                                              : "the interpreter cannot tell which output is "
                                                "correct: " +
                                                    test.NotJudged();
  }
  result.reduction = std::move(*reduction);
  return result;
}

}  // namespace reduce
}  // namespace refract
