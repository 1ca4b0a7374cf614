// SPDX-License-Identifier: Apache-2.0
// Reduces confirmed tests: a variant to the few steps that matter, a program with known output to a
// small program of the same kind, a reference that fails without any change to a smaller module.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "base/result.h"
#include "campaign/findings/failing_program.h"
#include "campaign/findings/finding_filer.h"
#include "campaign/findings/finding_loader.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "reduce/reduce.h"
#include "reduce/smallest_wrong_output.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

inline constexpr double kReduceSeconds = 600;  ///< time limit of one reduction

/// Reduces kept tests. Several threads may use it at once.
class FindingReducer {
 public:
  /// All arguments must outlive this.
  FindingReducer(const CampaignSetup& setup, FindingLoader& loader, FindingFiler& filer)
      : setup_(setup), loader_(loader), filer_(filer) {}

  /// Reduces a test of state kConfirmed for at most `slice` seconds, writes its folder again, and
  /// files it as kReduced, kEnded or kFailed. If `stop` returns true, the slice is over or the
  /// target is lost, the state does not change. The next call then continues the reduction; of a
  /// program, only in the same part of the campaign. `now`: how many seconds the campaign has
  /// worked. Returns an Error if the store, the disk or the harness fails.
  Status Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                const std::function<bool()>& stop, double slice,
                const std::function<double()>& now);

 private:
  /// One reduction under way.
  struct Work {
    const Bucket& bucket;
    KeptTest kept;
    Harness& harness;
    const std::function<bool()>& stop;   ///< stops the campaign
    const std::function<double()>& now;  ///< seconds of the campaign
    double begin;                        ///< of this slice, as MonotonicSeconds
    double slice_end;                    ///< the same
    double limit;  ///< seconds from `begin` until the reduction has its result

    /// Whether the reduction must end now.
    bool Ends() const;
    /// Whether a reduction that ended early continues later.
    bool Continues() const;
  };
  /// Files a test whose reduction continues later. `folder`: that of the test until now.
  Status FileUnfinished(Work work, const std::string& folder);
  /// Whether the target is lost, and the reduction of the test may continue later. A reduction
  /// that loses its target again and again does not.
  bool WaitsForTarget(const Work& work, const Target& target);
  Status ReduceVariant(const LoadedVariant& loaded, Work work);
  /// Makes the small programs of a wrong output: of a reduced variant, or of an original if
  /// `reduction` is null. Adds the seconds that it takes to those of the test. Sets `*later` if it
  /// must continue later.
  Result<SmallestWrongOutput> MakeSmallPrograms(const Original& original,
                                                const Reduction* reduction, const Target& target,
                                                const RunSettings& run, Work* work, bool* later);
  Status FinishVariant(const LoadedVariant& loaded, const Reduction& reduction, Work work);
  Status ReduceOriginal(const LoadedOriginal& loaded, Work work);
  /// Makes the module smaller, and sets the state and the detail of the test. Sets `*later` as
  /// MakeSmallPrograms does.
  Result<SmallestWrongOutput> ShrinkOriginal(const LoadedOriginal& loaded, Work* work, bool* later);
  Status ReduceTestProgram(const LoadedProgram& loaded, Work work);
  /// The options of a reduction whose journal ends with `suffix`. Its folder must exist.
  ReduceOptions OptionsFor(const Work& work, std::string_view suffix) const;
  /// The file from which a stopped reduction continues.
  std::string JournalPath(const KeptTest& kept) const;
  /// Removes the files from which the reductions of a test continue.
  void RemoveJournalsOf(const KeptTest& kept) const;

  const CampaignSetup& setup_;
  FindingLoader& loader_;
  FindingFiler& filer_;
  std::mutex mutex_;  // protects the members below, which are by KeptTest::id
  std::map<int64_t, ProgramProgress> programs_;  // one thread at a time uses each
  std::map<int64_t, uint32_t> losses_;           // how often the target was lost in the reduction
};

}  // namespace campaign
}  // namespace refract
