// SPDX-License-Identifier: Apache-2.0
// Runs the jobs of a test on targets, and repeats runs that hang or lose the device.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "campaign/hangs.h"
#include "campaign/store/store.h"
#include "campaign/work/devices.h"
#include "target/harness.h"
#include "target/time_limits.h"

namespace refract {
inline namespace campaign {

inline constexpr char kRefractTarget[] = "refract";  ///< Outcome::target of faults of Refract

/// An outcome for a fault of Refract. `stage` is what Refract was doing.
Outcome FaultOutcome(const std::string& stage, const std::string& what);
/// An outcome whose signature is only the verdict and the target: "slow lavapipe".
Outcome PlainOutcome(const std::string& target, FailureClass verdict, double seconds);
/// The outcome of a run that could not start. Returns an Error if no test can run any more.
Result<std::optional<Outcome>> OutcomeOfError(const std::string& target, const Error& error);

/// Whether the interpreter itself gave this result, and not a tool that ran before it.
bool IsFromInterpreter(const Target& target, const RunResult& ran);

/// Seconds of processor time that this thread has used.
double ThreadSeconds();

/// Runs the jobs of one test. All arguments of the constructor must outlive this.
class RetryingRunner {
 public:
  /// `where`: what runs the jobs, for messages: "test 7868".
  RetryingRunner(Hangs& hangs, Devices& devices, Harness& harness,
                 const std::function<bool()>& stop, std::string where)
      : hangs_(hangs),
        devices_(devices),
        harness_(harness),
        stop_(stop),
        where_(std::move(where)) {}

  /// Whether the test may run on this target of the campaign now: its device is not lost, and it
  /// did not hang too often.
  bool Allows(const std::string& name) { return devices_.Allows(name) && hangs_.Allows(name); }

  /// Runs `job` on `where`. `name` is the name of that target in the campaign. `before` is how many
  /// seconds the original took there. A run over the time limit becomes a hang, a slow run, or what
  /// it does when it runs alone. A device may also hang or be lost because of other programs that
  /// use it. Before anything but a tool is repeated, the job that `original` makes must therefore
  /// run again; it is known to run there (empty: no such module; the health check replaces it). If
  /// it does not run, or the target is lost (Harness::IsLost), the target is not usable, and its
  /// device is lost (Devices::Lose).
  Result<RunResult> Run(const std::string& name, const Target& where, double before, Job job,
                        const std::function<Result<Job>()>& original);

  /// Harness::stopped of the harness.
  const std::atomic<bool>& stopped() const { return harness_.stopped(); }

  /// Processor time of this thread that targets used, in seconds.
  double target_seconds = 0;

 private:
  Result<RunResult> RepeatHang(const std::string& name, const TimeLimits& time_limits,
                               const Job& job, RunResult result);
  RunResult LostTarget(const std::string& name, const Error& error, double seconds);
  Result<bool> Recovers(const std::string& name, const Target& where,
                        const std::function<Result<Job>()>& original, double time_limit);
  Result<RunResult> Repeat(const std::string& name, const Target& where,
                           const TimeLimits& time_limits, const Job& job, RunResult result);

  Hangs& hangs_;
  Devices& devices_;
  Harness& harness_;
  const std::function<bool()>& stop_;
  const std::string where_;
};

}  // namespace campaign
}  // namespace refract
