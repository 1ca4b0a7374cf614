// SPDX-License-Identifier: Apache-2.0
// The references of a campaign: what the interpreter finds for each, and the results of three runs
// on each target. Both are kept in the store, so that a campaign that continues does not repeat
// them.
#pragma once

#include <atomic>
#include <functional>
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

/// Files an outcome: a target fails on the reference without any change (failing_original.h).
using FileOriginal = std::function<Status(size_t reference, const Outcome& outcome)>;

/// Checks the references, and knows the results.
class References {
 public:
  /// Takes results from the store that are for the same modules and the same versions of targets.
  /// `setup` and `store` must outlive this.
  static Result<std::unique_ptr<References>> Make(const CampaignSetup& setup, Store& store);

  /// Check calls `file` for each failure of a target. A failure may be filed again.
  void SetFile(FileOriginal file) { file_ = std::move(file); }

  /// Stores the references that were skipped, with an event for each that is new.
  Status StoreSkipped();

  /// Asks the interpreter for its verdict on a reference and runs it on all targets, unless the
  /// results are known. A reference that is put aside runs nowhere. Several threads may call it at
  /// once. An Error means that the store failed, that the harness cannot work, or that all
  /// references are put aside and there is nothing else to test.
  Status Check(size_t reference, Harness& harness);
  /// How many references have been checked since the start.
  size_t checked() const { return checked_; }

  /// Whether the reference was checked on that target. Check leaves out targets whose device is
  /// lost, and all targets if the reference is put aside.
  bool HasBaseline(size_t reference, size_t target);

  /// Whether Check put the reference aside, so that no test uses it (IsPutAside).
  bool IsAside(size_t reference);

  // The functions below require that Check was called for the reference, and BaselineOf and
  // IsCompared require HasBaseline.
  const CampaignReference& Record(size_t reference) const { return *states_[reference].record; }
  const Baseline& BaselineOf(size_t reference, size_t target) const {
    return *states_[reference].baselines[target];
  }
  /// Whether the outputs of its variants on that target are compared.
  bool IsCompared(size_t reference, size_t target) const;
  /// The comparison rule of the reference without bounds, with the thresholds of the campaign;
  /// exact if nothing is compared.
  ComparisonRule PlainRuleOf(size_t reference) const;
  /// The comparison rule of the reference with the bounds of the interpreter, which interprets the
  /// reference at the first call.
  ComparisonRule RuleOf(size_t reference);
  /// Null if the interpreter cannot run the reference, or finds undefined behaviour. Made at the
  /// first call.
  const Interpretation* InterpretationOf(size_t reference);
  RunSettings settings() const;
  /// Once `*stop` is true, the interpreter ends (Harness::stopped). Null: never.
  void set_stop(const std::atomic<bool>* stop) { stop_ = stop; }

 private:
  struct State {
    std::optional<CampaignReference> record;
    std::vector<std::optional<Baseline>> baselines;  // by target
    bool interpreted = false;
    bool checked = false;
    std::optional<Interpretation> interpretation;
    std::mutex mutex;
  };

  References(const CampaignSetup& setup, Store& store);
  Result<CampaignReference> Evaluate(size_t reference);
  Result<Baseline> RunOn(size_t reference, size_t target, Harness& harness);
  const Interpretation* ExactInterpretationOf(size_t reference);
  Status FileFailure(size_t reference, const Target& target, const RunResult& ran);
  Status PutAside(const CampaignReference& record);
  Status CheckRemaining();
  Status StoreReference(const CampaignReference& record, const char* event);
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
  FileOriginal file_;
  const std::atomic<bool>* stop_ = nullptr;
  std::vector<State> states_;
  std::atomic<size_t> checked_{0};
  std::mutex mutex_;                 // protects the members below
  std::vector<Tally> tallies_;       // by target: results of this part
  std::vector<std::string> asides_;  // "NAME: REASON"
};

}  // namespace campaign
}  // namespace refract
