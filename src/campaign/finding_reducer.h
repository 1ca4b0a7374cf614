// SPDX-License-Identifier: Apache-2.0
// Reduces confirmed tests: a variant to the few steps that matter, a control-flow program to a
// small graph.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "campaign/finding_filer.h"
#include "campaign/finding_loader.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
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

  /// Reduces a test of state kConfirmed, writes its folder again, and files it as kReduced, kEnded
  /// or kFailed. If `stop` returns true, the state does not change. The next call then continues
  /// the reduction of a variant, and starts that of a program again. `now`: how many seconds the
  /// campaign has worked. Returns an Error if the store, the disk or the harness fails.
  Status Reduce(const Bucket& bucket, KeptTest kept, Harness& harness,
                const std::function<bool()>& stop, const std::function<double()>& now);

 private:
  /// One reduction under way.
  struct Work {
    const Bucket& bucket;
    KeptTest kept;
    Harness& harness;
    const std::function<bool()>& stop;   ///< stops the campaign
    const std::function<double()>& now;  ///< seconds of the campaign
    double begin;                        ///< of this reduction, as MonotonicSeconds

    /// Whether the reduction must end now.
    bool Ends() const;
  };
  Status ReduceVariant(const LoadedVariant& loaded, Work work);
  Status FinishVariant(const LoadedVariant& loaded, const Reduction& reduction, Work work);
  Status ReduceFleshed(const LoadedProgram& loaded, Work work);
  /// The file from which a stopped reduction continues.
  std::string JournalPath(const KeptTest& kept) const;

  const CampaignSetup& setup_;
  FindingLoader& loader_;
  FindingFiler& filer_;
};

}  // namespace campaign
}  // namespace refract
