// SPDX-License-Identifier: Apache-2.0
// Tests whether a module shows a planted bug: runs the optimiser as a target in a separate process,
// and checks its output with the interpreter.
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

/// The bugs whose places the optimiser reaches in this module, with no bug enabled.
std::vector<Bug> BugsReached(const std::vector<uint32_t>& words);

/// How a run of the optimiser ended: the verdict and the signature.
struct OptimiserResult {
  RunOutcome verdict = RunOutcome::kOk;
  std::string signature;        ///< empty if it did not fail
  std::vector<uint32_t> words;  ///< the output
};

/// Runs the optimiser on an original and its variants. Can be used by several threads at once.
class OptimiserRunner {
 public:
  /// `optimiser`: the path of planted_opt; `original` must outlive this.
  OptimiserRunner(const std::string& optimiser, const Original& original);

  Result<OptimiserResult> Run(Bug bug, const std::vector<uint32_t>& words) const;
  /// Whether the bug shows: the optimiser crashes or hangs, or its output computes other outputs
  /// than the module. `signature` gets the signature of the failure; may be null.
  Result<bool> Shows(Bug bug, const std::vector<uint32_t>& words, const Context& context,
                     std::string* signature = nullptr) const;

 private:
  std::string optimiser_;
  const Original& original_;
};

/// A recording, described by what is needed to make it again.
struct PlantedRecording {
  std::string bug;
  std::string subject;  ///< "column_sort -O"
  uint64_t index = 0;   ///< of the variant (measure/variants.h)
  uint64_t seed = 0, max_steps = 0;
};
std::string ToLine(const PlantedRecording& recording);
Result<std::vector<PlantedRecording>> ReadRecordings(const std::string& file);

}  // namespace refract::planted
