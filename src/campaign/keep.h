// SPDX-License-Identifier: Apache-2.0
// What becomes of a test that is kept: run again to see how often it fails, written as a test
// folder, reduced; and where all that lies below OUT.
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

namespace refract::inline campaign {

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
  Status LoadVariant(const TestPlan& plan, Harness& harness, Subject* subject);
  Status Fail(KeptTest kept, const std::string& why);
  /// The same, unless the error is the store's, the disk's or a harness that cannot work.
  Status FailOf(KeptTest kept, const Error& error);
  Status ConfirmOwn(const Bucket& bucket, KeptTest kept, double now);
  /// The program, if it is one that fails as the bucket says without any variant.
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
  /// Moves what leaves something wrong to the bucket with that `sub`, and says in which folder it
  /// is then; nullopt if that has enough tests.
  Result<std::optional<Bucket>> MoveHome(const Bucket& bucket, const std::string& sub, double now,
                                         KeptTest* kept);
  /// `before`: its folder until now. `graph`: of a program; empty for variants.
  Status Reduced(const Bucket& home, KeptTest kept, const TestRecord& written,
                 const std::string& before, const std::string& graph, double now);
  Status Finish(const Bucket& bucket, KeptTest kept, Subject& subject,
                const struct Reduction& found, Harness& harness, double now);
  Status MarkKnown(const Bucket& bucket, const KeptTest& kept, const std::string& graph);
  const KnownIssue* Known(KnownIssueFacts facts, const std::string& stage) const;
  const CampaignTargetState* TargetNamed(const std::string& name) const;
  std::string JournalOf(const KeptTest& kept) const;

  const CampaignSetup& setup_;
  References& references_;
  Store& store_;
};

}  // namespace refract::inline campaign
