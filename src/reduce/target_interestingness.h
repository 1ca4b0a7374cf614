// SPDX-License-Identifier: Apache-2.0
// Interestingness tests that run the candidate. On a target, the candidate must fail with the
// signature of the variant, or have another output than the original. In the interpreter, another
// output than that of the original is a fault of Refract.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "reduce/interestingness.h"
#include "target/difference.h"
#include "target/finding.h"
#include "target/harness.h"
#include "target/original_check.h"

namespace refract {
inline namespace reduce {

/// Settings for runs of candidates and their original.
struct RunSettings {
  double time_limit = 10;  ///< seconds; a candidate gets at least 20 times what the original took
  double interpreter_limit = 10;  ///< seconds that the interpreter may run the original
  bool zero_inputs = false;
  bool partial_subgroups = false;
  /// Once `*stop` is true, the interpreter ends (Harness::stopped). Null: never.
  const std::atomic<bool>* stop = nullptr;
};

/// Returns a job that runs `module` with the entry point, environment and validation of its
/// original.
Result<Job> JobOf(const Original& original, const Module& module,
                  const std::vector<uint32_t>& words, const Inputs* inputs,
                  const RunSettings& arguments);

/// True if a run failed in a driver while the shader may have been running: a hang, a lost device,
/// or a crash with generated code on the stack. A module with undefined behaviour or without an end
/// may fail in the same way without a bug. A tool never runs the shader.
bool MayFailBecauseOfShader(const RunResult& ran);

/// What the interpreter finds out about an original and its outputs.
class Interpretation {
 public:
  /// Interprets the original: all of it, or a sample, as RunSettings::interpreter_limit allows.
  /// Fails with kUnavailable if it cannot be interpreted, or if not even a sample finishes in that
  /// time. Fails with kFailed if it was stopped. With `schedules`, it also finds out whether the
  /// outputs depend on the order of execution.
  static Result<Interpretation> Of(const Original& original, const RunSettings& arguments,
                                   bool schedules = false);
  /// The same for a candidate, which is run as `original` is.
  static Result<Interpretation> OfCandidate(const Original& original, const Candidate& candidate,
                                            const RunSettings& arguments, bool schedules = false);

  /// The comparison rule for the outputs. It does not account for undefined behaviour.
  ComparisonRule rule() const { return RuleFor(check_); }
  /// Messages about undefined behaviour of the original.
  const std::vector<std::string>& undefined() const { return check_.undefined; }
  const std::vector<BufferLayout>& layouts() const { return layouts_; }
  const OriginalCheck& check() const { return check_; }
  /// The outputs as the result of a run.
  RunResult AsRun() const;

  enum class CompareResult : uint8_t {
    kEqual,        ///< well defined, and the outputs agree with those of the original
    kDifferent,    ///< another output: a fault of a step
    kUndefined,    ///< undefined behaviour: a fault of a step
    kUnknown,      ///< the candidate cannot be interpreted, or not within the limits
    kUncertified,  ///< some steps of the candidate need others to have a certificate
  };
  /// Interprets the candidate on the same sample and compares. With `needs_certificate`, the
  /// outputs must be certified (FindUncertified in engine/compare_runs.h).
  CompareResult Compare(const Original& original, const Candidate& candidate,
                        bool needs_certificate = false) const;

 private:
  explicit Interpretation(RunSettings arguments) : arguments_(arguments) {}

  RunSettings arguments_;
  OriginalCheck check_;
  std::vector<BufferLayout> layouts_;
};

/// A candidate is interesting if the interpreter shows that a step changes what is computed.
class InterpreterTest : public InterestingnessTest {
 public:
  /// `needs_certificate`: the recording has steps that need a certificate, and other outputs than
  /// those of the original are no fault.
  InterpreterTest(const Original& original, Interpretation interpretation,
                  bool needs_certificate = false)
      : original_(original),
        interpretation_(std::move(interpretation)),
        needs_certificate_(needs_certificate) {}
  Result<bool> IsInteresting(const Candidate& candidate) override;

 private:
  const Original& original_;
  Interpretation interpretation_;
  const bool needs_certificate_;
};

/// Returns the time limit in seconds for a candidate on a target. A candidate that no steps made
/// may run forever. Unless `wanted` is a hang or a slow run, such a candidate gets at most ten
/// times `first_seconds`, the time that the variant took to fail, but at least 1 second.
double CandidateTimeLimit(double time_limit, bool made_by_steps, const Finding& wanted,
                          double first_seconds);

struct TargetTestOptions {
  Target target;
  /// The signature that a failure must have; empty: that of the first candidate.
  std::string signature;
  /// Accept only wrong outputs, whatever their signature.
  bool wrong_output = false;
  /// Run the first candidate again alone if it hangs, because it may only be slow. False if the
  /// caller has done that.
  bool repeats_hangs = true;
  /// The recording has steps that need a certificate (NeedsCertificate in engine/certifier.h). A
  /// wrong output then counts only if the interpreter certifies the candidate.
  bool needs_certificate = false;
  /// The rule; default: that of the interpretation, else exact. If it is `bounded`, the bounds are
  /// those of the interpretation.
  std::optional<ComparisonRule> rule;
  Thresholds thresholds;  ///< of the rule of the interpretation
  /// Makes the interpretation when it is needed; returns null if not found. Called at most
  /// once, when outputs differ for the first time, because a crash needs no interpretation.
  std::function<const Interpretation*()> interpret;
  RunSettings run;
};

/// A candidate is interesting if it fails on the target with the wanted signature and the original
/// does not fail. Before it accepts a wrong output, the test runs the original again. If the
/// interpreter can run the candidate, it must find it well defined and its output equal to that of
/// the original. Once a tool of a command target failed in the wanted way, no driver draws the
/// outputs of the tools. If the shader may be the reason of a failure (MayFailBecauseOfShader), and
/// the interpreter can run the first candidate, all must be well defined and end. If the target is
/// lost (Harness::IsLost), IsInteresting fails with kUnavailable, because later failures would come
/// from the target and not from the candidates.
class TargetTest : public InterestingnessTest {
 public:
  /// Runs the original. Fails with kUnavailable if the target is not available or rejects the
  /// original, and with kBadInput if the original fails. `interpretation` may be null if the
  /// original cannot be interpreted. All arguments must outlive this object.
  static Result<std::unique_ptr<TargetTest>> Make(const Original& original,
                                                  TargetTestOptions options,
                                                  const Interpretation* interpretation,
                                                  Harness& harness);
  Result<bool> IsInteresting(const Candidate& candidate) override;

  /// The result of the first candidate.
  Finding First();
  /// True if the first candidate had a wrong output.
  bool FoundWrongOutput();
  /// The results of original and candidate, to be shown to the user.
  struct DisplayRuns {
    Finding finding;
    RunResult original, variant;
  };
  Result<DisplayRuns> RunForDisplay(const Candidate& candidate);
  /// The wanted signature, once it is known.
  std::string signature();
  /// The comparison rule. Makes the interpretation if it was not needed so far.
  ComparisonRule rule();

 private:
  TargetTest(const Original& original, TargetTestOptions options,
             const Interpretation* interpretation, Harness& harness);
  Result<RunResult> RunOriginal(double time_limit);
  Result<RunResult> RunCandidate(const Candidate& candidate, const Target& target);
  Finding CompareWithOriginal(const RunResult& original, const RunResult& variant);
  void Interpret();
  bool IsWanted(const Finding& finding, const RunResult& ran);
  Result<bool> ReproducesWrongOutput(const Candidate& candidate, const RunResult& ran);
  Result<bool> IsNoFaultOfShader(const Candidate& candidate);

  const Original& original_;
  const TargetTestOptions options_;
  const Target tools_;  // the target without its driver
  std::once_flag interpreted_;
  const Interpretation* interpretation_;
  Harness& harness_;
  ComparisonRule rule_;
  std::vector<BufferLayout> layouts_;
  Job original_job_;
  RunResult original_run_;
  std::mutex mutex_;
  std::optional<Finding> first_;
  double first_seconds_ = 0;
  bool fails_in_tool_ = false;  // the wanted failure is one of a tool
  // Whether the interpreter ran the first candidate to its end; not set before it was asked.
  std::optional<bool> is_first_well_defined_;
  std::string signature_;
};

}  // namespace reduce
}  // namespace refract
