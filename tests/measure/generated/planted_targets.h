// SPDX-License-Identifier: Apache-2.0
// The optimiser with planted bugs as targets: one for each bug and one without a bug. All of them
// run the passes whose bugs need divergence, and the interpreter runs their outputs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "campaign/programs/program_test.h"
#include "planted/bugs.h"
#include "target/harness.h"

namespace refract::measure {

class PlantedTargets {
 public:
  static constexpr double kTimeLimit = 10;  ///< seconds, for each run

  /// `optimiser`: the path of planted_opt.
  static Result<PlantedTargets> Make(const std::string& optimiser);

  /// nullopt: without a bug.
  const Target& Of(std::optional<planted::Bug> bug) const { return targets_.at(bug); }

  /// The signature of the program's failure on the target; empty if it computes its expected
  /// output.
  Result<std::string> FailureOf(const TestProgram& program, std::optional<planted::Bug> bug,
                                Harness& harness) const;

  /// The bugs whose places the optimiser reaches in this module while no bug is enabled.
  static std::vector<planted::Bug> BugsReached(const std::vector<uint32_t>& words);

 private:
  std::map<std::optional<planted::Bug>, Target> targets_;
};

/// Processor time of this process and of its children that ended.
double ProcessorSeconds();

}  // namespace refract::measure
