// SPDX-License-Identifier: Apache-2.0
// What becomes of a test that is kept: run again to see how often it fails, written as a test
// folder, reduced; and where all that lies below OUT.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/result.h"
#include "campaign/references.h"
#include "campaign/setup.h"
#include "campaign/store.h"
#include "harness/harness.h"

namespace refract {

inline constexpr double kReduceSeconds = 600;  ///< that one reduction may take

/// A name for a folder that says `text` and differs for different ones: its letters and digits,
/// cut, and a hash. "crash-spirv-opt-SIGSEGV-1a2b3c4d".
std::string FolderName(const std::string& text);
/// "buckets/STAGE/SIGNATURE"; of faults of ours "own_errors/SIGNATURE". Below OUT.
std::string BucketFolder(const std::string& stage, const std::string& signature, bool own);

class Keeper {
 public:
  /// All must outlive this.
  Keeper(const CampaignSetup& setup, References& references, Store& store)
      : setup_(setup), references_(references), store_(store) {}

  /// How a failing outcome is filed.
  Filing FilingOf(const Outcome& outcome, const std::string& reference) const;

  /// From "found" to "confirmed" or "not_repeated", with a test folder. `now`: campaign seconds.
  /// An Error is the store's, the disk's or a harness that cannot work; what goes wrong with this
  /// test alone is its state "failed".
  Status Confirm(const Bucket& bucket, KeptTest kept, Harness& harness, double now);

  /// From "confirmed" to "reduced" or "ended". If `stop` says so all is left as it is, and what
  /// was tried is not tried again next time.
  Status Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                const std::function<bool()>& stop, const std::function<double()>& now);

 private:
  struct Subject;
  Result<Subject> Load(const Bucket& bucket, const KeptTest& kept, Harness& harness);
  Status Fail(KeptTest kept, const std::string& why);
  Status ConfirmOwn(const Bucket& bucket, KeptTest kept, double now);
  Status Finish(const Bucket& bucket, KeptTest kept, Subject& subject,
                const struct Reduction& found, Harness& harness, double now);
  Status MarkKnown(const Bucket& bucket, const KeptTest& kept);
  const KnownIssue* Known(KnownIssueFacts facts, const std::string& stage) const;
  const CampaignTargetState* TargetNamed(const std::string& name) const;
  std::string JournalOf(const KeptTest& kept) const;

  const CampaignSetup& setup_;
  References& references_;
  Store& store_;
};

}  // namespace refract
