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

namespace refract {
inline namespace campaign {

/// The folder of a test, relative to OUT as that of its bucket.
std::string TestFolder(const std::string& bucket_folder, uint64_t test);

/// The `sub` of the bucket of a reduced variant: shader stage and step types, without the types
/// that dedup ignores. "fragment: add_dead_break, split_block".
std::string SubOfVariant(const Original& original, const std::vector<std::string>& types);

/// Files tests. Several threads may use it at once.
class FindingFiler {
 public:
  /// All arguments must outlive this.
  FindingFiler(const CampaignSetup& setup, Store& store) : setup_(setup), store_(store) {}

  /// How a failing outcome is filed: in which bucket and folder, and how many tests are kept.
  Filing FilingOf(const Outcome& outcome, const std::string& reference) const;

  /// The path of the folder of a test.
  std::string PathOf(const KeptTest& kept) const;

  /// Stores that a test cannot be confirmed or reduced: state kFailed, with the reason.
  Status FileFailed(KeptTest kept, const std::string& why);
  /// The same, but returns errors of kind kFailed: the store, the disk or the harness fails, and
  /// not this test.
  Status FileFailed(KeptTest kept, const Error& error);

  /// Stores a test that ran again, in its new state.
  Status FileConfirmed(const Bucket& bucket, const KeptTest& kept, double now);

  /// Stores the time of a reduction that was stopped and will continue.
  Status FileUnfinished(const KeptTest& kept);

  /// Moves a test with a wrong output to the bucket with that `sub`; other tests stay. Sets the
  /// folder of the test. Returns the bucket of the test. If that bucket has enough tests, removes
  /// the test folder and returns nullopt.
  Result<std::optional<Bucket>> MoveToSub(const Bucket& bucket, const std::string& sub, double now,
                                          KeptTest* kept);

  /// Stores a reduced test, and marks its bucket if it now matches a known issue. `before`: the
  /// folder of the test until now, which is removed if it is another. `graph`: that of a
  /// control-flow program; empty for variants.
  Status FileReduced(const Bucket& bucket, const KeptTest& kept, const std::string& before,
                     const std::string& graph, double now);

 private:
  Status MarkKnown(const Bucket& bucket, const KeptTest& kept, const std::string& graph);
  const KnownIssue* FindKnown(KnownIssueFacts facts, const std::string& stage) const;

  const CampaignSetup& setup_;
  Store& store_;
};

}  // namespace campaign
}  // namespace refract
