// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce/reduce_folder.h"

#include "campaign/findings/failing_variant.h"
#include "engine/replay.h"

namespace refract {
inline namespace cli {

Status WriteReducedFolder(const std::string& folder, const Original& original,
                          const message::Recording& recording, const Reduction& reduction,
                          const SmallestWrongOutput& smallest, ChosenTest& interestingness) {
  const Result<ReplayResult> variant = Replay(original, recording, {});
  if (!variant) return variant.error();
  const FailingVariant failing{
      .original = original,
      .recording = recording,
      .variant = {variant->words, variant->context.inputs, nullptr},
      .reduction = &reduction,
      .smallest = interestingness.target()->FoundWrongOutput() ? &smallest : nullptr,
      .interestingness = *interestingness.target(),
      .target = interestingness.chosen_target(),
      .run = interestingness.run(),
  };
  const Result<TestRecord> written =
      WriteFailingVariant(folder, failing, interestingness.harness());
  return written ? Status() : Status(written.error());
}

}  // namespace cli
}  // namespace refract
