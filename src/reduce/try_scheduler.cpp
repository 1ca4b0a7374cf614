// SPDX-License-Identifier: Apache-2.0
#include "reduce/try_scheduler.h"

#include <algorithm>
#include <utility>

namespace refract {
inline namespace reduce {
namespace {

// Modules to remember before those that nothing refers to are forgotten.
constexpr size_t kMaxModules = 1000;

}  // namespace

TryScheduler::TryScheduler(const ReduceOptions& options, InterestingnessTest& test,
                           AnswerJournal answers)
    : options_(options),
      answers_(std::move(answers)),
      tries_(test, std::max<uint32_t>(options.jobs, 1),
             [this](const std::string& hash, bool interesting) {
               return answers_.Record(hash, interesting);
             }) {}

void TryScheduler::StartAnyway(const TryPointer& module) {
  while (!IsOver() && !tries_.HasFreeJob()) Collect(kPollSeconds);
  if (IsOver()) return;
  module->state = Try::State::kReady;
  tries_.Start(module);
}

std::optional<bool> TryScheduler::Finish(const Try& module) {
  while (!IsOver() && module.state != Try::State::kDone) Collect(kPollSeconds);
  if (IsOver()) return std::nullopt;
  const std::optional<bool> interesting = KnownAnswer(module);
  if (interesting) Count(module);
  return interesting;
}

std::optional<bool> TryScheduler::AskFirst(Candidate candidate) {
  const TryPointer module = MakeTry(std::move(candidate));
  StartAnyway(module);
  return Finish(*module);
}

void TryScheduler::StartEarly(Candidate candidate) {
  const TryPointer module = MakeTry(std::move(candidate));
  if (module->state == Try::State::kReady && !KnownAnswer(*module)) tries_.Start(module);
}

std::optional<bool> TryScheduler::Ask(Candidate candidate, const IdleWork& idle_work) {
  return WaitForAnswer(MakeTry(std::move(candidate)), idle_work);
}

bool TryScheduler::IsOver() {
  if (!stopped_ && options_.stop && options_.stop()) stopped_ = true;
  return stopped_ || error_;
}

void TryScheduler::Fail(Error error) {
  if (!error_) error_ = std::move(error);
}

std::string TryScheduler::HashOf(const std::vector<uint32_t>& words,
                                 const std::shared_ptr<const Inputs>& inputs) {
  if (inputs != inputs_) {
    inputs_ = inputs;
    inputs_hash_ = HashOfInputs(inputs.get());
  }
  return HashOfWords(words) + inputs_hash_;
}

TryPointer TryScheduler::MakeTry(Candidate candidate) {
  std::string hash = HashOf(candidate.words, candidate.inputs);
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
    if (modules_.size() > kMaxModules) {
      std::erase_if(modules_, [](const auto& one) { return one.second.expired(); });
    }
    modules_[module->hash] = module;
  }
  return module;
}

std::optional<bool> TryScheduler::KnownAnswer(const Try& module) {
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
void TryScheduler::Collect(double seconds) {
  for (const TryPointer& module : tries_.Finished(seconds)) {
    if (!*module->answer) continue;  // an error matters only if the strategy asks for this module
    answers_.Remember(module->hash, **module->answer);
    if (!module->recorded && !error_) error_ = module->recorded.error();
  }
}

std::optional<bool> TryScheduler::WaitForAnswer(const TryPointer& module,
                                                const IdleWork& idle_work) {
  while (!IsOver()) {
    if (const auto known = KnownAnswer(*module)) {
      Count(*module);
      return known;
    }
    if (error_) break;
    if (module->state == Try::State::kReady && tries_.HasFreeJob()) tries_.Start(module);
    Collect(idle_work() ? 0 : kPollSeconds);
  }
  return std::nullopt;
}

void TryScheduler::Count(const Try& module) {
  const bool is_free = !options_.plain && module.hash == original_hash_;
  if (!is_free && (options_.plain || used_.insert(module.hash).second)) ++tries_needed_;
}

}  // namespace reduce
}  // namespace refract
