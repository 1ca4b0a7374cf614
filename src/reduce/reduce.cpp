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
#include "reduce/answer_journal.h"
#include "reduce/query_scheduler.h"
#include "reduce/reduce_module.h"
#include "reduce/strategy.h"
#include "reduce/subset_replay.h"
#include "reduce/tries.h"
#include "shrink/shrink_module.h"
#include "shrink/shrink_recording.h"

namespace refract {
inline namespace reduce {
namespace {

std::shared_ptr<const DependencyLists> DependencyListsOf(const message::Recording& recording) {
  DependencyLists needs(recording.steps.size());
  std::map<uint32_t, uint32_t> places;
  for (uint32_t i = 0; i < recording.steps.size(); ++i) {
    places[recording.steps[i].number] = i;
    for (const uint32_t number : recording.steps[i].needs) {
      const auto found = places.find(number);
      if (found != places.end()) needs[i].push_back(found->second);
    }
  }
  return std::make_shared<const DependencyLists>(std::move(needs));
}

// Removes ids and declarations that no step of the recording needs, if the recording still replays
// to `words`, the module of `context`. Sets the hashes of the result.
void RemoveUnneeded(message::Recording* recording, const Original& original,
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

class Reducer {
 public:
  Reducer(const Original& original, const message::Recording& recording,
          const ReduceOptions& options, InterestingnessTest& test, SubsetReplay replay,
          AnswerJournal answers, double begin)
      : original_(original),
        recording_(&recording),
        options_(options),
        begin_(begin),
        scheduler_(original, options, test, std::move(replay), std::move(answers)) {}

  Result<Reduction> Run() {
    if (options_.ask_original) scheduler_.StartOriginal();
    const Query variant = scheduler_.StartVariant();
    const Algorithm algorithm = options_.plain ? Algorithm::kHalving : options_.algorithm;
    const std::unique_ptr<Strategy> strategy =
        MakeStrategy(algorithm, variant.applied, DependencyListsOf(*recording_));
    SaveHeader();
    if (!Begin(variant, *strategy)) return Ended();
    RunStrategy(strategy.get());
    SetResult(strategy->best());
    result_.minimal = strategy->Next() == nullptr;
    if (!options_.plain) Shrink();
    if (options_.smallest && options_.smallest()) MakeSmallest();
    return Ended();
  }

 private:
  void Report(const char* phase, size_t size) const {
    if (!options_.progress) return;
    options_.progress({phase, size, scheduler_.tries(), MonotonicSeconds() - begin_});
  }

  // Waits for the answer for the variant. Returns true if there is something to reduce.
  bool Begin(const Query& variant, const Strategy& next) {
    const std::optional<bool> interesting = scheduler_.FinishVariant(variant, next);
    if (!interesting) return false;
    if (!*interesting) {
      result_.end = Reduction::End::kNotInteresting;
      return false;
    }
    Report("steps", variant.applied.size());
    if (options_.ask_original) {
      result_.original_interesting = scheduler_.FinishOriginal().value_or(false);
    }
    return true;
  }

  // Asks until the strategy has its result or the reduction is over.
  void RunStrategy(Strategy* strategy) {
    while (!scheduler_.IsOver() && strategy->Next() != nullptr) {
      if (!scheduler_.AnswerNext(strategy)) return;
      Report("steps", strategy->best().size());
    }
  }

  // Keeps the recording without its steps. SetResult adds the steps of the result.
  void SaveHeader() {
    header_ = *recording_;
    header_.steps.clear();
  }

  // Makes these steps the result.
  void SetResult(const Subset& steps) {
    result_.recording = header_;
    for (const uint32_t step : steps) result_.recording.steps.push_back(recording_->steps[step]);
    SubsetReplay::Replayed replayed = scheduler_.Replay(steps);
    result_.words = steps.empty() ? original_.words : WriteModule(replayed.context.module);
    result_.inputs = replayed.context.inputs;
    result_.context = std::make_shared<const Context>(std::move(replayed.context));
  }

  // Makes the steps smaller and then numbers the ids without gaps. If a step changes, other steps
  // that were necessary may have become unnecessary.
  void Shrink() {
    if (scheduler_.IsOver() || result_.recording.steps.empty()) return;
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
    const auto ask = [&](const ReplayedRecording& replayed, const IdleWork& idle_work) {
      Candidate candidate{replayed.words, replayed.context().inputs, replayed.contexts.back()};
      return scheduler_.Ask(std::move(candidate), idle_work).value_or(false);
    };
    ShrinkOptions shrink;
    shrink.progress = [&](const ShrinkProgress&) {
      Report("shrinking", result_.recording.steps.size());
      return !scheduler_.IsOver();
    };
    Result<ShrunkRecording> shrunk = function(original_, result_.recording, ask, shrink);
    if (!shrunk) {
      scheduler_.Fail(shrunk.error());
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
    scheduler_.SetReplay(std::move(*replay));
    recording_ = &shrunk_;
    SaveHeader();
    Subset all(shrunk_.steps.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::unique_ptr<Strategy> sweep = MakeSweep(all);
    RunStrategy(sweep.get());
    result_.minimal = sweep->Next() == nullptr;
    if (sweep->best().size() == all.size()) return false;
    SetResult(sweep->best());
    return true;
  }

  // Runs the shrink passes on the whole module. The inputs stay.
  void MakeSmallest() {
    if (scheduler_.IsOver()) return;
    const size_t tries = scheduler_.tries();
    ShrinkOptions shrink;
    shrink.budget = options_.smallest_tries;
    shrink.progress = [&](const ShrinkProgress& progress) {
      Report("smallest", progress.instructions);
      return !scheduler_.IsOver();
    };
    Result<ShrunkModule> shrunk =
        ShrinkByTries({result_.words, original_.file, original_.environment, original_.validation},
                      result_.inputs, &scheduler_, shrink);
    result_.smallest_tries = scheduler_.tries() - tries;
    if (!shrunk) {
      scheduler_.Fail(shrunk.error());
      return;
    }
    result_.smallest = std::move(shrunk->words);
  }

  Result<Reduction> Ended() {
    if (scheduler_.error() && !scheduler_.stopped()) return *scheduler_.error();
    result_.tries = scheduler_.tries() - result_.smallest_tries;
    if (scheduler_.stopped()) result_.end = Reduction::End::kStopped;
    if (result_.context != nullptr) {
      RemoveUnneeded(&result_.recording, original_, result_.words, *result_.context);
      result_.steps = result_.recording.steps.size();
      result_.instructions = DiffWords(original_.words, result_.words).count();
    }
    scheduler_.try_runner().End();
    result_.judged = scheduler_.try_runner().judged();
    result_.testing_seconds = scheduler_.try_runner().busy_seconds();
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
  QueryScheduler scheduler_;
};

}  // namespace

Result<Reduction> Reduce(const Original& original, const message::Recording& recording,
                         const ReduceOptions& options, InterestingnessTest& test) {
  const double begin = MonotonicSeconds();
  Result<SubsetReplay> replay = SubsetReplay::Make(original, recording);
  if (!replay) return replay.error();
  AnswerJournal answers;
  if (!options.journal.empty()) {
    const std::string key =
        format("{} {}{} {} {}", original.module_hash, original.inputs_hash, original.companion_hash,
               recording.result_hash, options.journal_key);
    Result<AnswerJournal> opened = AnswerJournal::Open(options.journal, key, options.resume);
    if (!opened) return opened.error();
    answers = std::move(*opened);
  }
  return Reducer(original, recording, options, test, std::move(*replay), std::move(answers), begin)
      .Run();
}

}  // namespace reduce
}  // namespace refract
