// SPDX-License-Identifier: Apache-2.0
// Asks the interestingness test about subsets of the steps of a recording, and about modules. It
// asks about no module twice, asks about several at a time, and prepares the likely next candidates
// while the test runs.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "reduce/answer_journal.h"
#include "reduce/reduce.h"
#include "reduce/strategy.h"
#include "reduce/subset_replay.h"
#include "reduce/tries.h"
#include "shrink/options.h"

namespace refract {
inline namespace reduce {

/// A subset of the steps that is replayed to a candidate.
struct Query {
  Subset applied;
  TryPointer module;                               ///< null until the replay is complete
  uint64_t round = 0;                              ///< the round that asked for it last
  std::optional<SubsetReplay::Unfinished> replay;  ///< the replay until it is complete
};

class QueryScheduler {
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
  /// Returns the answer, from memory or from the test; none if the reduction is over. While the
  /// test runs, it calls `idle_work` until that returns false.
  std::optional<bool> Ask(Candidate candidate, const IdleWork& idle_work);

  /// Replays steps of which all are known to apply.
  SubsetReplay::Replayed Replay(const Subset& steps);
  /// Replaces the recording: later subsets are subsets of another one.
  void SetReplay(SubsetReplay replay);

  /// True if the reduction was stopped or an error occurred.
  bool IsOver();
  bool stopped() const { return stopped_; }
  /// Ends the reduction with this error, unless it has one.
  void Fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  /// The number of tries that one job would have made.
  size_t tries() const { return tries_needed_; }
  TryRunner& try_runner() { return tries_; }

 private:
  std::string HashOf(const std::vector<uint32_t>& words, const Inputs* inputs) const;
  TryPointer MakeTry(Candidate candidate);
  Query MakeQuery(SubsetReplay::Replayed replayed);
  Query& Begin(const Subset& wanted);
  bool Continue(Query* query);
  const Query& Prepare(const Subset& wanted);
  void NextRound();
  std::optional<bool> KnownAnswer(const Try& module);
  void Collect(double seconds);
  std::optional<bool> WaitForAnswer(const TryPointer& module, const IdleWork& idle_work);
  bool LookAhead(const Strategy& now);
  void Count(const Try& module);

  const Original& original_;
  const ReduceOptions& options_;
  SubsetReplay replay_;
  AnswerJournal answers_;
  std::string original_hash_;
  TryPointer original_try_;
  size_t tries_needed_ = 0;
  std::set<std::string> used_;  // hashes of the tested modules, in the order of one job
  std::map<Subset, Query> queries_;
  Query* next_ahead_ = nullptr;  // the query that LookAhead prepares in this round
  std::map<std::string, std::weak_ptr<Try>> modules_;  // by hash
  uint64_t round_ = 0;
  bool stopped_ = false;
  std::optional<Error> error_;
  TryRunner tries_;  // the last member, so that it ends first
};

}  // namespace reduce
}  // namespace refract
