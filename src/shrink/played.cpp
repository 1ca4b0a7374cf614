// SPDX-License-Identifier: Apache-2.0
#include "shrink/played.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "engine/declarations.h"
#include "ir/binary.h"
#include "ir/word_diff.h"

namespace refract {
inline namespace shrink {
namespace {

// Applies the steps from `position` on to the last of the contexts. Returns false if a step that
// must apply does not.
bool Apply(size_t position, Must must, Played* played) {
  const Declarations declarations(played->recording.declarations);
  std::vector<message::Step> applied(
      played->recording.steps.begin(),
      played->recording.steps.begin() + static_cast<ptrdiff_t>(position));
  for (size_t i = position; i < played->recording.steps.size(); ++i) {
    message::Step& step = played->recording.steps[i];
    auto next = std::make_shared<Context>(played->context());
    const StepOutcome outcome = declarations.ApplyStep(*next, step.number, step.transformation);
    if (!outcome.verdict) {
      if (must == Must::kAll || (must == Must::kFirst && i == position)) return false;
      continue;
    }
    step.needs = outcome.needs;
    applied.push_back(std::move(step));
    played->contexts.push_back(std::move(next));
  }
  played->recording.steps = std::move(applied);
  return true;
}

void Finish(const Original& original, Played* played) {
  const Context& context = played->context();
  message::Recording& recording = played->recording;
  played->words = recording.steps.empty() ? original.words : WriteModule(context.module);
  recording.ids = MadeIds(context.module);
  recording.result_hash = HashOfWords(played->words);
  recording.result_inputs_hash = HashOfInputs(context.inputs.get(), original);
  const WordDiff diff = DiffWords(original.words, played->words);
  played->size = {recording.steps.size(), diff.added + diff.removed, played->words.size()};
}

}  // namespace

ReplayResult Played::AsReplay() const {
  ReplayResult result;
  result.context = context();
  result.words = words;
  for (const message::Step& step : recording.steps) result.applied.push_back(step.number);
  return result;
}

Result<PlayedPointer> Play(const Original& original, message::Recording recording) {
  ReplayOptions none;
  none.first = 0;
  Result<ReplayResult> start = Replay(original, recording, none);
  if (!start) return start.error();
  auto played = std::make_shared<Played>();
  played->recording = std::move(recording);
  played->contexts.push_back(std::make_shared<const Context>(std::move(start->context)));
  CHECK(Apply(0, Must::kNone, played.get()));
  Finish(original, played.get());
  return PlayedPointer(std::move(played));
}

PlayedPointer PlayFrom(const Original& original, const Played& before, size_t position,
                       message::Recording recording, Must must) {
  auto played = std::make_shared<Played>();
  played->recording = std::move(recording);
  played->contexts.assign(before.contexts.begin(),
                          before.contexts.begin() + static_cast<ptrdiff_t>(position) + 1);
  if (!Apply(position, must, played.get())) return nullptr;
  Finish(original, played.get());
  return played;
}

}  // namespace shrink
}  // namespace refract
