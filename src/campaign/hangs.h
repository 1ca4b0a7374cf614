// SPDX-License-Identifier: Apache-2.0
// What hangs may cost a campaign. A hang is certain only after minutes, in part of which nothing
// else runs (target/patience.h), so the same one is not looked at for ever, and a target that
// hangs all the time is left alone most of it, for the sake of the others.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace refract::inline campaign {

/// Outcome::verdict of one, and how its signature begins.
inline constexpr char kHangVerdict[] = "hang";

/// Of one part of a campaign. Threads may use it at once.
class Hangs {
 public:
  /// Tests of a bucket that are looked at closely: repeated.
  static constexpr uint64_t kClosely = 3;
  /// Of all threads' time, what tests over the limit may take on one target; those that confirm a
  /// bucket do not count. In seconds: what they may take in any case, or one would do for all of a
  /// short campaign.
  static constexpr double kShare = 0.1;
  static constexpr double kGrace = 120;

  /// `jobs`: tests under way at a time. `targets`: the names of all.
  Hangs(uint32_t jobs, std::vector<std::string> targets);

  /// A hang that so many tests of earlier parts have shown.
  void Remember(const std::string& signature, uint64_t tests);

  /// How often what was over the limit is to be repeated, and to hang each time, before it is a
  /// hang: Patience::kConfirmations if that signature is new, else once (also while somebody is
  /// about to find out whether it is one); 0 once kClosely tests have shown it. Add follows.
  int Confirmations(const std::string& signature);

  /// A test was over the limit on `target`. `beside` and `alone`: seconds that it took while others
  /// could run and could not. `hung`: it is a hang.
  void Add(const std::string& target, const std::string& signature, double beside, double alone,
           bool hung);

  /// Whether a test may run there now. Each no is counted. Where all targets have taken more than
  /// they may, none is passed over: there is nothing to keep the time for.
  bool Allows(const std::string& target);
  /// Tests that did not run, by target.
  std::map<std::string, uint64_t> PassedOver() const;

 private:
  bool IsOver(const std::string& target) const;

  const double jobs_;
  const std::vector<std::string> targets_;
  const double begin_;
  mutable std::mutex mutex_;
  std::map<std::string, uint64_t> tests_;        // that hung, by signature
  std::map<std::string, uint64_t> looked_at_;    // tests that are under way, by signature
  std::map<std::string, double> spent_;          // seconds of threads, by target
  std::map<std::string, uint64_t> passed_over_;  // tests, by target
};

}  // namespace refract::inline campaign
