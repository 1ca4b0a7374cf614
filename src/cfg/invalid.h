// SPDX-License-Identifier: Apache-2.0
// Makes graphs that break one rule and no other, to test validators.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "base/result.h"
#include "cfg/generate.h"
#include "cfg/graph.h"

namespace refract::cfg {

/// Returns the rules of flow_rules.h that a graph can break alone. Left out are rules that need an
/// OpPhi, blocks without a terminator or a thousand nested constructs, and two rules that are never
/// broken alone (docs/graphs.md has the proofs).
std::vector<std::string_view> BreakableRules();
/// Returns the version that a module needs to break the rule: VersionWord(1, 3), or 1.6 for rules
/// of that version.
uint32_t VersionFor(std::string_view rule);

/// Draws a graph and changes it until it breaks `rule`, one of BreakableRules, and no other. The
/// blocks of the module are in the order of their numbers. Fails if no such graph is found.
Result<Graph> DrawInvalid(std::string_view rule, Generator& generator, Random* random);

}  // namespace refract::cfg
