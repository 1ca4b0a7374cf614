// SPDX-License-Identifier: Apache-2.0
// Processes the tests that a campaign keeps: confirms them with more runs, writes their test
// folders, reduces them, and chooses their folders below OUT.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "campaign/failing_program.h"
#include "campaign/references.h"
#include "campaign/setup.h"
#include "campaign/store.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {
struct Reduction;
}  // namespace reduce
}  // namespace refract

namespace refract {
inline namespace campaign {

inline constexpr double kReduceSeconds = 600;  ///< time limit of one reduction

/// Confirms and reduces kept tests.
class Keeper {
 public:
  /// All arguments must outlive this.
  Keeper(const CampaignSetup& setup, References& references, Store& store)
      : setup_(setup), references_(references), store_(store) {}

  /// How a failing outcome is filed: in which bucket and folder, and how many tests are kept.
  Filing FilingOf(const Outcome& outcome, const std::string& reference) const;

  /// Takes a test from state "found" to "confirmed" or "not_repeated" and writes its test folder.
  /// `now`: how many seconds the campaign has worked. Returns an Error if the store, the disk or
  /// the harness fails. If only this test cannot be processed, its state becomes "failed".
  Status Confirm(const Bucket& bucket, KeptTest kept, Harness& harness, double now);

  /// Takes a test from state "confirmed" to "reduced" or "ended". If `stop` returns true, the state
  /// does not change. The next call then continues the reduction of a variant, and starts that of a
  /// program again.
  Status Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                const std::function<bool()>& stop, const std::function<double()>& now);

 private:
  struct Subject;
  Result<Subject> Load(const Bucket& bucket, const KeptTest& kept, Harness& harness);
  Status LoadVariant(const TestPlan& plan, Harness& harness, Subject* subject);
  /// Sets the state of a test to "failed", with the reason.
  Status Fail(KeptTest kept, const std::string& why);
  /// The same, but returns errors of the store, the disk or the harness.
  Status FailOf(KeptTest kept, const Error& error);
  Status ConfirmOwn(const Bucket& bucket, KeptTest kept, double now);
  /// The control-flow program of the test, if it fails as the bucket says without any variant.
  Result<std::optional<FleshedProgram>> FailingAlone(const Bucket& bucket, const KeptTest& kept,
                                                     Harness& harness) const;
  FailingProgram FailingProgramOf(const Bucket& bucket, const KeptTest& kept,
                                  const FleshedProgram& program) const;
  Status ConfirmProgram(const Bucket& bucket, KeptTest kept, const FleshedProgram& program,
                        Harness& harness, double now);
  Status ReduceAlone(const Bucket& bucket, KeptTest kept, const FleshedProgram& program,
                     Harness& harness, const std::function<bool()>& stop, double begin,
                     const std::function<double()>& now);
  Status Confirmed(const Bucket& bucket, KeptTest kept, const TestRecord& written, double now);
  /// Moves a test with a wrong output to the bucket with that `sub`, and sets the folder of the
  /// test. Returns the bucket of the test, or nullopt if that bucket has enough tests.
  Result<std::optional<Bucket>> MoveHome(const Bucket& bucket, const std::string& sub, double now,
                                         KeptTest* kept);
  /// Stores a reduced test. `before`: its folder until now. `graph`: that of a program; empty for
  /// variants.
  Status Reduced(const Bucket& home, KeptTest kept, const TestRecord& written,
                 const std::string& before, const std::string& graph, double now);
  Status Finish(const Bucket& bucket, KeptTest kept, Subject& subject, const Reduction& found,
                Harness& harness, double now);
  Status MarkKnown(const Bucket& bucket, const KeptTest& kept, const std::string& graph);
  const KnownIssue* Known(KnownIssueFacts facts, const std::string& stage) const;
  const CampaignTargetState* TargetNamed(const std::string& name) const;
  std::string JournalOf(const KeptTest& kept) const;

  const CampaignSetup& setup_;
  References& references_;
  Store& store_;
};

}  // namespace campaign
}  // namespace refract
