// SPDX-License-Identifier: Apache-2.0
// Asks the interestingness test about modules. It asks about no module twice, keeps the answers in
// a journal, and can start the tries of modules that it may be asked about later.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "reduce/answer_journal.h"
#include "reduce/reduce.h"
#include "reduce/tries.h"
#include "shrink/options.h"

namespace refract {
inline namespace reduce {

class TryScheduler {
 public:
  /// `options` and `test` must outlive this object.
  TryScheduler(const ReduceOptions& options, InterestingnessTest& test, AnswerJournal answers);

  /// Tests the candidate even if its answer is known: the user may have changed something before
  /// resuming, and tests use the first candidate as a measure for time limits and signatures.
  /// Returns no answer if the reduction ends before.
  std::optional<bool> AskFirst(Candidate candidate);
  /// Returns the answer, from memory or from the test; none if the reduction is over. While the
  /// test runs, it calls `idle_work` until that returns false.
  std::optional<bool> Ask(Candidate candidate, const IdleWork& idle_work);
  size_t jobs() const { return options_.jobs; }
  bool HasFreeJob() const { return tries_.HasFreeJob(); }
  /// Starts the test of a candidate that may be asked about later, unless its answer is known.
  /// Requires HasFreeJob().
  void StartEarly(Candidate candidate);

  /// True if the reduction was stopped or an error occurred.
  bool IsOver();
  bool stopped() const { return stopped_; }
  /// Ends the reduction with this error, unless it has one.
  void Fail(Error error);
  const std::optional<Error>& error() const { return error_; }
  /// The number of tries that one job would have made.
  size_t tries() const { return tries_needed_; }
  TryRunner& try_runner() { return tries_; }

 protected:
  // Seconds between two checks of ReduceOptions::stop.
  static constexpr double kPollSeconds = 0.05;

  std::string HashOf(const std::vector<uint32_t>& words,
                     const std::shared_ptr<const Inputs>& inputs);
  TryPointer MakeTry(Candidate candidate);
  // Starts a try whether or not its answer is known, and waits for its answer.
  void StartAnyway(const TryPointer& module);
  std::optional<bool> Finish(const Try& module);
  std::optional<bool> KnownAnswer(const Try& module);
  void Collect(double seconds);
  std::optional<bool> WaitForAnswer(const TryPointer& module, const IdleWork& idle_work);
  void Count(const Try& module);

  const ReduceOptions& options_;
  AnswerJournal answers_;
  std::string original_hash_;  // its candidate is not interesting; empty: none
  size_t tries_needed_ = 0;

 private:
  std::set<std::string> used_;  // hashes of the tested modules, in the order of one job
  std::map<std::string, std::weak_ptr<Try>> modules_;  // by hash
  std::shared_ptr<const Inputs> inputs_;               // of the last candidate
  std::string inputs_hash_;
  bool stopped_ = false;
  std::optional<Error> error_;

 protected:
  TryRunner tries_;  // the last member, so that it ends first
};

}  // namespace reduce
}  // namespace refract
