// SPDX-License-Identifier: Apache-2.0
// Parses a graph to its tree by the grammar (docs/graphs.md), following branches and merge
// instructions from block to block. It uses neither dominance nor the rules of flow_rules.h, so
// that the parser and the rules can test each other.
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "cfg/graph.h"
#include "cfg/tree.h"

namespace refract::cfg {

struct ParseOptions {
  bool equal_labels = true;  ///< allow OpBranchConditional with equal labels: versions before 1.6
  bool ignore_unreachable = false;  ///< structurally unreachable blocks need not form chains
};

/// The tree of a graph, with the blocks of its nodes.
struct ParsedGraph {
  Tree tree;
  std::vector<uint32_t> blocks;  ///< for each node, the block of the graph
};

/// Fails with an error that names a block and the part of the grammar that it breaks. Total:
/// accepts any graph whose blocks refer only to existing blocks.
Result<ParsedGraph> ParseGraph(const Graph& graph, const ParseOptions& options = {});

}  // namespace refract::cfg
