// SPDX-License-Identifier: Apache-2.0
#include "reduce/asker.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "ir/binary.h"

namespace refract {
inline namespace reduce {
namespace {

// Seconds between two checks of ReduceOptions::stop.
constexpr double kLook = 0.05;
// The number of candidates that are prepared in advance while all jobs are busy.
constexpr uint32_t kAhead = 8;
// Steps that are replayed for them between two checks for an answer: a tenth of a millisecond.
constexpr size_t kSlice = 16;

// A state of the strategy that is possible after answers that are not known yet.
struct Future {
  std::unique_ptr<Strategy> strategy;
  double odds = 1;
  // The answer to the running query after which this state comes directly; such a state is urgent.
  std::optional<bool> behind_first;

  bool operator<(const Future& other) const {
    const bool late = !behind_first, is_other_late = !other.behind_first;
    return late == is_other_late ? odds < other.odds : late;
  }
};

}  // namespace

Asker::Asker(const Original& original, const ReduceOptions& options, Judge& judge,
             SubsetReplay replay, Answers answers)
    : original_(original),
      options_(options),
      replay_(std::move(replay)),
      answers_(std::move(answers)),
      tries_(judge, std::max<uint32_t>(options.jobs, 1),
             [this](const std::string& hash, bool interesting) {
               return answers_.Record(hash, interesting);
             }) {
  original_hash_ = HashOf(original.words, original.context.inputs.get());
}

void Asker::StartOriginal() {
  original_try_ = std::make_shared<Try>();
  original_try_->candidate = {original_.words, original_.context.inputs,
                              std::make_shared<const Context>(original_.context), true};
  original_try_->hash = original_hash_;
  const std::optional<bool> known =
      options_.plain ? answers_.TakeResumed(original_hash_) : answers_.Find(original_hash_);
  if (known) {
    original_try_->answer = *known;
    original_try_->state = Try::State::kDone;
  } else {
    tries_.Start(original_try_);
  }
}

Question Asker::StartVariant() {
  Question variant = MakeQuestion(replay_.ReplayAll());
  while (!Over() && !tries_.HasRoom()) Collect(kLook);
  if (Over()) return variant;
  variant.module->state = Try::State::kReady;
  tries_.Start(variant.module);
  return variant;
}

std::optional<bool> Asker::FinishVariant(const Question& variant, const Strategy& next) {
  const Try& module = *variant.module;
  if (next.Next() != nullptr) Prepare(*next.Next());
  while (!Over() && module.state != Try::State::kDone) Collect(kLook);
  if (Over()) return std::nullopt;
  const std::optional<bool> interesting = Known(module);
  if (interesting) Count(module);
  return interesting;
}

std::optional<bool> Asker::FinishOriginal() {
  while (!Over() && original_try_->state != Try::State::kDone) Collect(kLook);
  if (original_try_->state != Try::State::kDone) return std::nullopt;
  const std::optional<bool> interesting = Known(*original_try_);
  if (interesting) ++tries_needed_;
  return interesting;
}

bool Asker::AskFor(Strategy* strategy) {
  const Question question = Prepare(*strategy->Next());
  bool is_next = false;
  const std::optional<bool> interesting = Resolve(question.module, [&] {
    if (is_next) return LookAhead(*strategy);
    NextRound();
    is_next = true;
    return true;
  });
  if (!interesting) return false;
  if (options_.plain) questions_.erase(*strategy->Next());  // --plain may ask the same again
  strategy->Answer(*interesting, question.applied);
  if (*interesting) replay_.Follow(question.applied);
  return true;
}

std::optional<bool> Asker::Ask(Candidate candidate, const Meanwhile& meanwhile) {
  return Resolve(MakeTry(std::move(candidate)), meanwhile);
}

SubsetReplay::Replayed Asker::Replay(const Subset& steps) {
  SubsetReplay::Replayed replayed = replay_.Replay(steps);
  CHECK(replayed.applied == steps);
  return replayed;
}

void Asker::SetReplay(SubsetReplay replay) {
  replay_ = std::move(replay);
  questions_.clear();
  next_ahead_ = nullptr;
}

bool Asker::Over() {
  if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
  return stopped_ || error_;
}

void Asker::Fail(Error error) {
  if (!error_) error_ = std::move(error);
}

std::string Asker::HashOf(const std::vector<uint32_t>& words, const Inputs* inputs) const {
  return HashOfWords(words) + HashOfInputs(inputs, original_);
}

TryPointer Asker::MakeTry(Candidate candidate) {
  std::string hash = HashOf(candidate.words, candidate.inputs.get());
  if (!options_.plain) {
    // The same module, made by other steps, may be running.
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

Question Asker::MakeQuestion(SubsetReplay::Replayed replayed) {
  Candidate candidate;
  candidate.words =
      replayed.applied.empty() ? original_.words : WriteModule(replayed.context.module);
  candidate.inputs = replayed.context.inputs;
  candidate.context = std::make_shared<const Context>(std::move(replayed.context));
  return {std::move(replayed.applied), MakeTry(std::move(candidate)), 0, std::nullopt};
}

Question& Asker::Begin(const Subset& wanted) {
  auto found = questions_.find(wanted);
  if (found == questions_.end()) {
    found = questions_.emplace(wanted, Question{{}, nullptr, 0, replay_.Begin(wanted)}).first;
  }
  found->second.round = round_;
  return found->second;
}

// Continues the replay for a question by a few steps. Returns true if the module is ready.
bool Asker::Continue(Question* question) {
  if (question->module != nullptr) return true;
  if (!replay_.Continue(&*question->replay, kSlice)) return false;
  SubsetReplay::Replayed replayed = std::move(question->replay->replayed);
  question->replay.reset();
  const uint64_t round = question->round;
  *question = MakeQuestion(std::move(replayed));
  question->round = round;
  return true;
}

const Question& Asker::Prepare(const Subset& wanted) {
  Question& question = Begin(wanted);
  while (!Continue(&question)) continue;
  if (next_ahead_ == &question) next_ahead_ = nullptr;
  return question;
}

// Forgets modules that were prepared for answers that did not come.
void Asker::NextRound() {
  ++round_;
  next_ahead_ = nullptr;
  std::erase_if(questions_, [&](const auto& one) {
    const TryPointer& module = one.second.module;
    const bool under_way = module != nullptr && module->state == Try::State::kUnderWay;
    return one.second.round + 2 < round_ && !under_way;
  });
  if (modules_.size() > 1000) {
    std::erase_if(modules_, [](const auto& one) { return one.second.expired(); });
  }
}

std::optional<bool> Asker::Known(const Try& module) {
  if (module.state == Try::State::kDone) {
    if (*module.answer) return **module.answer;
    if (!error_) error_ = module.answer->error();
    return std::nullopt;
  }
  if (options_.plain) return std::nullopt;
  if (module.hash == original_hash_) return false;
  return answers_.Find(module.hash);
}

// Collects the answers that have come; waits for one for at most this time.
void Asker::Collect(double seconds) {
  for (const TryPointer& module : tries_.Finished(seconds)) {
    if (!*module->answer) continue;  // an error matters only if the strategy asks for this module
    answers_.Know(module->hash, **module->answer);
    if (!module->recorded && !error_) error_ = module->recorded.error();
  }
}

std::optional<bool> Asker::Resolve(const TryPointer& module, const Meanwhile& meanwhile) {
  while (!Over()) {
    if (const auto known = Known(*module)) {
      Count(*module);
      return known;
    }
    if (error_) break;
    if (module->state == Try::State::kReady && tries_.HasRoom()) tries_.Start(module);
    Collect(meanwhile() ? 0 : kLook);
  }
  return std::nullopt;
}

// Starts the likely next queries while there are free jobs, and prepares candidates in small steps.
// Does one thing at each call. Returns false if enough is prepared.
bool Asker::LookAhead(const Strategy& now) {
  if (next_ahead_ != nullptr) {
    if (Continue(next_ahead_)) next_ahead_ = nullptr;
    return true;
  }
  std::vector<Future> futures;
  futures.push_back({now.Clone(), 1, {}});
  TryPointer first;
  uint32_t ready = 0;
  for (uint32_t looked = 0; looked < 4 * options_.jobs + 2 * kAhead; ++looked) {
    const auto likely = std::max_element(futures.begin(), futures.end());
    if (likely == futures.end()) return false;
    Future future = std::move(*likely);
    futures.erase(likely);
    const Subset* next = future.strategy->Next();
    if (next == nullptr) continue;
    Question& question = Begin(*next);
    if (question.module == nullptr) {
      next_ahead_ = &question;
      return true;
    }
    Try& module = *question.module;
    if (module.state == Try::State::kReady && tries_.HasRoom() && !Known(module)) {
      tries_.Start(question.module);
    }
    if (module.state == Try::State::kDone && !*module.answer) continue;
    if (const auto known = Known(module)) {
      future.strategy->Answer(*known, question.applied);
      futures.push_back(std::move(future));
      continue;
    }
    if (module.state == Try::State::kReady) {
      if (future.behind_first && options_.jobs <= 1 && first->state == Try::State::kUnderWay) {
        tries_.StartBehind(first, *future.behind_first, question.module);
      }
      if (++ready == kAhead) return false;
    }
    Future yes{future.strategy->Clone(), future.odds * future.strategy->Odds() / 100, {}};
    yes.strategy->Answer(true, question.applied);
    future.odds -= yes.odds;
    future.strategy->Answer(false, question.applied);
    future.behind_first.reset();
    if (first == nullptr) {
      first = question.module;
      yes.behind_first = true;
      future.behind_first = false;
    }
    futures.push_back(std::move(yes));
    futures.push_back(std::move(future));
  }
  return false;
}

void Asker::Count(const Try& module) {
  const bool is_free = !options_.plain && module.hash == original_hash_;
  if (!is_free && (options_.plain || used_.insert(module.hash).second)) ++tries_needed_;
}

}  // namespace reduce
}  // namespace refract
