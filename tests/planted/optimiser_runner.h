// SPDX-License-Identifier: Apache-2.0
// Whether a module shows a planted bug: the optimiser as a target, in a process of its own, and of
// what it makes the interpreter's judgement.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/original.h"
#include "interp/interpreter.h"
#include "planted/bugs.h"
#include "target/run_commands.h"

namespace refract::planted {

/// The bugs whose places the optimiser comes to in this module, with none switched on.
std::vector<Bug> BugsReached(const std::vector<uint32_t>& words);
std::optional<Bug> BugByName(std::string_view name);

/// How a run of the optimiser ended: the verdict, and what its failure is called.
struct OptimiserResult {
  RunOutcome verdict = RunOutcome::kOk;
  std::string signature;        ///< empty if it is none
  std::vector<uint32_t> words;  ///< what it made
};

/// The optimiser at work on an original and its variants. Threads may ask at once.
class OptimiserRunner {
 public:
  /// `optimiser`: the path of planted_opt; `original` must outlive this.
  OptimiserRunner(const std::string& optimiser, const Original& original);

  Result<OptimiserResult> Run(Bug bug, const std::vector<uint32_t>& words) const;
  /// Whether the bug shows: it crashes or hangs, or what comes out leaves something else behind
  /// than the module. `signature` gets what the failure is called; may be null.
  Result<bool> Shows(Bug bug, const std::vector<uint32_t>& words, const Context& context,
                     std::string* signature = nullptr) const;

 private:
  std::string optimiser_;
  const Original& original_;
};

/// A recording by what it takes to make it again.
struct PlantedRecording {
  std::string bug;
  std::string subject;  ///< "column_sort -O"
  uint64_t index = 0;   ///< of the variant (measure/variants.h)
  uint64_t seed = 0, max_steps = 0;
};
std::string ToLine(const PlantedRecording& recording);
Result<std::vector<PlantedRecording>> ReadRecordings(const std::string& file);

}  // namespace refract::planted
