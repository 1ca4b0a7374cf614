// SPDX-License-Identifier: Apache-2.0
#include "reduce/failing_interestingness.h"

#include <algorithm>

#include "base/clock.h"
#include "ir/binary.h"
#include "reduce/exact_output.h"
#include "target/time_limits.h"

namespace refract {
inline namespace reduce {
namespace {

constexpr ComparedNames kNames = {"the interpreter", "the target"};
// A candidate may run forever in the interpreter.
constexpr double kInterpreterFactor = 10;
constexpr double kMinInterpreterSeconds = 1;

}  // namespace

bool MayBeWrong(const RunResult& ran) {
  return ran.verdict == RunOutcome::kOk || ran.verdict == RunOutcome::kUnexpected ||
         ran.verdict == RunOutcome::kUndefined;
}

double CandidateInterpreterLimit(const RunSettings& run, double first_seconds) {
  return std::min(run.interpreter_limit,
                  std::max(kMinInterpreterSeconds, kInterpreterFactor * first_seconds));
}

Finding FindingOfModule(const Target& target, const RunResult& ran,
                        const Interpretation* interpretation) {
  // The interpreter decides what is expected, and not the user ("$expected").
  if (ran.verdict == RunOutcome::kUnexpected) {
    RunResult ended = ran;
    ended.verdict = RunOutcome::kOk;
    return FindingOfModule(target, ended, interpretation);
  }
  if (interpretation == nullptr) {
    if (ran.verdict == RunOutcome::kOk) return {};
    Finding finding = FindingOf(target.name, RunResult(), ran, CompareRule::kExact, {}, kNames);
    return IsWrongOutput(finding) ? Finding() : finding;
  }
  return FindingOf(target.name, interpretation->AsRun(), ran, CompareRule::kExact,
                   interpretation->layouts(), kNames);
}

FailingTest::FailingTest(const Original& source, Target target, std::string signature,
                         RunSettings run, Harness& harness)
    : source_(source),
      target_(std::move(target)),
      tools_(WithoutDriver(target_)),
      run_(run),
      harness_(harness),
      signature_(std::move(signature)) {
  run_.stop = &harness.stopped();
}

// A hang of the first candidate must be certain, because it is the failure to look for.
Result<RunResult> FailingTest::RunFirst(const Job& job) {
  Result<RunResult> ran = harness_.Run(target_, job);
  if (!ran || ran->verdict != RunOutcome::kHang) return ran;
  return TimeLimits(harness_, target_, 0, job.time_limit).Repeat(job, *ran);
}

Result<Finding> FailingTest::Judge(const Candidate& candidate, const RunResult& ran, double limit,
                                   std::string* not_judged) {
  RunSettings settings = run_;
  settings.interpreter_limit = limit;
  // Other orders of execution take long. Only outputs that seem wrong need them.
  for (const bool schedules : {false, true}) {
    const Result<std::optional<Interpretation>> exact =
        InterpretExactly(source_, candidate, settings, schedules, not_judged);
    if (!exact) return exact.error();
    if (!*exact) return Finding();
    Finding finding = FindingOfModule(target_, ran, &**exact);
    if (schedules || !finding.verdict) return finding;
  }
  return Finding();
}

Result<bool> FailingTest::IsWellDefined(const Candidate& candidate, double limit) {
  RunSettings settings = run_;
  settings.interpreter_limit = limit;
  const Result<Interpretation> made = Interpretation::OfCandidate(source_, candidate, settings);
  if (!made && made.error().kind == ErrorKind::kFailed) return made.error();
  return made && made->check().well_defined() && made->check().extent.is_whole();
}

Result<bool> FailingTest::TakeFirst(const Candidate& candidate, const RunResult& ran) {
  FirstRun first;
  first.finding = FindingOfModule(target_, ran, nullptr);
  first.seconds = ran.seconds;
  first.is_of_tool = !ran.command.empty();
  if (MayBeWrong(ran) && target_.kind != Target::Kind::kInterpreter) {
    const double begin = MonotonicSeconds();
    Result<Finding> judged = Judge(candidate, ran, run_.interpreter_limit, &first.not_judged);
    if (!judged) return judged.error();
    first.interpreter_seconds = MonotonicSeconds() - begin;
    first.finding = std::move(*judged);
    first.depends_on_outputs = first.finding.verdict.has_value();
  } else if (MayFailBecauseOfShader(ran)) {
    const double begin = MonotonicSeconds();
    const Result<bool> well_defined = IsWellDefined(candidate, run_.interpreter_limit);
    if (!well_defined) return well_defined.error();
    first.interpreter_seconds = MonotonicSeconds() - begin;
    first.is_well_defined = *well_defined;
  }
  // A slow run is not reliable.
  if (first.finding.verdict == FailureClass::kSlow) first.finding.verdict.reset();
  const std::lock_guard<std::mutex> lock(mutex_);
  if (signature_.empty() && first.finding.verdict) signature_ = first.finding.signature;
  first.is_wanted = first.finding.verdict && first.finding.signature == signature_;
  first_ = std::move(first);
  return first_->is_wanted;
}

Result<bool> FailingTest::IsInteresting(const Candidate& candidate) {
  std::optional<FirstRun> first = this->first();
  // A failure that does not reproduce in every run is looked for again.
  if (first && !first->is_wanted) first.reset();
  const Result<Module> module = ReadModule(candidate.words, "candidate");
  if (!module) return module.error();
  Result<Job> job = JobOf(source_, *module, candidate.words, candidate.inputs.get(), run_);
  if (!job) return first ? Result<bool>(false) : Result<bool>(job.error());
  if (first) {
    job->time_limit = CandidateTimeLimit(job->time_limit, false, first->finding, first->seconds);
  }
  const Target& target = first && first->is_of_tool ? tools_ : target_;
  const Result<RunResult> ran = first ? harness_.Run(target, *job) : RunFirst(*job);
  if (!ran) {
    // A candidate may have become something that the target does not support.
    const bool ends = !first || ran.error().kind == ErrorKind::kFailed || harness_.IsLost(target);
    return ends ? Result<bool>(ran.error()) : Result<bool>(false);
  }
  if (!first) return TakeFirst(candidate, *ran);
  Finding finding;
  if (!first->depends_on_outputs) {
    finding = FindingOfModule(target_, *ran, nullptr);
  } else if (MayBeWrong(*ran)) {
    const double limit = CandidateInterpreterLimit(run_, first->interpreter_seconds);
    std::string not_judged;
    Result<Finding> judged = Judge(candidate, *ran, limit, &not_judged);
    if (!judged) return judged.error();
    finding = std::move(*judged);
  }
  const bool is_wanted =
      finding.verdict && finding.verdict != FailureClass::kSlow && finding.signature == signature();
  if (!is_wanted || !first->is_well_defined || !MayFailBecauseOfShader(*ran)) return is_wanted;
  return IsWellDefined(candidate, CandidateInterpreterLimit(run_, first->interpreter_seconds));
}

// A candidate may have lost the names by which its inputs are given.
bool FailingTest::MayBeInteresting(const Candidate& candidate, const Module& module) {
  return JobOf(source_, module, candidate.words, candidate.inputs.get(), run_).has_value();
}

std::optional<FailingTest::FirstRun> FailingTest::first() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_;
}

Finding FailingTest::First() {
  const std::optional<FirstRun> taken = first();
  return taken ? taken->finding : Finding();
}

bool FailingTest::DependsOnOutputs() {
  const std::optional<FirstRun> taken = first();
  return taken && taken->depends_on_outputs;
}

std::string FailingTest::NotJudged() {
  const std::optional<FirstRun> taken = first();
  return taken ? taken->not_judged : std::string();
}

std::string FailingTest::signature() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return signature_;
}

}  // namespace reduce
}  // namespace refract
