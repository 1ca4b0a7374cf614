// SPDX-License-Identifier: Apache-2.0
// Asks the judge about subsets of a recording's steps, and about modules: about nothing twice,
// about several at a time, and while the judge is at work it makes ready what is likely to come
// next.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "reduce/answers.h"
#include "reduce/reduce.h"
#include "reduce/strategy.h"
#include "reduce/subset_replay.h"
#include "reduce/tries.h"
#include "shrink/options.h"

namespace refract::inline reduce {

/// A subset that is replayed.
struct Question {
  Subset applied;
  TryPointer module;                               ///< null until it is
  uint64_t round = 0;                              ///< when it was last asked for
  std::optional<SubsetReplay::Unfinished> replay;  ///< until then
};

class Asker {
 public:
  /// `original` and `options` must outlive this.
  Asker(const Original& original, const ReduceOptions& options, Judge& judge, SubsetReplay replay,
        Answers answers);

  // The beginning: Start what is to be asked, then wait for the answers, of which there is none if
  // it is over first. The original is first, so that the recording can be replayed meanwhile.
  void StartOriginal();
  /// The whole recording. Judged also if that is known already: who resumes may have changed
  /// something, and judges take it for a measure.
  Question StartVariant();
  std::optional<bool> FinishVariant(const Question& variant, const Strategy& next);
  std::optional<bool> FinishOriginal();

  /// Asks about what `strategy` wants to know, and tells it. False if it is over.
  bool AskFor(Strategy* strategy);
  /// The answer, from wherever; none if it is over. While it is on its way `meanwhile` is called
  /// until it says that it has nothing left to do.
  std::optional<bool> Ask(Candidate candidate, const Meanwhile& meanwhile);

  /// What steps give that are known to apply.
  SubsetReplay::Replayed Replay(const Subset& steps);
  /// From here on subsets are of another recording.
  void SetReplay(SubsetReplay replay);

  /// Whether it was stopped, or something went wrong.
  bool Over();
  bool stopped() const { return stopped_; }
  void Fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  /// Those that one job would have made.
  size_t tries() const { return tries_needed_; }
  Tries& judging() { return tries_; }

 private:
  std::string HashOf(const std::vector<uint32_t>& words, const Inputs* inputs) const;
  TryPointer MakeTry(Candidate candidate);
  Question MakeQuestion(SubsetReplay::Replayed replayed);
  Question& Begin(const Subset& wanted);
  bool Continue(Question* question);
  const Question& Prepare(const Subset& wanted);
  void NextRound();
  std::optional<bool> Known(const Try& module);
  void Collect(double seconds);
  std::optional<bool> Resolve(const TryPointer& module, const Meanwhile& meanwhile);
  bool LookAhead(const Strategy& now);
  void Count(const Try& module);

  const Original& original_;
  const ReduceOptions& options_;
  SubsetReplay replay_;
  Answers answers_;
  std::string original_hash_;
  TryPointer original_try_;
  size_t tries_needed_ = 0;
  std::set<std::string> used_;  // hashes that were asked about, in the order of one job
  std::map<Subset, Question> questions_;
  Question* next_ahead_ = nullptr;  // of these, what LookAhead is at in this round
  std::map<std::string, std::weak_ptr<Try>> modules_;  // by hash
  uint64_t round_ = 0;
  bool stopped_ = false;
  std::optional<Error> error_;
  Tries tries_;  // the last: ends first
};

}  // namespace refract::inline reduce
