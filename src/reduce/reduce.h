// SPDX-License-Identifier: Apache-2.0
// Finds the few steps of a recording with which its variant is still interesting. The result is
// 1-minimal: it is not interesting without any one of its steps and the steps that depend on that
// one. docs/reducing.md describes the algorithms.
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
#include "reduce/interestingness.h"

namespace refract {
inline namespace reduce {

enum class Algorithm : uint8_t {
  kBisect,   ///< finds the shortest interesting prefix, then what its last step depends on
  kHalving,  ///< leaves out chunks of halving size, starting at the end
  kCounter,  ///< chunk sizes follow the probability that a step matters (CDD)
};

/// The state of a reduction after a try.
struct Progress {
  std::string phase;  ///< "steps", "shrinking", "smallest"
  size_t size = 0;    ///< of the best so far: in steps, or in instructions for "smallest"
  size_t tries = 0;
  double seconds = 0;
};

struct ReduceOptions {
  Algorithm algorithm = Algorithm::kBisect;
  /// Only the algorithm of Donaldson et al. (2021): kHalving that tests modules again even if the
  /// answer is known, and the original too. For measurements.
  bool plain = false;
  uint32_t jobs = 1;  ///< tries at a time; the result does not depend on it
  /// After the search, make the remaining steps smaller: donated functions, values, lists
  /// (shrink/). Also number the ids densely. Ignored with `plain`.
  bool shrink = true;
  /// Called when the steps are reduced. If it returns true, the whole module is also made smaller,
  /// regardless of what it then computes (Reduction::smallest). For interestingness tests that
  /// ignore outputs. May be empty.
  std::function<bool()> smallest;
  /// The limit on tries for `smallest`. References took up to 150.
  size_t smallest_tries = 500;
  /// For a module without a recording. Called after the first answer. If it returns true, the
  /// failure is a wrong output: the inputs are also made smaller. May be empty.
  std::function<bool()> wrong_output;
  /// For the smallest wrong output: a candidate is interesting if it is in `wanted_runs` of `runs`
  /// runs (RepeatedTest).
  uint32_t wanted_runs = 1, runs = 1;
  /// For a module without a recording: ModuleReduction::left of a similar module, whose inputs are
  /// as small as possible. May be empty.
  std::vector<size_t> left;
  /// For a module without a recording: the ids of the result are not numbered densely.
  bool keep_ids = false;
  /// Also test the original, which should not be interesting (Reduction::original_interesting).
  bool ask_original = true;
  /// Called often; if it returns true, the reduction ends early with the best result so far. May be
  /// empty.
  std::function<bool()> stop;
  /// Called after each answer, in the calling thread; may be empty.
  std::function<void(const Progress&)> progress;
  /// The path of the journal of answers, with which a killed reduction can be resumed; empty: none.
  std::string journal;
  /// Describes the interestingness test in words. A journal with another description, module or
  /// recording is refused.
  std::string journal_key;
  bool resume = false;  ///< use the answers in the journal
};

/// The result of a reduction.
struct Reduction {
  enum class End : uint8_t {
    kDone,
    kNotInteresting,  ///< the variant is not interesting; no field below is set
    kStopped,         ///< stopped by ReduceOptions::stop; the result is the best so far
  };
  End end = End::kDone;
  message::Recording recording;  ///< with the remaining steps, which keep their numbers
  std::vector<uint32_t> words;   ///< of the variant that the recording makes
  std::shared_ptr<const Inputs> inputs;
  std::shared_ptr<const Context> context;  ///< the context of the words
  size_t steps = 0;
  /// The size of the difference to the original, as `refract diff --count` counts it.
  size_t instructions = 0;
  /// Tries for the result, variant and original included; the same for any `jobs`.
  size_t tries = 0;
  size_t judged = 0;     ///< actual runs of the test: more with `jobs`, fewer after a resume
  bool minimal = false;  ///< true if a sweep over all steps proved that the result is 1-minimal
  bool original_interesting = false;
  std::vector<uint32_t> smallest;  ///< empty: not asked for, or the reduction ended before
  size_t smallest_tries = 0;       ///< tries for it, in addition to `tries`
  double seconds = 0;
  double testing_seconds = 0;  ///< the time in which at least one try was running
};

/// Reduces a recording. Fails with the errors of Replay for bad input, with an error of the
/// interestingness test, or with kFailed if the journal cannot be written.
Result<Reduction> Reduce(const Original& original, const message::Recording& recording,
                         const ReduceOptions& options, InterestingnessTest& test);

/// Convert between algorithms and their names "bisect", "halving" and "counter".
std::string_view AlgorithmName(Algorithm algorithm);
std::optional<Algorithm> AlgorithmByName(std::string_view name);

}  // namespace reduce
}  // namespace refract
