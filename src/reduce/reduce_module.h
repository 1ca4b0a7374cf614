// SPDX-License-Identifier: Apache-2.0
// Reduces a module without a recording: it becomes smaller by shrink passes as long as it is
// interesting, whatever it then computes.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/result.h"
#include "engine/original.h"
#include "reduce/interestingness.h"
#include "reduce/reduce.h"
#include "reduce/try_scheduler.h"
#include "shrink/shrink_module.h"

namespace refract {
inline namespace reduce {

/// The result of ReduceModule.
struct ModuleReduction {
  Reduction::End end = Reduction::End::kDone;
  std::vector<uint32_t> words;           ///< the smallest interesting module; empty: none is known
  std::shared_ptr<const Inputs> inputs;  ///< of the result; null: none
  std::shared_ptr<const Module> module;  ///< as in Candidate
  std::vector<size_t> left;              ///< as in ShrunkModule
  size_t instructions_before = 0;        ///< of the source
  size_t instructions = 0;               ///< of the result
  size_t tries = 0;                      ///< the source included; the same for any `jobs`
  size_t judged = 0;                     ///< actual runs of the test
  /// True if no shrink pass has a change left, false if a limit ended the reduction.
  bool minimal = false;
  double seconds = 0;
};

/// Reduces the module of `source`. The first try is the module itself. Of the options, it uses
/// jobs, smallest_tries, wrong_output, left, keep_ids, stop, progress, journal, journal_key and
/// resume. Fails as Reduce does.
Result<ModuleReduction> ReduceModule(const Original& source, const ReduceOptions& options,
                                     InterestingnessTest& test);

/// Shrinks a module and asks the scheduler. If several jobs are free, it starts the tries of later
/// candidates early. `inputs` (may be null) are those of every candidate.
Result<ShrunkModule> ShrinkByTries(const ModuleSource& source,
                                   const std::shared_ptr<const Inputs>& inputs,
                                   TryScheduler* scheduler, const ShrinkOptions& options);

}  // namespace reduce
}  // namespace refract
