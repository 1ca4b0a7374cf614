// SPDX-License-Identifier: Apache-2.0
// The tree of a graph: a parser of the grammar (docs/graphs.md), going from block to block by what
// their branches and merge instructions say. It knows nothing of dominance and asks no rule of
// flow_rules.h, so each of the two can tell on the other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cfg/graph.h"
#include "cfg/tree.h"

namespace refract::cfg {

struct ParseOptions {
  bool equal_labels = true;         ///< OpBranchConditional with equal labels: versions before 1.6
  bool ignore_unreachable = false;  ///< blocks that no structural edge reaches need not be chains
};

struct ParsedGraph {
  Tree tree;
  std::vector<uint32_t> blocks;  ///< of each node: the block of the graph
};

/// The error names a block and says what of the grammar it does not keep. Total: any graph whose
/// blocks name only blocks that are there.
Result<ParsedGraph> ParseGraph(const Graph& graph, const ParseOptions& options = {});

}  // namespace refract::cfg
