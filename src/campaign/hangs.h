// SPDX-License-Identifier: Apache-2.0
// Limits what hangs cost a campaign. It takes minutes to confirm a hang, and for part of that time
// nothing else runs (target/time_limits.h). The same hang is therefore confirmed only a few times.
// Tests skip a target that hangs often, so that time is left for the other targets.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace refract {
inline namespace campaign {

/// The hangs of one part of a campaign. Several threads may use it at once.
class Hangs {
 public:
  /// Number of tests of a bucket whose runs are repeated to confirm the hang.
  static constexpr uint64_t kConfirmedTests = 3;
  /// The share of all threads' time that runs over the time limit may take on one target. Runs that
  /// confirm a bucket do not count. kMinSeconds is the least that such runs may take, in seconds:
  /// otherwise one hang would use up the share of a short campaign.
  static constexpr double kMaxShare = 0.1;
  static constexpr double kMinSeconds = 120;

  /// `jobs`: number of tests that run at the same time. `targets`: the names of all targets.
  Hangs(uint32_t jobs, std::vector<std::string> targets);

  /// Stores that `tests` tests of earlier parts have shown this hang.
  void AddEarlierTests(const std::string& signature, uint64_t tests);

  /// How often a run over the limit must be repeated, and hang each time, to count as a hang:
  /// TimeLimits::kConfirmations if the signature is new, 0 if kConfirmedTests tests have shown it,
  /// else once (also while another thread confirms it). Call Add afterwards.
  int RunsToConfirm(const std::string& signature);

  /// Stores that a run on `target` was over the limit. `shared_seconds`, `alone_seconds`: how long
  /// the run and its repetitions took while other jobs could run, and while none could. `hung`: it
  /// is a hang.
  void Add(const std::string& target, const std::string& signature, double shared_seconds,
           double alone_seconds, bool hung);

  /// Whether a test may run on `target` now. Each refusal is counted. If all targets are over their
  /// share, no target is skipped, because there is no other target to save the time for.
  bool Allows(const std::string& target);
  /// Whether tests skip `target` now: what Allows would return, but nothing is counted.
  bool IsSkipped(const std::string& target) const;
  /// By target: the number of tests that skipped it.
  std::map<std::string, uint64_t> SkippedTests() const;

 private:
  bool IsOverShare(const std::string& target) const;
  bool MustSkip(const std::string& target) const;

  const double jobs_;
  const std::vector<std::string> targets_;
  const double begin_;
  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> tests_;       // tests that hung, by signature
  std::map<std::string, uint64_t> confirming_;  // tests under confirmation, by signature
  std::map<std::string, double> seconds_;       // seconds of all threads, by target
  std::map<std::string, uint64_t> skipped_;     // tests that skipped it, by target
};

}  // namespace campaign
}  // namespace refract
