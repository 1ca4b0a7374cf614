// SPDX-License-Identifier: Apache-2.0
// Derivation trees, the form in which structured control-flow graphs are generated, changed and
// made smaller.
//
// WHY TREES. The rules of structured control flow (SPIR-V 1.6 revision 2, 2.11; flow_rules.h) say
// what a graph must not do. They can be expressed as a grammar (docs/graphs.md): constructs nest,
// are entered only at their header, and are continued only at their merge block. With nested
// constructs taken as single steps, the inside of a construct consists of chains of blocks; a
// selection has one or two of them, which may join. A graph keeps the rules exactly if the grammar
// derives it, and it has one derivation. So a tree is a graph together with its nesting. Every tree
// is valid, so trees need no check, no rejection, and no comparison up to isomorphism.
//
// STRUCTURE. A tree has one node for each block, in one vector in preorder. A chain is a sequence
// of nodes. A plain node is a block without a merge instruction. If one of its edges is kNext, the
// chain continues after it; otherwise the chain ends. A header is followed by the chains inside its
// construct:
//
//   selection  its arms (one for each edge kArm) and then, if it `joins`, the chain in which both
//              edges come together: arms that join it end with an edge kJoin, and an edge kJoin of
//              the header leads there directly
//   loop       its body (if it has an edge kArm), then its continue construct, a chain that ends
//              with the back edge (kHeader); a single-block loop has neither
//   switch     its cases, in the order in which their labels first appear
//
// After them comes its merge block: the first node after the `size` nodes of the construct, on the
// same chain. Nodes after the end of the first chain form further chains to which no block of the
// first leads: unreachable blocks.
//
// EDGES. The targets of edges are relative: "out of the surrounding loop", not "to block 17". The
// code calls its kind an EdgeKind:
//
//   kNext      to the next block of the chain
//   kArm       (headers) to the next of the header's own chains that no earlier edge has
//   kJoin      to the chain in which the arms of the surrounding selection join
//   kSelection to the merge block of the selection that has this chain, or of the header itself
//   kSwitch    to the merge block of the surrounding switch
//   kBreak     to the merge block of the surrounding loop; of loop headers and back-edge blocks, to
//              that of their own loop
//   kContinue  to the continue target of the surrounding loop; of loop headers, to their own
//   kFall      to the case that this case falls through to
//   kHeader    to the loop header: the back edge
//
// A switch has a list instead of edges. It has a number for each label of OpSwitch, the default
// first: 0 is the merge block, and i is the i-th case. Then it has, for each case, the case that it
// falls through to, or 0.
//
// VIEWS. Graph, module, text, hash and drawing are made from the tree. Blocks have the numbers of
// their nodes, which is a valid order of blocks in a module. parse.h makes the tree of a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cfg/graph.h"

namespace refract::cfg {

enum class NodeKind : uint8_t { kPlain, kSelection, kLoop, kSwitch };

/// The target of an edge, relative to the node.
enum class EdgeKind : uint8_t {
  kNext,
  kArm,
  kJoin,
  kSelection,
  kSwitch,
  kBreak,
  kContinue,
  kFall,
  kHeader,
};

struct Node {
  NodeKind kind = NodeKind::kPlain;
  uint8_t edge_count = 0;  ///< a plain node with none ends the function
  EdgeKind edges[2] = {};
  bool joins = false;        ///< only of selections: the arms join
  uint16_t label_count = 0;  ///< only of switches: the labels of OpSwitch, with the default
  uint16_t case_count = 0;
  uint32_t list = 0;  ///< in Tree::lists: the labels, then the fall-through of each case
  uint32_t size = 1;  ///< the nodes of the construct, with the header
  bool Has(EdgeKind edge) const {
    return (edge_count > 0 && edges[0] == edge) || (edge_count > 1 && edges[1] == edge);
  }
  bool is_single_block_loop() const { return kind == NodeKind::kLoop && Has(EdgeKind::kHeader); }
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<uint16_t> lists;

  uint32_t size() const { return static_cast<uint32_t>(nodes.size()); }
  /// Removes all nodes but keeps the allocated memory.
  void Clear() {
    nodes.clear();
    lists.clear();
  }
  uint16_t Label(const Node& node, uint32_t i) const { return lists[node.list + i]; }
  /// Returns the case that case `i`, counted from 1, falls through to; 0 if it does not.
  uint16_t Fall(const Node& node, uint32_t i) const {
    return lists[node.list + node.label_count + i - 1];
  }
  /// Returns the position after the last node of the chain that starts with node `at`.
  uint32_t ChainEnd(uint32_t at) const;
  /// Returns the first nodes of the chains inside a construct, given its header.
  std::vector<uint32_t> Chains(uint32_t header) const;
};

/// True if both have the same graph and derivation.
bool operator==(const Tree& a, const Tree& b);

/// Makes the graph of a tree; block i is node i. The tree must come from a generator or the parser:
/// one that does not have the structure above fails a CHECK or gives an arbitrary graph.
void MakeGraph(const Tree& tree, Graph* graph);
Graph MakeGraph(const Tree& tree);

/// Returns the tree as one line, with inner chains in braces: "next loop arm {continue | header}
/// end". For messages and tests.
std::string TreeText(const Tree& tree);

}  // namespace refract::cfg
