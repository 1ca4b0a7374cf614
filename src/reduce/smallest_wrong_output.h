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

/// A limit on the tries of each reduction of a wrong output, which needs more of a module than a
/// crash does.
constexpr size_t kWrongOutputTries = 2000;

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
/// what ReduceModule uses, for each of the two reductions, and how often a candidate is run. The
/// second reduction has its own journal (ModuleJournalOf). With `resume`, a journal that does not
/// exist yet is begun. Fails as ReduceModule does.
Result<SmallestWrongOutput> ReduceWrongOutput(const Original& original,
                                              const message::Recording& recording,
                                              const Candidate& variant, const Target& target,
                                              const RunSettings& run, const ReduceOptions& options,
                                              Harness& harness);

/// The same for a module whose output is wrong without any change. There is no pair, and only one
/// journal.
Result<SmallestWrongOutput> ReduceWrongModule(const Original& module, const Target& target,
                                              const RunSettings& run, const ReduceOptions& options,
                                              Harness& harness);

/// The path of the second journal; empty without a first one.
std::string ModuleJournalOf(const std::string& journal);
/// Removes both journals.
void RemoveJournals(const std::string& journal);

}  // namespace reduce
}  // namespace refract
