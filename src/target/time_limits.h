// SPDX-License-Identifier: Apache-2.0
// Time limits of jobs on a target, and the verdict on jobs that exceed them: slow if they end
// within three times the limit when nothing else slows them, a hang if they do not.
#pragma once

#include <functional>

#include "driver/run.h"
#include "target/harness.h"
#include "target/targets.h"

namespace refract {
inline namespace target {

/// The time limit in seconds for an original that runs once next to a variant (`original_seconds`
/// is 0), and then for the variant. A variant may take as long as an original may. `given` is the
/// limit for a single module.
double PairLimit(double given, double original_seconds);

/// Whether a tool of a command target gave this result, and not the driver after it: no device took
/// part.
bool IsFromTool(const Target& target, const RunResult& result);

/// The time limit for the jobs of one original and its variants on one target. Several threads
/// may use it at the same time.
class TimeLimits {
 public:
  /// The shortest limit, unless the constructor gets another, in seconds.
  static constexpr double kLeast = 10;
  /// A variant may take this many times as long as its original on the target.
  static constexpr double kTimesOriginal = 20;
  /// A job over the limit is repeated with this many times the limit.
  static constexpr double kTimesAgain = 3;
  /// A tool that used a processor for this share of its time was not slowed by other jobs. Other
  /// jobs still share caches and the halves of a core with it: kTimesAgain is more than that costs.
  static constexpr double kShareOfBusy = 0.8;
  /// A hang is reported only if the job hangs this many times.
  static constexpr int kConfirmations = 3;

  /// `original_seconds` is RunResult::seconds of the original on `target`; 0 before it has run. The
  /// harness must outlive this object.
  TimeLimits(Harness& harness, Target target, double original_seconds, double least = kLeast)
      : harness_(harness),
        target_(std::move(target)),
        limit_(std::max(least, kTimesOriginal * original_seconds)) {}

  /// The limit of a job in seconds (Job::time_limit). Repeat a job that takes longer with
  /// Repeat.
  double limit() const { return limit_; }

  /// Runs a job again that was over the limit, with three times the limit. `over` is the result of
  /// the run that was over the limit. The verdict is kSlow if the job ends normally and kHang if it
  /// does not end. The job runs alone, while no other job of the harness runs, except if `over`
  /// and the repetition are runs of a tool that had a processor all the time: all other jobs would
  /// wait for nothing.
  RunResult Repeat(const Job& job, const RunResult& over) const;
  /// The same while other jobs run. Use it if the module is known to hang.
  RunResult RepeatConcurrently(const Job& job) const;

  /// Repeats the job `times` times (at least once), the first time by Repeat and then while other
  /// jobs run. The verdict is kHang only if it hung each time; else it is that of the first run
  /// that did not. A job that does not end in the first repetition is not slow because of other
  /// jobs. `stop` is called between two runs; if it returns true, the verdict stays kHang.
  RunResult ConfirmHang(const Job& job, const RunResult& over, int times = kConfirmations,
                        const std::function<bool()>& stop = {}) const;

 private:
  Job WithMoreTime(const Job& job) const;
  RunResult MarkSlowIfOk(RunResult result) const;
  bool ToolHadProcessor(const RunResult& result) const;

  Harness& harness_;
  const Target target_;
  const double limit_;
};

}  // namespace target
}  // namespace refract
