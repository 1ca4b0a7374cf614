// SPDX-License-Identifier: Apache-2.0
// Asks the interestingness test about subsets of the steps of a recording. It asks about several at
// a time, and prepares the likely next candidates while the test runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "reduce/reduce.h"
#include "reduce/strategy.h"
#include "reduce/subset_replay.h"
#include "reduce/try_scheduler.h"

namespace refract {
inline namespace reduce {

/// A subset of the steps that is replayed to a candidate.
struct Query {
  Subset applied;
  TryPointer module;                               ///< null until the replay is complete
  uint64_t round = 0;                              ///< the round that asked for it last
  std::optional<SubsetReplay::Unfinished> replay;  ///< the replay until it is complete
};

class QueryScheduler : public TryScheduler {
 public:
  /// `original` and `options` must outlive this object.
  QueryScheduler(const Original& original, const ReduceOptions& options, InterestingnessTest& test,
                 SubsetReplay replay, AnswerJournal answers);

  // At the beginning, call the Start functions first and then the Finish functions, which wait for
  // the answers. They return no answer if the reduction ends before. The original is started first,
  // so that the recording can be replayed while it is tested.
  void StartOriginal();
  /// Starts the whole recording. It is tested even if its answer is known: the user may have
  /// changed something before resuming, and tests use the variant as a measure for time limits and
  /// signatures.
  Query StartVariant();
  std::optional<bool> FinishVariant(const Query& variant, const Strategy& next);
  std::optional<bool> FinishOriginal();

  /// Asks what `strategy` wants to know and gives it the answer. Returns false if the reduction is
  /// over.
  bool AnswerNext(Strategy* strategy);
  /// Replays steps of which all are known to apply.
  SubsetReplay::Replayed Replay(const Subset& steps);
  /// Replaces the recording: later subsets are subsets of another one.
  void SetReplay(SubsetReplay replay);

 private:
  Query MakeQuery(SubsetReplay::Replayed replayed);
  Query& Begin(const Subset& wanted);
  bool Continue(Query* query);
  const Query& Prepare(const Subset& wanted);
  void NextRound();
  bool LookAhead(const Strategy& now);

  const Original& original_;
  SubsetReplay replay_;
  TryPointer original_try_;
  std::map<Subset, Query> queries_;
  Query* next_ahead_ = nullptr;  // the query that LookAhead prepares in this round
  uint64_t round_ = 0;
};

}  // namespace reduce
}  // namespace refract
