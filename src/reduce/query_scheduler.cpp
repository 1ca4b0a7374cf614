// SPDX-License-Identifier: Apache-2.0
#include "reduce/query_scheduler.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "ir/binary.h"

namespace refract {
inline namespace reduce {
namespace {

// The number of candidates that are prepared in advance while all jobs are busy.
constexpr uint32_t kMaxPrepared = 8;
// Steps that are replayed for them between two checks for an answer: a tenth of a millisecond.
constexpr size_t kStepsBetweenPolls = 16;

// A state of the strategy that is possible after answers that are not known yet.
struct Future {
  std::unique_ptr<Strategy> strategy;
  double chance = 1;
  // The answer to the running query after which this state comes directly; such a state is urgent.
  std::optional<bool> after_answer;

  bool operator<(const Future& other) const {
    const bool late = !after_answer, is_other_late = !other.after_answer;
    return late == is_other_late ? chance < other.chance : late;
  }
};

}  // namespace

QueryScheduler::QueryScheduler(const Original& original, const ReduceOptions& options,
                               InterestingnessTest& test, SubsetReplay replay,
                               AnswerJournal answers)
    : TryScheduler(options, test, std::move(answers)),
      original_(original),
      replay_(std::move(replay)) {
  original_hash_ = HashOf(original.words, original.context.inputs);
}

void QueryScheduler::StartOriginal() {
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

Query QueryScheduler::StartVariant() {
  Query variant = MakeQuery(replay_.ReplayAll());
  StartAnyway(variant.module);
  return variant;
}

std::optional<bool> QueryScheduler::FinishVariant(const Query& variant, const Strategy& next) {
  if (next.Next() != nullptr) Prepare(*next.Next());
  return Finish(*variant.module);
}

std::optional<bool> QueryScheduler::FinishOriginal() {
  while (!IsOver() && original_try_->state != Try::State::kDone) Collect(kPollSeconds);
  if (original_try_->state != Try::State::kDone) return std::nullopt;
  const std::optional<bool> interesting = KnownAnswer(*original_try_);
  if (interesting) ++tries_needed_;
  return interesting;
}

bool QueryScheduler::AnswerNext(Strategy* strategy) {
  const Query query = Prepare(*strategy->Next());
  bool is_next = false;
  const std::optional<bool> interesting = WaitForAnswer(query.module, [&] {
    if (is_next) return LookAhead(*strategy);
    NextRound();
    is_next = true;
    return true;
  });
  if (!interesting) return false;
  if (options_.plain) queries_.erase(*strategy->Next());  // --plain may ask the same again
  strategy->Answer(*interesting, query.applied);
  if (*interesting) replay_.ExpectPrefix(query.applied);
  return true;
}

SubsetReplay::Replayed QueryScheduler::Replay(const Subset& steps) {
  SubsetReplay::Replayed replayed = replay_.Replay(steps);
  CHECK(replayed.applied == steps);
  return replayed;
}

void QueryScheduler::SetReplay(SubsetReplay replay) {
  replay_ = std::move(replay);
  queries_.clear();
  next_ahead_ = nullptr;
}

Query QueryScheduler::MakeQuery(SubsetReplay::Replayed replayed) {
  Candidate candidate;
  candidate.words =
      replayed.applied.empty() ? original_.words : WriteModule(replayed.context.module);
  candidate.inputs = replayed.context.inputs;
  candidate.context = std::make_shared<const Context>(std::move(replayed.context));
  return {std::move(replayed.applied), MakeTry(std::move(candidate)), 0, std::nullopt};
}

Query& QueryScheduler::Begin(const Subset& wanted) {
  auto found = queries_.find(wanted);
  if (found == queries_.end()) {
    found = queries_.emplace(wanted, Query{{}, nullptr, 0, replay_.Begin(wanted)}).first;
  }
  found->second.round = round_;
  return found->second;
}

// Continues the replay for a query by a few steps. Returns true if the module is ready.
bool QueryScheduler::Continue(Query* query) {
  if (query->module != nullptr) return true;
  if (!replay_.Continue(&*query->replay, kStepsBetweenPolls)) return false;
  SubsetReplay::Replayed replayed = std::move(query->replay->replayed);
  query->replay.reset();
  const uint64_t round = query->round;
  *query = MakeQuery(std::move(replayed));
  query->round = round;
  return true;
}

const Query& QueryScheduler::Prepare(const Subset& wanted) {
  Query& query = Begin(wanted);
  while (!Continue(&query)) continue;
  if (next_ahead_ == &query) next_ahead_ = nullptr;
  return query;
}

// Forgets modules that were prepared for answers that did not come.
void QueryScheduler::NextRound() {
  ++round_;
  next_ahead_ = nullptr;
  std::erase_if(queries_, [&](const auto& one) {
    const TryPointer& module = one.second.module;
    const bool under_way = module != nullptr && module->state == Try::State::kUnderWay;
    return one.second.round + 2 < round_ && !under_way;
  });
}

// Starts the likely next queries while there are free jobs, and prepares candidates in small steps.
// Does one thing at each call. Returns false if enough is prepared.
bool QueryScheduler::LookAhead(const Strategy& now) {
  if (next_ahead_ != nullptr) {
    if (Continue(next_ahead_)) next_ahead_ = nullptr;
    return true;
  }
  std::vector<Future> futures;
  futures.push_back({now.Clone(), 1, {}});
  TryPointer first;
  uint32_t ready = 0;
  for (uint32_t looked = 0; looked < 4 * options_.jobs + 2 * kMaxPrepared; ++looked) {
    const auto likely = std::max_element(futures.begin(), futures.end());
    if (likely == futures.end()) return false;
    Future future = std::move(*likely);
    futures.erase(likely);
    const Subset* next = future.strategy->Next();
    if (next == nullptr) continue;
    Query& query = Begin(*next);
    if (query.module == nullptr) {
      next_ahead_ = &query;
      return true;
    }
    Try& module = *query.module;
    if (module.state == Try::State::kReady && tries_.HasFreeJob() && !KnownAnswer(module)) {
      tries_.Start(query.module);
    }
    if (module.state == Try::State::kDone && !*module.answer) continue;
    if (const auto known = KnownAnswer(module)) {
      future.strategy->Answer(*known, query.applied);
      futures.push_back(std::move(future));
      continue;
    }
    if (module.state == Try::State::kReady) {
      if (future.after_answer && options_.jobs <= 1 && first->state == Try::State::kUnderWay) {
        tries_.StartAfter(first, *future.after_answer, query.module);
      }
      if (++ready == kMaxPrepared) return false;
    }
    Future yes{
        future.strategy->Clone(), future.chance * future.strategy->ChancePercent() / 100, {}};
    yes.strategy->Answer(true, query.applied);
    future.chance -= yes.chance;
    future.strategy->Answer(false, query.applied);
    future.after_answer.reset();
    if (first == nullptr) {
      first = query.module;
      yes.after_answer = true;
      future.after_answer = false;
    }
    futures.push_back(std::move(yes));
    futures.push_back(std::move(future));
  }
  return false;
}

}  // namespace reduce
}  // namespace refract
