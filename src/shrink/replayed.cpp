// SPDX-License-Identifier: Apache-2.0
#include "shrink/replayed.h"

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
bool Apply(size_t position, RequiredSteps must, ReplayedRecording* replayed) {
  const Declarations declarations(replayed->recording.declarations);
  std::vector<message::Step> applied(
      replayed->recording.steps.begin(),
      replayed->recording.steps.begin() + static_cast<ptrdiff_t>(position));
  for (size_t i = position; i < replayed->recording.steps.size(); ++i) {
    message::Step& step = replayed->recording.steps[i];
    auto next = std::make_shared<Context>(replayed->context());
    const StepOutcome outcome = declarations.ApplyStep(*next, step.number, step.transformation);
    if (!outcome.check_result) {
      if (must == RequiredSteps::kAll || (must == RequiredSteps::kFirst && i == position))
        return false;
      continue;
    }
    step.needs = outcome.needs;
    applied.push_back(std::move(step));
    replayed->contexts.push_back(std::move(next));
  }
  replayed->recording.steps = std::move(applied);
  return true;
}

void Finish(const Original& original, ReplayedRecording* replayed) {
  const Context& context = replayed->context();
  message::Recording& recording = replayed->recording;
  replayed->words = recording.steps.empty() ? original.words : WriteModule(context.module);
  recording.ids = MadeIds(context.module);
  recording.result_hash = HashOfWords(replayed->words);
  recording.result_inputs_hash = HashOfInputs(context.inputs.get(), original);
  const WordDiff diff = DiffWords(original.words, replayed->words);
  replayed->size = {recording.steps.size(), diff.added + diff.removed, replayed->words.size()};
}

}  // namespace

ReplayResult ReplayedRecording::ToReplayResult() const {
  ReplayResult result;
  result.context = context();
  result.words = words;
  for (const message::Step& step : recording.steps) result.applied.push_back(step.number);
  return result;
}

Result<ReplayedPointer> ReplayWithContexts(const Original& original, message::Recording recording) {
  ReplayOptions none;
  none.first = 0;
  Result<ReplayResult> start = Replay(original, recording, none);
  if (!start) return start.error();
  auto replayed = std::make_shared<ReplayedRecording>();
  replayed->recording = std::move(recording);
  replayed->contexts.push_back(std::make_shared<const Context>(std::move(start->context)));
  CHECK(Apply(0, RequiredSteps::kNone, replayed.get()));
  Finish(original, replayed.get());
  return ReplayedPointer(std::move(replayed));
}

ReplayedPointer ReplayFrom(const Original& original, const ReplayedRecording& before,
                           size_t position, message::Recording recording, RequiredSteps must) {
  auto replayed = std::make_shared<ReplayedRecording>();
  replayed->recording = std::move(recording);
  replayed->contexts.assign(before.contexts.begin(),
                            before.contexts.begin() + static_cast<ptrdiff_t>(position) + 1);
  if (!Apply(position, must, replayed.get())) return nullptr;
  Finish(original, replayed.get());
  return replayed;
}

}  // namespace shrink
}  // namespace refract
