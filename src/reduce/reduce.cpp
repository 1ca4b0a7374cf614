// SPDX-License-Identifier: Apache-2.0
#include "reduce/reduce.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "base/check.h"
#include "base/clock.h"
#include "base/text.h"
#include "engine/replay.h"
#include "ir/binary.h"
#include "ir/tools.h"
#include "reduce/answers.h"
#include "reduce/strategy.h"
#include "reduce/subset_replay.h"
#include "reduce/tidy.h"
#include "reduce/tries.h"
#include "shrink/shrink_module.h"
#include "shrink/shrink_recording.h"

namespace refract {
namespace {

// Seconds between two looks at ReduceOptions::stop.
constexpr double kLook = 0.05;
// Candidates made ready beyond those under way, while there is nothing else to do: after a yes, and
// after a no.
constexpr uint32_t kAhead = 2;

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

// A subset that has been replayed.
struct Question {
  Subset applied;
  TryPointer module;
  uint64_t round = 0;  // when it was last asked for
};

// What might be asked once answers are there that are not yet.
struct Future {
  std::unique_ptr<Strategy> strategy;
  double odds = 1;
};

class Reducing {
 public:
  Reducing(const Original& original, const message::Recording& recording,
           const ReduceOptions& options, Judge& judge, SubsetReplay replay, Answers answers,
           double begin)
      : original_(original),
        recording_(&recording),
        options_(options),
        replay_(std::move(replay)),
        answers_(std::move(answers)),
        begin_(begin),
        tries_(judge, std::max<uint32_t>(options.jobs, 1)) {
    original_hash_ = HashOf(original.words, original.context.inputs.get());
  }

  Result<Reduction> Run() {
    const std::optional<Subset> all = AskVariant();
    if (!all) return Ended();
    if (options_.ask_original) AskOriginal();
    const Algorithm algorithm = options_.plain ? Algorithm::kHalving : options_.algorithm;
    const std::unique_ptr<Strategy> strategy = MakeStrategy(algorithm, *all, NeedsOf(*recording_));
    Follow(strategy.get());
    Take(strategy->best());
    result_.minimal = strategy->Next() == nullptr;
    if (!options_.plain) Shrink();
    if (options_.smallest && options_.smallest()) MakeSmallest();
    return Ended();
  }

 private:
  std::string HashOf(const std::vector<uint32_t>& words, const Inputs* inputs) const {
    const bool same = inputs == original_.context.inputs.get();
    return HashOfWords(words) + (same ? original_.inputs_hash : HashOfInputs(inputs));
  }

  bool Over() {
    if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
    return stopped_ || error_;
  }

  TryPointer MakeTry(Candidate candidate) {
    std::string hash = HashOf(candidate.words, candidate.inputs.get());
    if (!options_.plain) {
      // The same module made by other steps may be under way.
      const auto found = modules_.find(hash);
      if (found != modules_.end()) {
        if (TryPointer same = found->second.lock()) return same;
      }
    }
    auto module = std::make_shared<Try>();
    module->candidate = std::move(candidate);
    module->hash = std::move(hash);
    if (options_.plain) {
      if (const auto answer = answers_.TakeResumed(module->hash)) {
        module->answer = *answer;
        module->state = Try::State::kDone;
      }
    } else {
      modules_[module->hash] = module;
    }
    return module;
  }

  Question MakeQuestion(const Subset& wanted) {
    SubsetReplay::Replayed replayed = replay_.Replay(wanted);
    Candidate candidate;
    candidate.words =
        replayed.applied.empty() ? original_.words : WriteModule(replayed.context.module);
    candidate.inputs = replayed.context.inputs;
    candidate.context = std::make_shared<const Context>(std::move(replayed.context));
    return {std::move(replayed.applied), MakeTry(std::move(candidate)), 0};
  }

  const Question& Prepare(const Subset& wanted) {
    auto found = questions_.find(wanted);
    if (found == questions_.end()) found = questions_.emplace(wanted, MakeQuestion(wanted)).first;
    found->second.round = round_;
    return found->second;
  }

  // Forgets what was made ready for answers that were others.
  void NextRound() {
    ++round_;
    std::erase_if(questions_, [&](const auto& one) {
      return one.second.round + 2 < round_ && one.second.module->state != Try::State::kUnderWay;
    });
    if (modules_.size() > 1000) {
      std::erase_if(modules_, [](const auto& one) { return one.second.expired(); });
    }
  }

  std::optional<bool> Known(const Try& module) {
    if (module.state == Try::State::kDone) {
      if (*module.answer) return **module.answer;
      if (!error_) error_ = module.answer->error();
      return std::nullopt;
    }
    if (options_.plain) return std::nullopt;
    if (module.hash == original_hash_) return false;
    return answers_.Find(module.hash);
  }

  // Waits a little for answers.
  void Collect() {
    for (const TryPointer& module : tries_.Finished(kLook)) {
      if (!*module->answer) continue;  // of interest only if it is asked for
      Status kept = answers_.Add(module->hash, **module->answer);
      if (!kept && !error_) error_ = kept.error();
    }
  }

  // The answer, from wherever; none if it is over. `strategy` (may be null) is who asks.
  std::optional<bool> Resolve(const TryPointer& module, const Strategy* strategy) {
    while (!Over()) {
      if (const auto known = Known(*module)) {
        Count(*module);
        return known;
      }
      if (error_) break;
      if (module->state == Try::State::kReady && tries_.HasRoom()) tries_.Start(module);
      if (strategy != nullptr) LookAhead(*strategy);
      Collect();
    }
    return std::nullopt;
  }

  // Starts what is likely to be asked next while there is room, and makes a little more ready.
  void LookAhead(const Strategy& now) {
    std::vector<Future> futures;
    futures.push_back({now.Clone(), 1});
    uint32_t ready = 0;
    for (uint32_t looked = 0; looked < 4 * options_.jobs + 2 * kAhead; ++looked) {
      const auto likely =
          std::max_element(futures.begin(), futures.end(),
                           [](const Future& a, const Future& b) { return a.odds < b.odds; });
      if (likely == futures.end()) return;
      Future future = std::move(*likely);
      futures.erase(likely);
      const Subset* next = future.strategy->Next();
      if (next == nullptr) continue;
      const Question& question = Prepare(*next);
      Try& module = *question.module;
      if (module.state == Try::State::kDone && !*module.answer) continue;
      if (const auto known = Known(module)) {
        future.strategy->Answer(*known, question.applied);
        futures.push_back(std::move(future));
        continue;
      }
      if (module.state == Try::State::kReady) {
        if (tries_.HasRoom()) {
          tries_.Start(question.module);
        } else if (++ready == kAhead) {
          return;
        }
      }
      Future yes{future.strategy->Clone(), future.odds * future.strategy->Odds() / 100};
      yes.strategy->Answer(true, question.applied);
      future.odds -= yes.odds;
      future.strategy->Answer(false, question.applied);
      futures.push_back(std::move(yes));
      futures.push_back(std::move(future));
    }
  }

  void Count(const Try& module) {
    const bool is_free = !options_.plain && module.hash == original_hash_;
    if (!is_free && (options_.plain || used_.insert(module.hash).second)) ++result_.tries;
  }

  void Report(const char* phase, size_t size) const {
    if (!options_.progress) return;
    options_.progress({phase, size, result_.tries, MonotonicSeconds() - begin_});
  }

  // The whole recording's variant: what applied, if it is interesting. Judged also if that is known
  // already: who resumes may have changed something, and judges take the first for a measure.
  std::optional<Subset> AskVariant() {
    Subset all(recording_->steps.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    const Question variant = MakeQuestion(all);
    const TryPointer& module = variant.module;
    module->state = Try::State::kReady;
    tries_.Start(module);
    while (!Over() && module->state != Try::State::kDone) Collect();
    if (Over()) return std::nullopt;
    const auto interesting = Known(*module);
    if (!interesting) return std::nullopt;
    Count(*module);
    if (!*interesting) {
      result_.end = Reduction::End::kNotInteresting;
      return std::nullopt;
    }
    Take(variant.applied);
    Report("steps", variant.applied.size());
    return variant.applied;
  }

  void AskOriginal() {
    auto module = std::make_shared<Try>();
    module->candidate = {original_.words, original_.context.inputs,
                         std::make_shared<const Context>(original_.context)};
    module->hash = original_hash_;
    std::optional<bool> known =
        options_.plain ? answers_.TakeResumed(original_hash_) : answers_.Find(original_hash_);
    if (!known) {
      tries_.Start(module);
      while (!Over() && module->state != Try::State::kDone) Collect();
      if (module->state != Try::State::kDone) return;
      if (!*module->answer) {
        error_ = module->answer->error();
        return;
      }
      known = **module->answer;
    }
    ++result_.tries;
    result_.original_interesting = *known;
  }

  // Asks until the strategy has its result, or it is over.
  void Follow(Strategy* strategy) {
    while (strategy->Next() != nullptr) {
      NextRound();
      const Question question = Prepare(*strategy->Next());
      const auto interesting = Resolve(question.module, strategy);
      if (!interesting) return;
      if (options_.plain) questions_.erase(*strategy->Next());  // it may be asked again
      strategy->Answer(*interesting, question.applied);
      if (*interesting) replay_.Follow(question.applied);
      Report("steps", strategy->best().size());
    }
  }

  // Makes it the result.
  void Take(const Subset& steps) {
    result_.recording = *recording_;
    result_.recording.steps.clear();
    for (const uint32_t step : steps) result_.recording.steps.push_back(recording_->steps[step]);
    SubsetReplay::Replayed replayed = replay_.Replay(steps);
    CHECK(replayed.applied == steps);
    result_.words = steps.empty() ? original_.words : WriteModule(replayed.context.module);
    result_.inputs = replayed.context.inputs;
    result_.context = std::make_shared<const Context>(std::move(replayed.context));
  }

  // Smaller steps, then ids without gaps. Once a step is another one, what had to stay may be able
  // to go.
  void Shrink() {
    if (Over() || result_.recording.steps.empty()) return;
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
  // How many changes were accepted.
  size_t ShrinkBy(ShrinkFunction function) {
    const auto ask = [&](const message::Recording&, const ReplayResult& replayed) {
      Candidate candidate{replayed.words, replayed.context.inputs,
                          std::make_shared<const Context>(replayed.context)};
      return Resolve(MakeTry(std::move(candidate)), nullptr).value_or(false);
    };
    ShrinkOptions shrink;
    shrink.progress = [&](const ShrinkProgress&) {
      Report("shrinking", result_.recording.steps.size());
      return !Over();
    };
    Result<ShrunkRecording> shrunk = function(original_, result_.recording, ask, shrink);
    if (!shrunk) {
      if (!error_) error_ = shrunk.error();
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

  // Whether it is 1-minimal, steps having changed; what can go now goes. True if something went.
  bool SweepAgain() {
    result_.minimal = false;
    shrunk_ = result_.recording;
    Result<SubsetReplay> replay = SubsetReplay::Make(original_, shrunk_);
    CHECK(replay);
    replay_ = std::move(*replay);
    recording_ = &shrunk_;
    questions_.clear();
    Subset all(shrunk_.steps.size());
    for (uint32_t i = 0; i < all.size(); ++i) all[i] = i;
    const std::unique_ptr<Strategy> sweep = MakeSweep(all);
    Follow(sweep.get());
    result_.minimal = sweep->Next() == nullptr;
    if (sweep->best().size() == all.size()) return false;
    Take(sweep->best());
    return true;
  }

  // The structural passes on the whole module; inputs stay.
  void MakeSmallest() {
    if (Over()) return;
    const size_t tries = result_.tries;
    const auto ask = [&](std::span<const uint32_t> words) {
      Candidate candidate;
      candidate.words.assign(words.begin(), words.end());
      candidate.inputs = result_.inputs;
      return Resolve(MakeTry(std::move(candidate)), nullptr).value_or(false);
    };
    ShrinkOptions shrink;
    shrink.progress = [&](const ShrinkProgress& progress) {
      Report("smallest", progress.instructions);
      return !Over();
    };
    Result<ShrunkModule> shrunk = ShrinkModule(
        {result_.words, original_.file, original_.environment, original_.validation}, ask, shrink);
    result_.smallest_tries = result_.tries - tries;
    result_.tries = tries;
    if (!shrunk) {
      if (!error_) error_ = shrunk.error();
      return;
    }
    result_.smallest = std::move(shrunk->words);
  }

  Result<Reduction> Ended() {
    if (error_ && !stopped_) return *error_;
    result_.judged = tries_.started();
    result_.judging_seconds = tries_.busy_seconds();
    if (stopped_) result_.end = Reduction::End::kStopped;
    if (result_.context != nullptr) {
      Tidy(&result_.recording, original_, result_.words, *result_.context);
      result_.steps = result_.recording.steps.size();
      const Result<InstructionDiff> diff = DisassemblyDiff(original_.words, result_.words, 0);
      if (!diff) return diff.error();
      result_.instructions = diff->count();
    }
    result_.seconds = MonotonicSeconds() - begin_;
    return std::move(result_);
  }

  const Original& original_;
  const message::Recording* recording_;
  message::Recording shrunk_;  // what recording_ is, once steps are others
  const ReduceOptions& options_;
  SubsetReplay replay_;
  Answers answers_;
  std::string original_hash_;
  const double begin_;
  Reduction result_;
  std::set<std::string> used_;  // hashes that were asked about, in the order of one job
  std::map<Subset, Question> questions_;
  std::map<std::string, std::weak_ptr<Try>> modules_;  // by hash
  uint64_t round_ = 0;
  bool stopped_ = false;
  std::optional<Error> error_;
  Tries tries_;  // the last: ends first
};

}  // namespace

Result<Reduction> Reduce(const Original& original, const message::Recording& recording,
                         const ReduceOptions& options, Judge& judge) {
  const double begin = MonotonicSeconds();
  Result<SubsetReplay> replay = SubsetReplay::Make(original, recording);
  if (!replay) return replay.error();
  Answers answers;
  if (!options.journal.empty()) {
    const std::string key = format("{} {} {} {}", original.module_hash, original.inputs_hash,
                                   recording.result_hash, options.journal_key);
    Result<Answers> opened = Answers::Open(options.journal, key, options.resume);
    if (!opened) return opened.error();
    answers = std::move(*opened);
  }
  return Reducing(original, recording, options, judge, std::move(*replay), std::move(answers),
                  begin)
      .Run();
}

}  // namespace refract
