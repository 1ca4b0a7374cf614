// SPDX-License-Identifier: Apache-2.0
#include "campaign/retrying_runner.h"

#include <time.h>

#include "base/clock.h"
#include "base/text.h"
#include "target/health.h"

namespace refract {
inline namespace campaign {
Outcome FaultOutcome(const std::string& stage, const std::string& what) {
  FailureData facts;
  facts.target = kRefractTarget;
  facts.stage = stage;
  facts.kind = FailureClass::kError;
  facts.detail = what;
  return {kRefractTarget, FailureClass::kOurError, SignatureOf(facts).text, 0};
}

Outcome PlainOutcome(const std::string& target, FailureClass verdict, double seconds) {
  return {target, verdict, format("{} {}", TextOf(verdict), target), seconds};
}

Result<std::optional<Outcome>> OutcomeOfError(const std::string& target, const Error& error) {
  if (error.kind == ErrorKind::kUnavailable) {
    return std::optional<Outcome>(PlainOutcome(target, FailureClass::kUnsupported, 0));
  }
  if (error.kind == ErrorKind::kFailed) return error;
  return std::optional<Outcome>(FaultOutcome("harness", error.message));
}

bool IsFromInterpreter(const Target& target, const RunResult& ran) {
  return IsInterpreted(target) && ran.target == "interp";
}

double ThreadSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

Result<RunResult> RetryingRunner::Run(const std::string& name, const Target& where, double before,
                                      Job job, const std::function<Result<Job>()>& original) {
  const TimeLimits time_limits(harness_, where, before, job.time_limit);
  job.time_limit = time_limits.limit();
  const double begin = ThreadSeconds(), clock = MonotonicSeconds();
  Result<RunResult> ran = harness_.Run(where, job);
  if (IsInterpreted(where)) target_seconds += ThreadSeconds() - begin;
  if (!ran && ran.error().kind == ErrorKind::kUnavailable && harness_.IsLost(where)) {
    return LostTarget(name, ran.error(), MonotonicSeconds() - clock);
  }
  const bool disturbing =
      ran && (ran->verdict == RunOutcome::kHang || ran->verdict == RunOutcome::kDeviceLost);
  if (!disturbing || IsFromInterpreter(where, *ran)) return ran;
  const Result<bool> recovers = IsFromTool(where, *ran)
                                    ? Result<bool>(true)
                                    : Recovers(name, where, original, time_limits.limit());
  if (!recovers) return recovers.error();
  if (!*recovers) {
    ran->verdict = RunOutcome::kNotUsable;
    ran->detail = format("after {}: the original does not run any more", ran->detail);
    return ran;
  }
  Result<RunResult> again = Repeat(name, where, time_limits, job, std::move(*ran));
  if (again && harness_.IsLost(where)) devices_.Lose(name, where_, again->detail);
  return again;
}

Result<RunResult> RetryingRunner::Repeat(const std::string& name, const Target& where,
                                         const TimeLimits& time_limits, const Job& job,
                                         RunResult result) {
  if (result.verdict == RunOutcome::kHang) {
    return RepeatHang(name, time_limits, job, std::move(result));
  }
  const double alone = MonotonicSeconds();
  RunResult again = harness_.TryAlone(where, job);
  hangs_.Add(name, Signature(result), 0, MonotonicSeconds() - alone, false);
  if (again.verdict == RunOutcome::kOurError) return Error{again.detail, ErrorKind::kFailed};
  return again;
}

// The result for a lost target. The time that it took to find out counts like a hang, because it is
// lost for other targets.
RunResult RetryingRunner::LostTarget(const std::string& name, const Error& error, double seconds) {
  RunResult lost;
  lost.target = name;
  lost.verdict = RunOutcome::kNotUsable;
  lost.detail = error.message;
  hangs_.Add(name, Signature(lost), seconds, 0, false);
  devices_.Lose(name, where_, error.message);
  return lost;
}

// Whether the original still runs. Only the first of several threads that see a device hang finds
// this out: it may take a minute, during which no other job runs.
Result<bool> RetryingRunner::Recovers(const std::string& name, const Target& where,
                                      const std::function<Result<Job>()>& original,
                                      double time_limit) {
  const std::unique_lock<std::mutex> one_thread = devices_.LockRecovery(name);
  if (!devices_.IsUsable(name)) return false;
  const std::optional<Target> driver = harness_.DriverUnder(where);
  if (!original && !driver) return true;
  Result<Job> job = original ? original() : Result<Job>(HealthJob());
  if (!job) return job.error();
  if (original) job->time_limit = time_limit;
  const RunResult ran = harness_.TryAlone(original ? where : *driver, *job);
  if (harness_.IsStopped()) return Error{"stopped", ErrorKind::kFailed};
  if (ran.verdict == RunOutcome::kOk) return true;
  devices_.Lose(name, where_, ran.detail);
  return false;
}

Result<RunResult> RetryingRunner::RepeatHang(const std::string& name, const TimeLimits& time_limits,
                                             const Job& job, RunResult result) {
  const std::string signature = Signature(result);
  double beside = result.seconds, alone = 0;
  const double begin = MonotonicSeconds();
  const int times = hangs_.RunsToConfirm(signature);
  if (times > 1) {
    result = time_limits.ConfirmHang(job, result, times, stop_);
    alone = MonotonicSeconds() - begin;
  } else if (times == 1) {
    result = time_limits.RepeatConcurrently(job);
    beside += MonotonicSeconds() - begin;
  }
  hangs_.Add(name, signature, beside, alone, result.verdict == RunOutcome::kHang);
  if (result.verdict == RunOutcome::kNotUsable) {
    result.detail = "after a hang, which nobody can confirm";
  }
  // The job was accepted before, so this error is one of the machine.
  if (result.verdict == RunOutcome::kOurError) return Error{result.detail, ErrorKind::kFailed};
  return result;
}

}  // namespace campaign
}  // namespace refract
