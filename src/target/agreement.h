// SPDX-License-Identifier: Apache-2.0
// Compares the outputs of one module on several targets with each other, and finds the targets
// whose outputs are wrong: those that differ from an exact result of the interpreter, or else from
// most of the targets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "image/compare.h"
#include "input/outputs.h"
#include "target/difference.h"

namespace refract {
inline namespace target {

/// What a target made of the module. Both are borrowed.
struct TargetOutputs {
  const std::string* target = nullptr;
  const Outputs* outputs = nullptr;
};

struct Agreement {
  /// Targets whose outputs agree with those of the first target of the group.
  struct Group {
    std::vector<size_t> targets;  ///< indices, in the order of the list
    std::string difference;       ///< from the first target of the first group; empty for that one
  };
  enum class Judge {
    kNone,         ///< no group has more than half of the targets
    kInterpreter,  ///< the first group has the exact result of the interpreter
    kMajority,     ///< the first group has more than half of the targets
  };
  /// First the group that is right, if one is. The others are sorted by size, the largest first,
  /// and then by their first target.
  std::vector<Group> groups;
  Judge judge = Judge::kNone;

  bool same() const { return groups.size() <= 1; }
};

/// Compares `outputs` under `rule`. `exact` is the index of the interpreter if its result is exact.
/// Under rules with a tolerance, A may agree with B and B with C although A differs from C. The
/// order of the list then decides which group B belongs to.
Agreement CompareTargets(const std::vector<TargetOutputs>& outputs, std::optional<size_t> exact,
                         const ComparisonRule& rule, const std::vector<BufferLayout>& layouts);

}  // namespace target
}  // namespace refract
