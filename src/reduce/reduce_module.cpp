// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce_module.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "reduce/answer_journal.h"

namespace refract {
inline namespace reduce {
namespace {

// The number of candidates that one job prepares in advance.
constexpr size_t kMinPrepared = 4;

Candidate MakeCandidate(std::span<const uint32_t> words,
                        const std::shared_ptr<const Inputs>& inputs) {
  Candidate candidate;
  candidate.words.assign(words.begin(), words.end());
  candidate.inputs = inputs;
  return candidate;
}

}  // namespace

Result<ShrunkModule> ShrinkByTries(const ModuleSource& source,
                                   const std::shared_ptr<const Inputs>& inputs,
                                   TryScheduler* scheduler, const ShrinkOptions& options) {
  const InterestingInSearch ask = [&](std::span<const uint32_t> words, ModuleSearch* search) {
    size_t ahead = 1;
    const auto idle_work = [&] {
      if (search == nullptr) return false;
      if (ahead < search->prepared() && scheduler->HasFreeJob()) {
        scheduler->StartEarly(MakeCandidate(search->Candidate(ahead++)->words, inputs));
        return true;
      }
      const size_t wanted = std::max(kMinPrepared, 2 * scheduler->jobs());
      return search->prepared() < wanted && search->Prepare();
    };
    return scheduler->Ask(MakeCandidate(words, inputs), idle_work).value_or(false);
  };
  return ShrinkModule(source, ask, options);
}

Result<ModuleReduction> ReduceModule(const Original& source, const ReduceOptions& options,
                                     InterestingnessTest& test) {
  const double begin = MonotonicSeconds();
  AnswerJournal answers;
  if (!options.journal.empty()) {
    const std::string key = format("{} {}{} {}", source.module_hash, source.inputs_hash,
                                   source.companion_hash, options.journal_key);
    Result<AnswerJournal> opened = AnswerJournal::Open(options.journal, key, options.resume);
    if (!opened) return opened.error();
    answers = std::move(*opened);
  }
  TryScheduler scheduler(options, test, std::move(answers));
  ModuleReduction result;
  result.instructions_before = CountInstructions(source.words);
  const auto report = [&](size_t instructions) {
    if (!options.progress) return;
    options.progress({"module", instructions, scheduler.tries(), MonotonicSeconds() - begin});
  };
  const std::optional<bool> first =
      scheduler.AskFirst(MakeCandidate(source.words, source.context.inputs));
  if (first && !*first) result.end = Reduction::End::kNotInteresting;
  if (first && *first) {
    report(result.instructions_before);
    ShrinkOptions shrink;
    shrink.budget = options.smallest_tries;
    shrink.progress = [&](const ShrinkProgress& progress) {
      report(progress.instructions);
      return !scheduler.IsOver();
    };
    Result<ShrunkModule> shrunk =
        ShrinkByTries({source.words, source.file, source.environment, source.validation},
                      source.context.inputs, &scheduler, shrink);
    if (!shrunk) return shrunk.error();
    result.words = std::move(shrunk->words);
    result.instructions = CountInstructions(result.words);
    result.minimal = shrunk->report.is_finished;
  }
  if (scheduler.error() && !scheduler.stopped()) return *scheduler.error();
  if (scheduler.stopped()) result.end = Reduction::End::kStopped;
  result.tries = scheduler.tries();
  scheduler.try_runner().End();
  result.judged = scheduler.try_runner().judged();
  result.seconds = MonotonicSeconds() - begin;
  return result;
}

}  // namespace reduce
}  // namespace refract
