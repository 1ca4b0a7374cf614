// SPDX-License-Identifier: Apache-2.0
// Reducing: of a recording whose variant a judge calls interesting, the few steps that matter. What
// comes out is 1-minimal: without any one of its steps, and what cannot be applied without it, it
// is not interesting any more. docs/reducing.md says how that is found with few tries.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "engine/original.h"
#include "message/recording.h"
#include "reduce/judge.h"

namespace refract::inline reduce {

enum class Algorithm : uint8_t {
  kBisect,  ///< the shortest beginning that is interesting, and from there what its last step needs
  kHalving,  ///< chunks left out from the end on, halved until they are single steps
  kCounter,  ///< chunks of a size that follows how likely a step matters (CDD)
};

struct Progress {
  std::string phase;  ///< "steps", "shrinking", "smallest"
  size_t size = 0;    ///< of the best so far: in steps; of "smallest" in instructions
  size_t tries = 0;
  double seconds = 0;
};

struct ReduceOptions {
  Algorithm algorithm = Algorithm::kBisect;
  /// The algorithm of Donaldson et al. (2021) and nothing more: kHalving, in which also what is
  /// known already, or the original itself, is judged again. For measurements.
  bool plain = false;
  uint32_t jobs = 1;  ///< tries at a time; the result is the same as with one
  /// Then the steps that are left are made smaller: donated functions, values, lists (shrink/); and
  /// ids get dense. Not with `plain`.
  bool shrink = true;
  /// Asked once the steps are reduced: whether the whole module is then made smaller, too, whatever
  /// it computes (Reduction::smallest). For judges that do not look at what comes out; empty: no.
  std::function<bool()> smallest;
  /// Tries that making it smaller may take: what there is then is good. References took up to 150.
  size_t smallest_tries = 500;
  /// Also judge the original, which should not be interesting (Reduction::original_interesting).
  bool ask_original = true;
  /// Asked often; true ends the reduction early, with the best so far. May be empty.
  std::function<bool()> stop;
  /// Called after each answer, in this thread; may be empty.
  std::function<void(const Progress&)> progress;
  /// Where answers are kept, so that a reduction that was killed can go on; empty: nowhere.
  std::string journal;
  /// What answers depend on beside module and inputs (the judge in words): a journal of another
  /// judge, module or recording is refused.
  std::string journal_key;
  bool resume = false;  ///< use the answers that are in the journal
};

struct Reduction {
  enum class End : uint8_t {
    kDone,
    kNotInteresting,  ///< the variant itself is not: nothing below is filled in
    kStopped,         ///< by ReduceOptions::stop: the best so far
  };
  End end = End::kDone;
  message::Recording recording;  ///< with the steps that are left, which keep their numbers
  std::vector<uint32_t> words;   ///< of its variant
  std::shared_ptr<const Inputs> inputs;
  std::shared_ptr<const Context> context;  ///< that the words are of
  size_t steps = 0;
  /// Of the difference to the original: as `refract diff --count` has them.
  size_t instructions = 0;
  size_t tries = 0;  ///< that the result needed, with variant and original; the same for any `jobs`
  size_t judged = 0;     ///< times the judge was asked: also for nothing, or less when resumed
  bool minimal = false;  ///< proven by a sweep over all steps
  bool original_interesting = false;
  std::vector<uint32_t> smallest;  ///< empty: not asked for, or it was ended before
  size_t smallest_tries = 0;       ///< that this took, beside the others
  double seconds = 0;
  double judging_seconds = 0;  ///< in which at least one try was being judged
};

/// Bad input as Replay has it; an error of the judge; kFailed if the journal cannot be written.
Result<Reduction> Reduce(const Original& original, const message::Recording& recording,
                         const ReduceOptions& options, Judge& judge);

/// "bisect", "halving", "counter", and back.
std::string_view AlgorithmName(Algorithm algorithm);
std::optional<Algorithm> AlgorithmByName(std::string_view name);

}  // namespace refract::inline reduce
