// SPDX-License-Identifier: Apache-2.0
// Makes an original and its variant smaller together if the failure is a wrong output. The steps of
// a recording refer to things of the original by permanent names, so they can be applied to a
// smaller original.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"
#include "reduce/interestingness.h"
#include "reduce/reduce.h"
#include "reduce/reduce_module.h"
#include "reduce/target_interestingness.h"
#include "target/harness.h"

namespace refract {
inline namespace reduce {

/// An original, and the variant that a recording makes of it.
struct Pair {
  Original original;
  Candidate variant;
};

/// Applies the steps of `recording`, whose original is `source`, to a smaller original. Takes the
/// execution facts again. Returns nothing if a step does not apply, or if one of the modules is not
/// valid.
std::optional<Pair> MakePair(const Original& source, const message::Recording& recording,
                             const Candidate& smaller);

/// A candidate is a smaller original. It is interesting if all steps apply to it, if the output of
/// both modules of the pair is exact and the same (InterpretExactly), and if the target gives
/// another output for one of them: the one whose output it got wrong in the first pair.
class PairTest : public InterestingnessTest {
 public:
  /// `source`, `recording` and `harness` must outlive this object.
  PairTest(const Original& source, const message::Recording& recording, Target target,
           RunSettings run, Harness& harness);
  Result<bool> IsInteresting(const Candidate& candidate) override;
  bool MayBeInteresting(const Candidate& candidate, const Module& module) override;

  /// Why the first pair is not interesting; empty if it is.
  std::string why_not();
  /// True if the target gets the output of the original wrong, and not that of the variant.
  bool IsOriginalWrong();

 private:
  struct FirstPair {
    std::string why_not;
    bool is_original_wrong = false;
    std::string signature;
    double seconds = 0, interpreter_seconds = 0;
  };
  struct Outcome {
    std::string why_not;
    bool is_original_wrong = false;
    Finding finding;  // of the module with the wrong output
  };
  Result<Outcome> Judge(const Pair& pair, const std::optional<FirstPair>& first, FirstPair* taken);
  std::optional<FirstPair> first();

  const Original& source_;
  const message::Recording& recording_;
  const Target target_;
  RunSettings run_;
  Harness& harness_;
  std::mutex mutex_;
  std::optional<FirstPair> first_;
};

struct SmallestPair {
  ModuleReduction reduction;  ///< of the original
  std::optional<Pair> pair;   ///< empty if there is no result
  bool is_original_wrong = false;
  std::string why_not;  ///< if it ended with kNotInteresting: why there is no result
};

/// `recording` is of `original`. Of `options`, it uses what ReduceModule uses. Fails as
/// ReduceModule does.
Result<SmallestPair> ReducePair(const Original& original, const message::Recording& recording,
                                const Target& target, const RunSettings& run, ReduceOptions options,
                                Harness& harness);

}  // namespace reduce
}  // namespace refract
