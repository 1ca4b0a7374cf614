// SPDX-License-Identifier: Apache-2.0
// Judges that run the candidate: on a target, where it must fail as the variant did (a signature)
// or leave something else behind than the original; in the interpreter, whose yes is our own fault.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "target/difference.h"
#include "target/finding.h"
#include "target/harness.h"
#include "target/judge.h"
#include "reduce/judge.h"

namespace refract::inline reduce {

/// How candidates and their original are run.
struct RunSettings {
  double time_limit = 10;   ///< seconds; a candidate gets at least 20 times what the original took
  double judge_limit = 10;  ///< seconds that the interpreter gets to judge the original
  bool zero_inputs = false;
  bool partial_subgroups = false;
};

/// A module ready to be run, as its original is: entry point, environment, validation.
Result<Job> JobOf(const Original& original, const Module& module,
                  const std::vector<uint32_t>& words, const Inputs* inputs,
                  const RunSettings& arguments);

/// What the interpreter says of a module and of what it leaves behind.
class Interpretation {
 public:
  /// Of the original: of all of it, or of a sample, as RunSettings::judge_limit allows.
  /// kUnavailable if it cannot be interpreted, or not even a sample in that time. With `schedules`
  /// the judgement also says whether what comes out hangs on the order in which things happen.
  static Result<Interpretation> Of(const Original& original, const RunSettings& arguments,
                                   bool schedules = false);

  /// The rule by which what comes out is compared; no undefined behaviour.
  CompareRule rule() const { return RuleFor(judgement_); }
  /// What is undefined in the original: sentences.
  const std::vector<std::string>& undefined() const { return judgement_.undefined; }
  const std::vector<BufferLayout>& layouts() const { return layouts_; }
  const Judgement& judgement() const { return judgement_; }

  enum class Verdict : uint8_t {
    kEqual,      ///< well defined, and what comes out agrees with the original's
    kDifferent,  ///< a fault of a step
    kUndefined,  ///< likewise
    kUnknown,    ///< it cannot be interpreted, or not within limits
  };
  /// On the same sample.
  Verdict Compare(const Original& original, const Candidate& candidate) const;

 private:
  explicit Interpretation(RunSettings arguments) : arguments_(arguments) {}

  RunSettings arguments_;
  Judgement judgement_;
  std::vector<BufferLayout> layouts_;
};

/// Interesting is what shows that a step changes what is computed.
class InterpreterJudge : public Judge {
 public:
  InterpreterJudge(const Original& original, Interpretation interpretation)
      : original_(original), interpretation_(std::move(interpretation)) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;

 private:
  const Original& original_;
  Interpretation interpretation_;
};

/// Seconds that a candidate gets on a target. What no steps made may well run for ever, so where
/// something else than that is looked for it gets no more than ten times `first_seconds`, that the
/// variant took to fail, at least 1.
double CandidateTimeLimit(double time_limit, bool made_by_steps, const Finding& wanted,
                          double first_seconds);

struct TargetJudgeOptions {
  Target target;
  /// What the failure must be called; empty: as the first candidate's is.
  std::string signature;
  /// Only wrong outputs, whatever they are called.
  bool wrong_output = false;
  /// What hangs first is repeated alone: it may be slow. False where somebody has done that.
  bool repeats_hangs = true;
  std::optional<CompareRule> rule;  ///< default: the interpretation's, else exact
  /// Instead of an interpretation: makes it, null if there is none. Called at most once, when
  /// outputs differ for the first time: a crash needs none.
  std::function<const Interpretation*()> interpret;
  RunSettings run;
};

/// Interesting is what fails on the target as it should, where the original does not. Before an
/// output counts as wrong the original is run again, and the interpreter, where it can say
/// anything, must call the candidate well defined and its output the original's. A target that is
/// lost (Harness::IsLost) is a kUnavailable of IsInteresting: what it would say of what comes next
/// is about itself.
class TargetJudge : public Judge {
 public:
  /// Runs the original. kUnavailable if the target is not there or does not take it, kBadInput if
  /// it fails. `interpretation` may be null: the original cannot be interpreted. All must outlive
  /// this.
  static Result<std::unique_ptr<TargetJudge>> Make(const Original& original,
                                                   TargetJudgeOptions options,
                                                   const Interpretation* interpretation,
                                                   Harness& harness);
  Result<bool> IsInteresting(const Candidate& candidate) override;

  /// What the first candidate did.
  Finding First();
  /// Whether that was to leave something else behind than the original.
  bool IsAboutOutputs();
  /// Runs both, for who wants to see.
  struct Shown {
    Finding finding;
    RunResult original, variant;
  };
  Result<Shown> Show(const Candidate& candidate);
  /// What is looked for, once that is known.
  std::string signature();
  /// By which outputs are compared; asks for the interpretation if it was not needed so far.
  CompareRule rule();

 private:
  TargetJudge(const Original& original, TargetJudgeOptions options,
              const Interpretation* interpretation, Harness& harness);
  Result<RunResult> RunOriginal(double time_limit);
  Result<RunResult> RunCandidate(const Candidate& candidate);
  Finding FindingOn(const RunResult& original, const RunResult& variant);
  void Interpret();
  bool IsWanted(const Finding& finding, double seconds);
  Result<bool> IsWrongAgain(const Candidate& candidate, const RunResult& ran);

  const Original& original_;
  const TargetJudgeOptions options_;
  std::once_flag interpreted_;
  const Interpretation* interpretation_;
  Harness& harness_;
  CompareRule rule_ = CompareRule::kExact;
  std::vector<BufferLayout> layouts_;
  Job original_job_;
  RunResult original_run_;
  std::mutex mutex_;
  std::optional<Finding> first_;
  double first_seconds_ = 0;
  std::string signature_;
};

}  // namespace refract::inline reduce
