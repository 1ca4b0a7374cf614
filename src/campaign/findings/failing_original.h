// SPDX-License-Identifier: Apache-2.0
// A reference that fails on a target without any change: the target crashes, hangs or fails in
// another way, or its outputs are not those of the interpreter. Decides whether this is a failure
// of the target, makes the module smaller, and writes the test folder.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/setup.h"
#include "campaign/store/store.h"
#include "engine/original.h"
#include "folder/test_folder.h"
#include "reduce/smallest_wrong_output.h"
#include "reduce/target_interestingness.h"
#include "shrink/shrink_module.h"
#include "target/finding.h"
#include "target/harness.h"

namespace refract {
inline namespace campaign {

/// The outcome to file for one run of an original on `target`. `interpretation`: null, or as for
/// FindingOfModule. Returns nullopt if this is no failure of the target: the
/// run is ok, the target does not accept the module, or the interpreter failed.
std::optional<Outcome> OutcomeOfOriginal(const Target& target, const RunResult& ran,
                                         const Interpretation* interpretation);

/// The test with this outcome.
CampaignTest TestOfOriginal(const CampaignSetup& setup, size_t reference, const Outcome& outcome);

/// An original that fails on a target, and how it is run.
struct FailingOriginal {
  const Original& original;
  const Target& target;
  std::string signature;                           ///< of the failure
  const Interpretation* interpretation = nullptr;  ///< as for FindingOfModule
  RunSettings run;
  uint32_t confirmations = 3;
};

/// Whether a module shrinker can make such an original smaller: it crashes or ends with an error,
/// and does not take long to do so.
bool IsShrinkable(FailureClass verdict);

/// Makes the module smaller. The result fails on the target with the same signature, but computes
/// something else. An error if the failure does not reproduce at the beginning.
Result<ShrunkModule> ShrinkFailingOriginal(const FailingOriginal& test, Harness& harness,
                                           const std::function<bool()>& stop);

/// Runs the original `test.confirmations` times, counts how often it fails with the signature, and
/// writes the folder. `smallest`: has the smaller module, and the self-checking one if there is
/// one. Returns the content of test.json. Ends early if a run loses the target.
Result<TestRecord> WriteFailingOriginal(const std::string& folder, const FailingOriginal& test,
                                        const SmallestWrongOutput& smallest, Harness& harness);

}  // namespace campaign
}  // namespace refract
