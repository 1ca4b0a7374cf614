// SPDX-License-Identifier: Apache-2.0
// The fuzzer: swarm testing over the passes of the registry. Deterministic: the same original,
// options, seed and version give the same recording and module on every machine.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "message/recording.h"

namespace refract::inline engine {

struct FuzzOptions {
  uint64_t seed = 0;
  uint32_t max_steps = 2000;
  uint64_t max_words = 0;           ///< of the result; 0: 16 times the original's
  std::vector<std::string> passes;  ///< only these, or of these families, all on; empty: drawn
  bool all_passes = false;          ///< all on instead of a random subset
  bool stop_by_chance = true;       ///< off only to measure: on to max_steps or the growth limit
  bool recommendations = true;      ///< follow-ons of a pass are more likely next
  std::vector<AnyMessage> donors;   ///< functions that may be added (donate/donors.h)
  /// Gives them instead, where the run first comes to add one: decoding them takes long beside a
  /// run, and most runs add none. Deterministic; its error is Fuzz's.
  std::function<Result<std::vector<AnyMessage>>()> read_donors;
  bool validate = true;  ///< the result; off only to measure, or to look into a fault
  /// After every pass: validity, the interpreter's judgement and its audit of all facts; at the end
  /// the whole picture, and a replay.
  bool self_check = false;
  bool execution_facts = false;  ///< let the interpreter take some from the original
  /// With self_check, asked as well after every pass: what is wrong with a result, nullopt if
  /// nothing. Deterministic.
  std::function<std::optional<std::string>(const Context&)> also_ask;
  /// Gets the smallest recording found that shows what self_check found; may be null.
  message::Recording* fault = nullptr;
};

/// What happened to the offers of one transformation.
struct TypeStatistics {
  uint64_t offered = 0;
  uint64_t applied = 0;
  std::map<std::string, uint64_t> refused;  ///< by reason
};

struct FuzzResult {
  Context context;
  std::vector<uint32_t> words;
  message::Recording recording;
  std::map<std::string, TypeStatistics> statistics;  ///< by name; every transformation is there
  std::vector<std::string> notes;                    ///< what was not judged or not taken, and why
  bool judged = false;  ///< self_check compared the result with the original, on some inputs
};

/// A name in options.passes that is no transformation or family of them is refused. A result that
/// is not valid is our own fault: an Error of kind kFailed that says which steps lead to it; so is
/// what self_check finds, where it names the step.
Result<FuzzResult> Fuzz(const Original& original, const FuzzOptions& options);

}  // namespace refract::inline engine
