// SPDX-License-Identifier: Apache-2.0
// Runs modules on targets. Each target's driver lives in worker processes (one per run going on at
// the same time) that stay warm and are replaced when they die; nothing a driver does reaches the
// caller but as a verdict. After a hang or a lost device a driver must first show that it is well
// (target/health.h). The output of command targets is drawn by a driver in the same way.
//
// The executable must call BecomeWorkerIfAsked (driver/worker.h), or do the like, at its start.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "target/job_gate.h"
#include "driver/run.h"
#include "target/targets.h"

namespace refract::inline target {

class WorkerProcess;

class Harness {
 public:
  Harness();
  ~Harness();
  Harness(const Harness&) = delete;
  Harness& operator=(const Harness&) = delete;

  /// Runs `job` on `target`, in a warm worker if there is one. What the driver does is the result;
  /// an Error means that it was not run: kUnavailable if the target is not on this machine or
  /// cannot run this module, kBadInput if the job makes no sense. Threads may call it at once.
  Result<RunResult> Run(const Target& target, const Job& job);

  /// The same with a verdict for everything: kUnsupported for a module that the target cannot run,
  /// kNotUsable for a target that is not there or that nothing runs on any more, kOurError for a
  /// job that makes no sense; `detail` says why.
  RunResult Try(const Target& target, const Job& job);
  /// Try while no other Run or Try of this harness is under way: waits until all are done, and
  /// those that come meanwhile wait for this one.
  RunResult TryAlone(const Target& target, const Job& job);

  /// Whether the target's driver hung or lost its device, and when it was asked next could not do
  /// any more what it always could (target/health.h): Run's kUnavailable is then not about the
  /// module. It is asked again with each job.
  bool IsLost(const Target& target);

  /// Opens the target's driver, or runs its tools, and asks what it is.
  TargetState Probe(const Target& target);

  /// Ends all idle workers in good order and returns what the validation layer said at the end of
  /// those that had it. Not while runs go on.
  std::vector<std::string> Close();

  /// Where what a command target makes is drawn: the driver it names, else the first that can be
  /// opened. kUnavailable if there is none.
  Result<Target> DriverOf(const CommandTarget& target);

 private:
  // An Error is not about the module: target not usable (kUnavailable), or ours.
  Result<RunResult> Attempt(const Target& target, const Job& job);
  Result<RunResult> AttemptOnDriver(const Target& target, const Job& job);
  Result<RunResult> AttemptTools(const CommandTarget& target, const Job& job);
  RunResult TryInside(const Target& target, const Job& job);
  Status CheckHealth(const Target& target, WorkerProcess& worker);
  using Idle = std::vector<std::unique_ptr<WorkerProcess>>;
  Result<std::unique_ptr<WorkerProcess>> Take(const Target& target, bool validate);
  void Suspect(const Target& target, bool validate, std::string_view why);
  void PutBack(const Target& target, bool validate, std::unique_ptr<WorkerProcess> worker);

  JobGate gate_;
  std::mutex mutex_;
  std::map<std::string, Idle> idle_;             // by what makes workers interchangeable
  std::map<std::string, std::string> suspects_;  // why a driver's health is in doubt; same keys
  std::set<std::string> lost_;                   // of the suspects those that did not do well since
  std::map<std::string, Target> driver_;  // by the name that a command target has for it, or ""
};

}  // namespace refract::inline target
