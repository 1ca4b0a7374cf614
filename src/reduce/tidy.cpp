// SPDX-License-Identifier: Apache-2.0
#include "reduce/tidy.h"

#include <set>

#include "base/check.h"
#include "engine/replay.h"
#include "ir/binary.h"

namespace refract {
namespace {

void RemoveUnusedDeclarations(message::Recording* recording) {
  std::set<Name> used;
  for (const message::Step& step : recording->steps) {
    message::NameSink names;
    message::NamesIn(step.transformation, names);
    used.insert(names.begin(), names.end());
  }
  std::erase_if(recording->declarations,
                [&](const message::Declaration& one) { return used.count(one.name) == 0; });
}

}  // namespace

void Tidy(message::Recording* recording, const Original& original,
          const std::vector<uint32_t>& words, const Context& context) {
  recording->result_hash = HashOfWords(words);
  recording->result_inputs_hash = HashOfInputs(context.inputs.get());
  const auto replays = [&](const message::Recording& tidy) {
    const Result<ReplayResult> replayed = Replay(original, tidy, {});
    CHECK(replayed);
    return replayed->words == words && replayed->applied.size() == tidy.steps.size();
  };
  message::Recording tidy = *recording;
  RemoveUnusedDeclarations(&tidy);
  tidy.ids = MadeIds(context.module);
  if (!replays(tidy)) {
    // The bound in the module's header says how many ids the whole recording had.
    CHECK(replays(*recording));
    return;
  }
  *recording = std::move(tidy);
}

}  // namespace refract
