// SPDX-License-Identifier: Apache-2.0
// The references of a campaign: what the interpreter finds for each, and the results of three runs
// on each target. Both are kept in the store, so that a campaign that continues does not repeat
// them.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "reduce/target_interestingness.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// ContentHash of all outputs of a run; empty if there are no outputs.
std::string OutputsHash(const Outputs& outputs);

/// Checks the references, and knows the results.
class References {
 public:
  /// Takes results from the store that are for the same modules and the same versions of targets.
  /// `setup` and `store` must outlive this.
  static Result<std::unique_ptr<References>> Make(const CampaignSetup& setup, Store& store);

  /// Asks the interpreter for its verdict on a reference and runs it on all targets, unless the
  /// results are known. Several threads may call it at once. An Error means that the store failed,
  /// or that the harness cannot work.
  Status Check(size_t reference, Harness& harness);

  // The functions below require that Check was called for the reference.
  const CampaignReference& Record(size_t reference) const { return *states_[reference].record; }
  const Baseline& BaselineOf(size_t reference, size_t target) const {
    return *states_[reference].baselines[target];
  }
  /// Whether the outputs of its variants on that target are compared.
  bool IsCompared(size_t reference, size_t target) const;
  /// The comparison rule of the reference; exact if nothing is compared.
  CompareRule RuleOf(size_t reference) const;
  /// Null if the interpreter cannot run the reference, or finds undefined behaviour. Made at the
  /// first call.
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
  CampaignReference Evaluate(size_t reference);
  Result<Baseline> RunOn(size_t reference, size_t target, Harness& harness);
  Result<RunResult> RunOriginal(const Target& target, const Job& job, Harness& harness);
  bool HangsAlways(size_t target);
  void CountBaseline(size_t target, const Baseline& baseline);
  void Interpret(size_t reference, bool schedules);
  Status AddBaselineEvent(const Baseline& baseline);

  struct Tally {
    uint32_t hung = 0, others = 0;
  };

  const CampaignSetup& setup_;
  Store& store_;
  std::vector<State> states_;
  std::mutex mutex_;            // protects the member below
  std::vector<Tally> tallies_;  // by target: results of this part
};

}  // namespace campaign
}  // namespace refract
