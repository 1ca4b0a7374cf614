// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce.h"

#include <map>
#include <string_view>
#include <utility>

#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "engine/declarations.h"
#include "engine/replay.h"
#include "ir/binary.h"
#include "ir/word_diff.h"
#include "reduce/answers.h"
#include "reduce/asker.h"
#include "reduce/strategy.h"
#include "reduce/subset_replay.h"
#include "reduce/tries.h"
#include "shrink/shrink_module.h"
#include "shrink/shrink_recording.h"

namespace refract {
inline namespace reduce {
namespace {

std::shared_ptr<const Needs> NeedsOf(const message::Recording& recording) {
  Needs needs(recording.steps.size());
  std::map<uint32_t, uint32_t> places;
  for (uint32_t i = 0; i < recording.steps.size(); ++i) {
    places[recording.steps[i].number] = i;
    for (const uint32_t number : recording.steps[i].needs) {
      const auto found = places.find(number);
      if (found != places.end()) needs[i].push_back(found->second);
    }
  }
  return std::make_shared<const Needs>(std::move(needs));
}

// Removes ids and declarations that no step of the recording needs, if the recording still replays
// to `words`, the module of `context`. Sets the hashes of the result.
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

class Reducing {
 public:
  Reducing(const Original& original, const message::Recording& recording,
           const ReduceOptions& options, Judge& judge, SubsetReplay replay, Answers answers,
           double begin)
      : original_(original),
        recording_(&recording),
        options_(options),
        begin_(begin),
        asker_(original, options, judge, std::move(replay), std::move(answers)) {}

  Result<Reduction> Run() {
    if (options_.ask_original) asker_.StartOriginal();
    const Question variant = asker_.StartVariant();
    const Algorithm algorithm = options_.plain ? Algorithm::kHalving : options_.algorithm;
    const std::unique_ptr<Strategy> strategy =
        MakeStrategy(algorithm, variant.applied, NeedsOf(*recording_));
    KeepAllButSteps();
    if (!Begin(variant, *strategy)) return Ended();
    Follow(strategy.get());
    Take(strategy->best());
    result_.minimal = strategy->Next() == nullptr;
    if (!options_.plain) Shrink();
    if (options_.smallest && options_.smallest()) MakeSmallest();
    return Ended();
  }

 private:
  void Report(const char* phase, size_t size) const {
    if (!options_.progress) return;
    options_.progress({phase, size, asker_.tries(), MonotonicSeconds() - begin_});
  }

  // Waits for the answer for the variant. Returns true if there is something to reduce.
  bool Begin(const Question& variant, const Strategy& next) {
    const std::optional<bool> interesting = asker_.FinishVariant(variant, next);
    if (!interesting) return false;
    if (!*interesting) {
      result_.end = Reduction::End::kNotInteresting;
      return false;
    }
    Report("steps", variant.applied.size());
    if (options_.ask_original) {
      result_.original_interesting = asker_.FinishOriginal().value_or(false);
    }
    return true;
  }

  // Asks until the strategy has its result or the reduction is over.
  void Follow(Strategy* strategy) {
    while (!asker_.Over() && strategy->Next() != nullptr) {
      if (!asker_.AskFor(strategy)) return;
      Report("steps", strategy->best().size());
    }
  }

  // Keeps the recording without its steps. Take adds the steps of the result.
  void KeepAllButSteps() {
    header_ = *recording_;
    header_.steps.clear();
  }

  // Makes these steps the result.
  void Take(const Subset& steps) {
    result_.recording = header_;
    for (const uint32_t step : steps) result_.recording.steps.push_back(recording_->steps[step]);
    SubsetReplay::Replayed replayed = asker_.Replay(steps);
    result_.words = steps.empty() ? original_.words : WriteModule(replayed.context.module);
    result_.inputs = replayed.context.inputs;
    result_.context = std::make_shared<const Context>(std::move(replayed.context));
  }

  // Makes the steps smaller and then numbers the ids without gaps. If a step changes, other steps
  // that were necessary may have become unnecessary.
  void Shrink() {
    if (asker_.Over() || result_.recording.steps.empty()) return;
    if (options_.shrink) {
      const size_t accepted = ShrinkBy(ShrinkRecording);
      if (accepted == 0 || result_.recording.steps.size() < 2) return;
      if (!SweepAgain()) return;
    }
    ShrinkBy(RenumberIds);
  }

  using ShrinkFunction = Result<ShrunkRecording> (*)(const Original&, const message::Recording&,
                                                     const InterestingRecording&,
                                                     const ShrinkOptions&);
  // Returns the number of accepted changes.
  size_t ShrinkBy(ShrinkFunction function) {
    const auto ask = [&](const Played& played, const Meanwhile& meanwhile) {
      Candidate candidate{played.words, played.context().inputs, played.contexts.back()};
      return asker_.Ask(std::move(candidate), meanwhile).value_or(false);
    };
    ShrinkOptions shrink;
    shrink.progress = [&](const ShrinkProgress&) {
      Report("shrinking", result_.recording.steps.size());
      return !asker_.Over();
    };
    Result<ShrunkRecording> shrunk = function(original_, result_.recording, ask, shrink);
    if (!shrunk) {
      asker_.Fail(shrunk.error());
      return 0;
    }
    if (shrunk->report.accepted > 0) {
      result_.recording = std::move(shrunk->recording);
      result_.words = std::move(shrunk->replayed.words);
      result_.inputs = shrunk->replayed.context.inputs;
      result_.context = std::make_shared<const Context>(std::move(shrunk->replayed.context));
    }
    return shrunk->report.accepted;
  }

  // Makes the result 1-minimal again after steps have changed. Returns true if a step was left out.
  bool SweepAgain() {
    result_.minimal = false;
    shrunk_ = result_.recording;
    Result<SubsetReplay> replay = SubsetReplay::Make(original_, shrunk_);
    CHECK(replay);
    asker_.SetReplay(std::move(*replay));
    recording_ = &shrunk_;
    KeepAllButSteps();
    Subset all(shrunk_.steps.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::unique_ptr<Strategy> sweep = MakeSweep(all);
    Follow(sweep.get());
    result_.minimal = sweep->Next() == nullptr;
    if (sweep->best().size() == all.size()) return false;
    Take(sweep->best());
    return true;
  }

  // Runs the shrink passes on the whole module. The inputs stay.
  void MakeSmallest() {
    if (asker_.Over()) return;
    const size_t tries = asker_.tries();
    const auto ask = [&](std::span<const uint32_t> words) {
      Candidate candidate;
      candidate.words.assign(words.begin(), words.end());
      candidate.inputs = result_.inputs;
      return asker_.Ask(std::move(candidate), [] { return false; }).value_or(false);
    };
    ShrinkOptions shrink;
    shrink.budget = options_.smallest_tries;
    shrink.progress = [&](const ShrinkProgress& progress) {
      Report("smallest", progress.instructions);
      return !asker_.Over();
    };
    Result<ShrunkModule> shrunk = ShrinkModule(
        {result_.words, original_.file, original_.environment, original_.validation}, ask, shrink);
    result_.smallest_tries = asker_.tries() - tries;
    if (!shrunk) {
      asker_.Fail(shrunk.error());
      return;
    }
    result_.smallest = std::move(shrunk->words);
  }

  Result<Reduction> Ended() {
    if (asker_.error() && !asker_.stopped()) return *asker_.error();
    result_.tries = asker_.tries() - result_.smallest_tries;
    if (asker_.stopped()) result_.end = Reduction::End::kStopped;
    if (result_.context != nullptr) {
      Tidy(&result_.recording, original_, result_.words, *result_.context);
      result_.steps = result_.recording.steps.size();
      result_.instructions = DiffWords(original_.words, result_.words).count();
    }
    asker_.judging().End();
    result_.judged = asker_.judging().judged();
    result_.judging_seconds = asker_.judging().busy_seconds();
    result_.seconds = MonotonicSeconds() - begin_;
    return std::move(result_);
  }

  const Original& original_;
  const message::Recording* recording_;
  message::Recording shrunk_;  // recording_ points to it once steps have changed
  const ReduceOptions& options_;
  const double begin_;
  message::Recording header_;  // recording_ without its steps
  Reduction result_;
  Asker asker_;
};

}  // namespace

Result<Reduction> Reduce(const Original& original, const message::Recording& recording,
                         const ReduceOptions& options, Judge& judge) {
  const double begin = MonotonicSeconds();
  Result<SubsetReplay> replay = SubsetReplay::Make(original, recording);
  if (!replay) return replay.error();
  Answers answers;
  if (!options.journal.empty()) {
    const std::string key =
        format("{} {}{} {} {}", original.module_hash, original.inputs_hash, original.companion_hash,
               recording.result_hash, options.journal_key);
    Result<Answers> opened = Answers::Open(options.journal, key, options.resume);
    if (!opened) return opened.error();
    answers = std::move(*opened);
  }
  return Reducing(original, recording, options, judge, std::move(*replay), std::move(answers),
                  begin)
      .Run();
}

}  // namespace reduce
}  // namespace refract
