// SPDX-License-Identifier: Apache-2.0
#include "reduce/tidy.h"

#include "base/check.h"
#include "engine/declarations.h"
#include "engine/replay.h"
#include "ir/binary.h"

namespace refract {
inline namespace reduce {

void Tidy(message::Recording* recording, const Original& original,
          const std::vector<uint32_t>& words, const Context& context) {
  recording->result_hash = HashOfWords(words);
  recording->result_inputs_hash = HashOfInputs(context.inputs.get(), original);
  const auto replays = [&](const message::Recording& tidy) {
    const Result<ReplayResult> replayed = Replay(original, tidy, {});
    CHECK(replayed);
    return replayed->words == words && replayed->applied.size() == tidy.steps.size();
  };
  message::Recording tidy = *recording;
  RemoveUnusedDeclarations(&tidy);
  tidy.ids = MadeIds(context.module);
  if (!replays(tidy)) {
    // The bound in the header of the module may depend on the number of ids in the whole recording.
    // Then all ids must stay.
    CHECK(replays(*recording));
    return;
  }
  *recording = std::move(tidy);
}

}  // namespace reduce
}  // namespace refract
