// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce_folder.h"

#include "campaign/failing_variant.h"
#include "engine/replay.h"

namespace refract {
inline namespace cli {

Status WriteReducedFolder(const std::string& folder, const Original& original,
                          const message::Recording& recording, const Reduction& reduction,
                          ChosenTest& judge) {
  const Result<ReplayResult> variant = Replay(original, recording, {});
  if (!variant) return variant.error();
  const FailingVariant failing{
      .original = original,
      .recording = recording,
      .variant = {variant->words, variant->context.inputs, nullptr},
      .reduction = &reduction,
      .judge = *judge.target(),
      .target = judge.chosen_target(),
      .run = judge.run(),
  };
  const Result<TestRecord> written = WriteFailingVariant(folder, failing, judge.harness());
  return written ? Status() : Status(written.error());
}

}  // namespace cli
}  // namespace refract
