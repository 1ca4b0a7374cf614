// SPDX-License-Identifier: Apache-2.0
// Makes whole modules smaller if the failure is a wrong output: first the original and the variant
// together, and then the one whose output is wrong alone. The interpreter decides which output is
// correct, because the smaller modules compute something else.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"
#include "reduce/reduce.h"
#include "reduce/reduce_module.h"
#include "reduce/self_checking.h"
#include "reduce/smallest_pair.h"
#include "reduce/target_interestingness.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {

struct SmallestWrongOutput {
  /// The smallest original and variant.
  SmallestPair pair;
  /// The smallest module alone; `words` are empty without one, and `why_not` is the reason.
  ModuleReduction module;
  std::string why_not;
  /// The smallest module as one that compares its own output; or why there is none.
  std::optional<SelfCheckingModule> self_checking;
  std::string why_not_checking;
  bool is_stopped = false;  ///< ReduceOptions::stop ended it; the results are the best so far
};

/// `recording` is of `original`, and `variant` is the module that it makes. Of `options`, it uses
/// what ReduceModule uses, for each of the two reductions. The second one has its own journal
/// (ModuleJournalOf). Fails as ReduceModule does.
Result<SmallestWrongOutput> ReduceWrongOutput(const Original& original,
                                              const message::Recording& recording,
                                              const Candidate& variant, const Target& target,
                                              const RunSettings& run, const ReduceOptions& options,
                                              Harness& harness);

/// The path of the second journal; empty without a first one.
std::string ModuleJournalOf(const std::string& journal);

}  // namespace reduce
}  // namespace refract
