// SPDX-License-Identifier: Apache-2.0
// Graphs that break one rule and no other: what a validator is tested with.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "cfg/generate.h"
#include "cfg/graph.h"

namespace refract::cfg {

/// The rules of flow_rules.h that a graph can break, and no other with it: not those that need an
/// OpPhi, blocks without an end or a thousand constructs in each other, nor two that are never
/// broken alone (docs/graphs.md has the proofs).
std::vector<std::string_view> BreakableRules();
/// The version that a module must have to break the rule: VersionWord(1, 3) but for what 1.6 asks.
uint32_t VersionFor(std::string_view rule);

/// Draws a graph and changes it until it breaks that rule, one of BreakableRules, and none of the
/// others. The blocks stand in the order of their numbers. An error if none is found.
Result<Graph> DrawInvalid(std::string_view rule, Generator& generator, Random* random);

}  // namespace refract::cfg
