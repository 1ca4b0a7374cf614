// SPDX-License-Identifier: Apache-2.0
// The fuzzer: swarm testing with the passes of the registry. It is deterministic: the same
// original, options, seed and version give the same recording and the same module on every machine.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract {
inline namespace engine {

/// Options of one run of the fuzzer.
struct FuzzOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 2000;
  uint64_t max_words = 0;  ///< limit for the result; 0: 16 times the original
  /// Names or families of the only passes, all enabled; empty: random.
  std::vector<std::string> passes;
  /// Names or families of passes that are enabled in addition to the random subset, and that run
  /// more often. Not with `passes`.
  std::vector<std::string> preferred;
  bool all_passes = false;  ///< enable all passes instead of a random subset
  /// Also enable the passes of the family `float`. Without it, they are enabled only if `passes`
  /// names them. The interpreter then certifies the result (take_back.h).
  bool float_identities = false;
  bool stop_by_chance = true;   ///< off only for measurements: run to max_steps or the size limit
  bool recommendations = true;  ///< prefer the passes that the last pass recommends
  std::vector<AnyMessage> donors;  ///< functions that may be added (donate/donors.h)
  /// Returns the donors when the run first needs one. It replaces `donors`: decoding them takes
  /// long compared to a run, and most runs add none. Must be deterministic. Fuzz returns its error.
  std::function<Result<std::vector<AnyMessage>>()> read_donors;
  bool validate = true;  ///< validate the result; off only for measurements or to examine a fault
  /// Let the interpreter check the outputs and all facts of the result, compare the whole image,
  /// and replay the recording. Also check the variant a few times while it grows (run_checks.cpp).
  bool self_check = false;
  bool execution_facts = false;  ///< take execution facts from the original
  /// With self_check, also called at each of its checks. Returns what is wrong with a result, or
  /// nullopt if nothing is. Must be deterministic.
  std::function<std::optional<std::string>(const Context&)> extra_check;
  /// Gets the smallest recording that shows the fault found by self_check; may be null.
  message::Recording* fault = nullptr;
};

/// Counts the offers of one transformation by their fate.
struct TypeStatistics {
  uint64_t offered = 0;
  uint64_t applied = 0;
  std::map<std::string, uint64_t> refused;  ///< by reason
};

/// A variant with its recording and what happened on the way.
struct FuzzResult {
  Context context;
  std::vector<uint32_t> words;
  message::Recording recording;
  std::map<std::string, TypeStatistics> statistics;  ///< by name; has every transformation
  std::vector<std::string> notes;  ///< what was not compared or not taken, and why
  bool judged = false;  ///< self_check compared the result with the original on some inputs
};

/// Refuses a name that is not a transformation or a family.
Status CheckPasses(const std::vector<std::string>& names);

/// Makes a variant. Refuses a name in options.passes that is not a transformation or a family. An
/// invalid result is a fault of Refract, and so is a difference that self_check finds: the Error
/// has the kind kFailed and names the step.
Result<FuzzResult> Fuzz(const Original& original, const FuzzOptions& options);

}  // namespace engine
}  // namespace refract
