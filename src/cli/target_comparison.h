// SPDX-License-Identifier: Apache-2.0
// The comparison of targets with each other in `refract run`: which target is wrong?
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/run_report.h"
#include "image/compare.h"
#include "target/agreement.h"
#include "target/difference.h"

namespace refract {
inline namespace cli {

/// How the outputs of targets are compared.
struct TargetRule {
  ComparisonRule rule;
  bool exact = false;      ///< the interpreter found that MODULE has only one correct output
  std::string no_meaning;  ///< why a difference need not be a bug of a target; else empty
};

/// The outputs of the modules of one role ("original", "variant") on several targets.
struct TargetComparison {
  std::string role;
  std::vector<std::string> targets;  ///< those that have outputs
  Agreement agreement;               ///< of `targets`
};

/// Compares for each role the targets that have outputs. A role with fewer than two has no element.
std::vector<TargetComparison> CompareTargets(const std::vector<TargetReport>& reports,
                                             const TargetRule& rule,
                                             const std::vector<BufferLayout>& layouts);

/// Whether targets differ, and the difference is a bug of a target.
bool IsFinding(const std::vector<TargetComparison>& comparisons, const TargetRule& rule);

std::string Summary(const std::vector<TargetComparison>& comparisons, const TargetRule& rule);
nlohmann::ordered_json ToJson(const std::vector<TargetComparison>& comparisons,
                              const TargetRule& rule);

}  // namespace cli
}  // namespace refract
