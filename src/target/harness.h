// SPDX-License-Identifier: Apache-2.0
// Runs modules on targets. The driver of a target is loaded only by worker processes, one for each
// run that is under way. Workers are kept for further jobs and replaced when they die, so whatever
// a driver does reaches the caller only as a verdict. After a hang or a lost device, a driver must
// first pass a health check (target/health.h). The output of a command target is drawn by a driver
// in the same way.
//
// The executable must call BecomeWorkerIfAsked (driver/worker.h), or do the same, at its start.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/run.h"
#include "target/job_gate.h"
#include "target/targets.h"

namespace refract {
inline namespace target {

class WorkerProcess;

class Harness {
 public:
  Harness();
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  /// Runs `job` on `target`, in an idle worker if there is one. What the driver does is the result.
  /// An Error means that the job was not run: kUnavailable if the target is not on this machine or
  /// cannot run this module, kBadInput if the job is not meaningful. Several threads may
  /// call this at the same time.
  Result<RunResult> Run(const Target& target, const Job& job);

  /// Like Run, but gives a verdict instead of an Error: kUnsupported for a module that the target
  /// cannot run, kNotUsable for a target that is missing or lost, kOurError for a job that is not
  /// meaningful. `detail` gives the reason.
  RunResult Try(const Target& target, const Job& job);
  /// Like Try, while no other Run or Try of this harness is under way. It waits until all of them
  /// are done, and later calls wait for it.
  RunResult TryAlone(const Target& target, const Job& job);

  /// Ends all runs under way within seconds, and all later runs at once: Run returns an Error of
  /// kind kFailed, and Try the verdict kOurError. What was computed meanwhile with a result of this
  /// harness must be discarded. It cannot be undone.
  void Stop() { stopped_ = true; }
  bool IsStopped() const { return stopped_; }
  /// True after Stop. For the interpreter (OriginalCheckOptions::stop, RunInterpreted).
  const std::atomic<bool>& stopped() const { return stopped_; }

  /// The driver that the target runs: itself, or the driver that draws the output of a command
  /// target. nullopt if it runs none.
  std::optional<Target> DriverUnder(const Target& target);

  /// Runs only the health check of a driver, in a new worker. It does not wait for jobs that run
  /// alone. Returns the reason if the driver is not usable.
  Status CheckDriver(const Target& driver);

  /// Whether the target is lost: its driver hung or lost its device, and then failed the health
  /// check (target/health.h). A kUnavailable of Run is then not about the module. Each job repeats
  /// the health check.
  bool IsLost(const Target& target);

  /// Opens the target's driver, or runs its tools, and returns what they report about themselves.
  TargetState Probe(const Target& target);

  /// Ends all idle workers in an orderly way. Returns the messages that the validation layer
  /// printed at their end. Do not call it while a run is under way.
  std::vector<std::string> Close();

  /// The driver that draws the output of a command target: the one that the target names, else the
  /// first that can be opened. kUnavailable if not found.
  Result<Target> DriverOf(const CommandTarget& target);

 private:
  // An Error is not about the module: the target is not usable (kUnavailable), or the job is wrong.
  Result<RunResult> Attempt(const Target& target, const Job& job);
  Result<RunResult> AttemptOnDriver(const Target& target, const Job& job);
  Result<RunResult> AttemptTools(const CommandTarget& target, const Job& job);
  RunResult TryInside(const Target& target, const Job& job);
  Status CheckHealth(const Target& target, WorkerProcess& worker);
  using Idle = std::vector<std::unique_ptr<WorkerProcess>>;
  Result<std::unique_ptr<WorkerProcess>> Take(const Target& target, bool validate);
  void MarkAsSuspect(const Target& target, bool validate, std::string_view why);
  void PutBack(const Target& target, bool validate, std::unique_ptr<WorkerProcess> worker);

  std::atomic<bool> stopped_{false};
  JobGate gate_;
  std::mutex mutex_;
  std::map<std::string, Idle> idle_;  // by target and validation: such workers are interchangeable
  std::map<std::string, std::string> suspects_;  // why a health check is due; same keys
  std::set<std::string> lost_;                   // the suspects that failed the last health check
  std::map<std::string, Target> driver_;         // by the name in the command target, or ""
};

}  // namespace target
}  // namespace refract
