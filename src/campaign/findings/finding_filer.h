// SPDX-License-Identifier: Apache-2.0
// Files failing tests: decides in which bucket and folder a test belongs, and stores the results
// of confirming and reducing it, with an event for each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/known_issues.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "target/blame.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// The folder of a test, relative to OUT as that of its bucket.
std::string TestFolder(const std::string& bucket_folder, uint64_t test);

/// The `sub` of the bucket of a reduced variant: shader stage and step types, without the types
/// that dedup ignores, and the optimiser pass that is to blame. "fragment: add_dead_break,
/// split_block (--ccp)".
std::string SubOfVariant(const Original& original, const std::vector<std::string>& types,
                         const std::optional<Blame>& blame = {});

/// Files tests. Several threads may use it at once.
class FindingFiler {
 public:
  /// All arguments must outlive this.
  FindingFiler(const CampaignSetup& setup, Store& store) : setup_(setup), store_(store) {}

  /// How a failing outcome is filed: in which bucket and folder, and how many tests are kept.
  /// `original`: the reference itself fails.
  Filing FilingOf(const Outcome& outcome, const std::string& reference,
                  bool original = false) const;

  /// The folder of a test, relative to OUT. That of an original has the name of the reference.
  std::string FolderOf(const std::string& bucket_folder, uint64_t test) const;

  /// The path of the folder of a test.
  std::string PathOf(const KeptTest& kept) const;

  /// Whether the target of a test is lost (Harness::IsLost), so that it must wait.
  bool IsTargetLost(const KeptTest& kept, Harness& harness) const;

  /// Stores that a test cannot be confirmed or reduced: state kFailed, with the reason.
  Status FileFailed(KeptTest kept, const std::string& why);
  /// The same, but returns errors of kind kFailed: the store, the disk or the harness fails, and
  /// not this test.
  Status FileFailed(KeptTest kept, const Error& error);

  /// Stores a test that ran again, in its new state.
  Status FileConfirmed(const Bucket& bucket, const KeptTest& kept, double now);

  /// Stores the time of a reduction that was stopped and will continue.
  Status FileUnfinished(const KeptTest& kept);

  /// Moves a test with a wrong output to the bucket with that `sub` and the tool or driver to
  /// blame, or its target if the blame is unclear; other tests stay. Sets the folder of the test.
  /// Returns the bucket of the test. If that bucket has enough tests, removes the test folder and
  /// returns nullopt.
  Result<std::optional<Bucket>> MoveToSub(const Bucket& bucket, const std::string& sub, double now,
                                          KeptTest* kept, const std::optional<Blame>& blame = {});

  /// Stores a reduced test, and marks its bucket if it now matches a known issue. `before`: the
  /// folder of the test until now, which is removed if it is another. `graph`: that of a
  /// control-flow program; empty for variants.
  Status FileReduced(const Bucket& bucket, const KeptTest& kept, const std::string& before,
                     const std::string& graph, double now);

 private:
  Status MarkKnown(const Bucket& bucket, const KeptTest& kept, const std::string& graph);
  const KnownIssue* FindKnown(KnownIssueFacts facts, const VersionedTarget* target,
                              const std::string& stage) const;

  const CampaignSetup& setup_;
  Store& store_;
};

}  // namespace campaign
}  // namespace refract
