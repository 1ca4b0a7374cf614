// SPDX-License-Identifier: Apache-2.0
#include "reduce/failing_interestingness.h"

#include "ir/binary.h"
#include "target/time_limits.h"

namespace refract {
inline namespace reduce {
namespace {

// What is wrong with the run of a module, without an original to compare with.
Finding FailureOf(const std::string& target, const RunResult& ran) {
  RunResult passes;
  passes.outputs = ran.outputs;
  Finding finding = FindingOf(target, passes, ran, CompareRule::kExact, {});
  // A slow run is not reliable. A wrong output needs an original.
  if (finding.verdict == FailureClass::kSlow || IsWrongOutput(finding)) finding.verdict.reset();
  return finding;
}

}  // namespace

// A hang of the first candidate must be certain, because it is the failure to look for.
Result<RunResult> FailingTest::RunFirst(const Job& job) {
  Result<RunResult> ran = harness_.Run(target_, job);
  if (!ran || ran->verdict != RunOutcome::kHang) return ran;
  return TimeLimits(harness_, target_, 0, job.time_limit).RepeatAlone(job);
}

Result<bool> FailingTest::IsInteresting(const Candidate& candidate) {
  Finding first;
  bool is_first = false;
  double first_seconds = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_first = !first_;
    if (first_) first = *first_;
    first_seconds = first_seconds_;
  }
  const Result<Module> module = ReadModule(candidate.words, "candidate");
  if (!module) return module.error();
  Result<Job> job = JobOf(source_, *module, candidate.words, candidate.inputs.get(), run_);
  if (!job) return is_first ? Result<bool>(job.error()) : Result<bool>(false);
  if (!is_first) {
    job->time_limit = CandidateTimeLimit(job->time_limit, false, first, first_seconds);
  }
  const Result<RunResult> ran = is_first ? RunFirst(*job) : harness_.Run(target_, *job);
  if (!ran) {
    // A candidate may have become something that the target does not support.
    const bool ends =
        is_first || ran.error().kind == ErrorKind::kFailed || harness_.IsLost(target_);
    return ends ? Result<bool>(ran.error()) : Result<bool>(false);
  }
  const Finding finding = FailureOf(target_.name, *ran);
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!first_) {
    first_ = finding;
    first_seconds_ = ran->seconds;
    if (signature_.empty() && finding.verdict) signature_ = finding.signature;
  }
  return finding.verdict && finding.signature == signature_;
}

Finding FailingTest::First() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return first_.value_or(Finding());
}

std::string FailingTest::signature() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return signature_;
}

}  // namespace reduce
}  // namespace refract
