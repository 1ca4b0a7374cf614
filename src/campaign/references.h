// SPDX-License-Identifier: Apache-2.0
// The references of a campaign as it begins: what the interpreter says of each, and what each
// target makes of it in three runs. Kept in the store, so that going on costs nothing.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"
#include "campaign/store.h"
#include "target/harness.h"
#include "reduce/target_judge.h"

namespace refract::inline campaign {

/// ContentHash of all that a run left behind; empty if that is nothing.
std::string OutputsHash(const Outputs& outputs);

class References {
 public:
  /// Takes over what the store knows of the same modules on the same versions of targets. Both must
  /// outlive this.
  static Result<std::unique_ptr<References>> Make(const CampaignSetup& setup, Store& store);

  /// Has the interpreter judge a reference and runs it on all targets, unless that is known.
  /// Threads may ask at once. An Error is the store's, or a harness that cannot work.
  Status Check(size_t reference, Harness& harness);

  // Once it was checked:
  const CampaignReference& Record(size_t reference) const { return *states_[reference].record; }
  const Baseline& BaselineOf(size_t reference, size_t target) const {
    return *states_[reference].baselines[target];
  }
  /// Whether what variants of it leave behind on that target is compared.
  bool IsCompared(size_t reference, size_t target) const;
  /// The rule by which; exact where nothing is.
  CompareRule RuleOf(size_t reference) const;
  /// Null where the interpreter cannot say anything, or what it says is that something is
  /// undefined. Made when first asked for.
  const Interpretation* InterpretationOf(size_t reference);
  RunSettings settings() const;

 private:
  struct State {
    std::optional<CampaignReference> record;
    std::vector<std::optional<Baseline>> baselines;  // by target
    bool interpreted = false;
    std::optional<Interpretation> interpretation;
    std::mutex mutex;
  };

  References(const CampaignSetup& setup, Store& store);
  CampaignReference Judge(size_t reference);
  Result<Baseline> RunOn(size_t reference, size_t target, Harness& harness);
  Result<RunResult> RunOriginal(const Target& target, const Job& job, Harness& harness);
  bool HangsAlways(size_t target);
  void Count(size_t target, const Baseline& baseline);
  void Interpret(size_t reference, bool schedules);
  Status TellDifference(const Baseline& baseline);

  struct Tally {
    uint32_t hung = 0, others = 0;
  };

  const CampaignSetup& setup_;
  Store& store_;
  std::vector<State> states_;
  std::mutex mutex_;            // for
  std::vector<Tally> tallies_;  // of references that ran in this part, by target
};

}  // namespace refract::inline campaign
