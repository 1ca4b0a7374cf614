// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce_module.h"

#include <algorithm>
#include <span>
#include <utility>

#include "base/clock.h"
#include "base/text.h"
#include "ir/binary.h"
#include "reduce/answer_journal.h"
#include "reduce/shrink_inputs.h"

namespace refract {
inline namespace reduce {
namespace {

// The number of candidates that one job prepares in advance.
constexpr size_t kMinPrepared = 4;

Candidate MakeCandidate(std::span<const uint32_t> words,
                        const std::shared_ptr<const Inputs>& inputs,
                        std::shared_ptr<const Module> module) {
  Candidate candidate;
  candidate.words.assign(words.begin(), words.end());
  candidate.inputs = inputs;
  candidate.module = std::move(module);
  return candidate;
}

Candidate MakeCandidate(const SearchCandidate& found, const std::shared_ptr<const Inputs>& inputs) {
  return MakeCandidate(found.words, inputs, std::make_shared<const Module>(found.module));
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
        scheduler->StartEarly(MakeCandidate(*search->Candidate(ahead++), inputs));
        return true;
      }
      const size_t wanted = std::max(kMinPrepared, 2 * scheduler->jobs());
      return search->prepared() < wanted && search->Prepare();
    };
    const Candidate candidate = search != nullptr ? MakeCandidate(*search->Candidate(), inputs)
                                                  : MakeCandidate(words, inputs, nullptr);
    return scheduler->Ask(candidate, idle_work).value_or(false);
  };
  return ShrinkModule(source, ask, options);
}

namespace {

// The reduction of a module whose first try was interesting.
class ModuleReducer {
 public:
  ModuleReducer(const Original& source, const ReduceOptions& options, InterestingnessTest& test,
                TryScheduler& scheduler, double begin)
      : source_(source), options_(options), test_(test), scheduler_(scheduler), begin_(begin) {
    result_.words = source.words;
    result_.inputs = source.context.inputs;
    result_.instructions = CountInstructions(source.words);
    result_.left = options.left;
  }

  // With smaller inputs, the module can become smaller, and with less code, the inputs can.
  Result<ModuleReduction> Run() {
    const bool wrong_output = options_.wrong_output && options_.wrong_output();
    Report(result_.instructions);
    uint64_t invocations = 0;
    const bool begins = options_.left.empty();
    const size_t instructions = result_.instructions;
    if (wrong_output && begins) MakeInputsSmaller();
    do {
      invocations = Invocations();
      if (Status shrunk = MakeModuleSmaller(false); !shrunk) return shrunk.error();
      if (!begins && result_.instructions == instructions) return std::move(result_);
      if (!wrong_output || !result_.minimal || !MakeInputsSmaller()) return std::move(result_);
    } while (Invocations() < invocations);
    // With fewer or plainer numbers, rarely more than declarations can be removed.
    if (Status shrunk = MakeModuleSmaller(true); !shrunk) return shrunk.error();
    return std::move(result_);
  }

 private:
  void Report(size_t instructions) const {
    if (!options_.progress) return;
    options_.progress({"module", instructions, scheduler_.tries(), MonotonicSeconds() - begin_});
  }

  // The budget for tries is that of the whole reduction; the first try is not part of it.
  bool IsBudgetEnded() const { return scheduler_.tries() > options_.smallest_tries; }

  uint64_t Invocations() const {
    return result_.inputs == nullptr ? 0 : InvocationsOf(*result_.inputs);
  }

  // Returns true if the inputs became smaller.
  bool MakeInputsSmaller() {
    const Result<Module> read = result_.module != nullptr ? Result<Module>(*result_.module)
                                                          : ReadModule(result_.words, source_.file);
    if (!read) return false;
    const Module* const module = &*read;
    const auto ask = [&](const std::shared_ptr<const Inputs>& inputs) -> std::optional<bool> {
      if (IsBudgetEnded()) return std::nullopt;
      Candidate candidate = MakeCandidate(result_.words, inputs, result_.module);
      if (!test_.MayBeInteresting(candidate, *module)) return false;
      const std::optional<bool> answer = scheduler_.Ask(std::move(candidate), [] { return false; });
      Report(result_.instructions);
      return answer;
    };
    // Without inputs, there is still the default frame.
    const std::shared_ptr<const Inputs> before =
        result_.inputs != nullptr ? result_.inputs : std::make_shared<const Inputs>();
    std::shared_ptr<const Inputs> smaller = ShrinkInputs(before, ask);
    if (smaller == before) return false;
    result_.inputs = std::move(smaller);
    return !scheduler_.IsOver();
  }

  // Removes no code, with `declarations`.
  Status MakeModuleSmaller(bool declarations) {
    ShrinkOptions shrink;
    shrink.declarations = declarations;
    shrink.left = result_.left;
    shrink.wrong_output = options_.wrong_output && options_.wrong_output();
    shrink.keep_ids = options_.keep_ids;
    shrink.may_be_tested = [&](std::span<const uint32_t> words, const Module& module) {
      const auto named = std::make_shared<const Module>(module);
      return test_.MayBeInteresting(MakeCandidate(words, result_.inputs, named), module);
    };
    const size_t used = scheduler_.tries() - 1;
    shrink.budget = options_.smallest_tries - std::min(options_.smallest_tries, used);
    shrink.progress = [&](const ShrinkProgress& progress) {
      Report(progress.instructions);
      return !scheduler_.IsOver();
    };
    Result<ShrunkModule> shrunk = ShrinkByTries(
        {result_.words, source_.file, source_.environment, source_.validation, result_.module},
        result_.inputs, &scheduler_, shrink);
    if (!shrunk) return shrunk.error();
    result_.words = std::move(shrunk->words);
    result_.module = std::move(shrunk->module);
    result_.left = std::move(shrunk->left);
    result_.instructions = CountInstructions(result_.words);
    result_.minimal = shrunk->report.is_finished;
    return {};
  }

  const Original& source_;
  const ReduceOptions& options_;
  InterestingnessTest& test_;
  TryScheduler& scheduler_;
  const double begin_;
  ModuleReduction result_;
};

}  // namespace

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
  const std::optional<bool> first =
      scheduler.AskFirst(MakeCandidate(source.words, source.context.inputs, nullptr));
  if (first && !*first) result.end = Reduction::End::kNotInteresting;
  if (first && *first) {
    Result<ModuleReduction> reduced = ModuleReducer(source, options, test, scheduler, begin).Run();
    if (!reduced) return reduced.error();
    result = std::move(*reduced);
  }
  if (scheduler.error() && !scheduler.stopped()) return *scheduler.error();
  if (scheduler.stopped()) result.end = Reduction::End::kStopped;
  result.instructions_before = CountInstructions(source.words);
  result.tries = scheduler.tries();
  scheduler.try_runner().End();
  result.judged = scheduler.try_runner().judged();
  result.seconds = MonotonicSeconds() - begin;
  return result;
}

}  // namespace reduce
}  // namespace refract
