// SPDX-License-Identifier: Apache-2.0
// Counts features of graphs and selects graphs by them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "cfg/graph.h"
#include "cfg/tree.h"

namespace refract::cfg {

/// What is counted in a graph.
enum class Feature : uint8_t {
  kBlocks,
  kHeaders,
  kLoops,
  kSelections,
  kSwitches,
  kEnds,         ///< blocks that end the function
  kExits,        ///< branches out of a construct, except from a header to its merge block
  kConditional,  ///< conditional branches without a merge instruction
  kJoins,        ///< selections whose arms join before the merge block
  kFalls,        ///< cases that fall through
  kDepth,        ///< the largest number of constructs around a block
  kUnreachable,  ///< blocks to which no branches lead from the entry block
  kDetached,     ///< unreachable also over edges to merge blocks and continue targets
  kInfinite,     ///< loops that can be entered and from which no branches lead to an end
  kCount,
};
/// Returns the name of a feature as in --want: "blocks", "headers" and so on.
std::string_view NameOf(Feature feature);

using Features = std::array<uint32_t, static_cast<size_t>(Feature::kCount)>;
/// `graph` must be MakeGraph(tree).
Features CountFeatures(const Tree& tree, const Graph& graph);
inline uint32_t Of(const Features& features, Feature feature) {
  return features[static_cast<size_t>(feature)];
}

/// The wanted range, from `least` to `most`, of each feature.
struct FeatureRanges {
  struct Range {
    uint32_t least = 0, most = std::numeric_limits<uint32_t>::max();
  };
  std::array<Range, static_cast<size_t>(Feature::kCount)> ranges;
  bool any = false;  ///< false if no feature is restricted
  bool Has(const Features& features) const;
};
/// Reads ranges such as "loops=2", "depth=3..", "exits=..4" or "joins=1..2", one in each of
/// `texts`.
Result<FeatureRanges> ReadWanted(std::span<const std::string> texts);

/// True if three blocks follow each other and no other edge enters or leaves between them: each one
/// is the only structural successor of the one before, which is its only structural predecessor.
/// Back edges from a block to itself do not count.
bool HasStraightTriple(const Graph& graph);
/// Checks those of the conditions D1 to D6 of docs/graphs.md that Grammar::one_outermost,
/// ::long_continue and ::distinct_labels do not ensure: there is a loop, there is no straight
/// triple, and if the outermost construct is a loop, its continue target is not a header.
bool IsVarious(const Tree& tree, const Graph& graph);

}  // namespace refract::cfg
