// SPDX-License-Identifier: Apache-2.0
// What there is in a graph, counted; and asking for graphs that have so much of it.
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

enum class Feature : uint8_t {
  kBlocks,
  kHeaders,
  kLoops,
  kSelections,
  kSwitches,
  kEnds,         ///< blocks that end the function
  kExits,        ///< branches out of a construct, but those of a header to its own merge block
  kConditional,  ///< conditional branches without merge instruction
  kJoins,        ///< selections whose arms meet before the merge block
  kFalls,        ///< cases that fall through
  kDepth,        ///< constructs around a block, at most
  kUnreachable,  ///< blocks that no branch leads to from the entry block
  kDetached,     ///< ... nor any merge instruction
  kInfinite,     ///< loops that can be entered and from which no branch leads to an end
  kCount,
};
/// "blocks", "headers", ... as --want has them.
std::string_view NameOf(Feature feature);

using Features = std::array<uint32_t, static_cast<size_t>(Feature::kCount)>;
/// `graph` is MakeGraph(tree).
Features CountFeatures(const Tree& tree, const Graph& graph);
inline uint32_t Of(const Features& features, Feature feature) {
  return features[static_cast<size_t>(feature)];
}

/// What is asked for: from `least` to `most` of each.
struct Wanted {
  struct Range {
    uint32_t least = 0, most = std::numeric_limits<uint32_t>::max();
  };
  std::array<Range, static_cast<size_t>(Feature::kCount)> ranges;
  bool any = false;  ///< whether anything is asked for at all
  bool Has(const Features& features) const;
};
/// Reads "loops=2", "depth=3..", "exits=..4" or "joins=1..2", each of `texts` one.
Result<Wanted> ReadWanted(std::span<const std::string> texts);

/// Whether three blocks follow each other with nothing else between: each the only structural
/// successor of the one before, and that its only predecessor, back edges to itself aside.
bool HasStraightTriple(const Graph& graph);
/// What Grammar::one_outermost, ::long_continue and ::distinct_labels leave to be asked of a graph
/// for the conditions D1 to D6 of docs/graphs.md: a loop, no straight triple, and that where the
/// outermost construct is a loop its continue target is no header.
bool IsVarious(const Tree& tree, const Graph& graph);

}  // namespace refract::cfg
