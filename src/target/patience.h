// SPDX-License-Identifier: Apache-2.0
// How long jobs may take on a target, and what those that take longer are: slow if they end when
// they have the machine for themselves and three times as long, hanging if not.
#pragma once

#include <functional>

#include "target/harness.h"
#include "driver/run.h"
#include "target/targets.h"

namespace refract::inline target {

/// Seconds until an original that is run once beside a variant counts as hung (`original_seconds`
/// is 0), and then until the variant does: what an original may take, its variant may take, too.
/// `given`: what a single module gets.
double PairLimit(double given, double original_seconds);

/// Jobs of one original and its variants on one target. Threads may use it at once.
class Patience {
 public:
  /// No job gets less than `least` seconds.
  static constexpr double kLeast = 10;
  /// A variant may take so many times as long as its original did there.
  static constexpr double kTimesOriginal = 20;
  /// What is over the limit gets so many times the limit, alone.
  static constexpr double kTimesAlone = 3;
  /// A hang that is to be reported must have hung so often.
  static constexpr int kConfirmations = 3;

  /// `original_seconds`: RunResult::seconds of the original on `target`; 0 before it has run. The
  /// harness must outlive this.
  Patience(Harness& harness, Target target, double original_seconds, double least = kLeast)
      : harness_(harness),
        target_(std::move(target)),
        limit_(std::max(least, kTimesOriginal * original_seconds)) {}

  /// Seconds that a job gets (Job::time_limit). What takes longer is to be repeated alone.
  double limit() const { return limit_; }

  /// What a job that was over the limit does with three times the limit and no other job of the
  /// harness beside it: kSlow if it ends well, kHang if it does not end, else what it did.
  RunResult RepeatAlone(const Job& job) const;
  /// The same beside others: for what is one more of a hang that is certain.
  RunResult RepeatBeside(const Job& job) const;

  /// RepeatAlone, and RepeatBeside until it was repeated so many times (1 or more): kHang only if
  /// it hung each time; else what it did the first time that it did not. Others wait only for the
  /// first: what does not end then is not slow because of them. `stop` is asked between two, and
  /// leaves it at a hang.
  RunResult ConfirmHang(const Job& job, int times = kConfirmations,
                        const std::function<bool()>& stop = {}) const;

 private:
  Job WithMoreTime(const Job& job) const;
  RunResult Judged(RunResult result) const;

  Harness& harness_;
  const Target target_;
  const double limit_;
};

}  // namespace refract::inline target
