// SPDX-License-Identifier: Apache-2.0
// Derivation trees: what a structured control-flow graph is made of, and the form in which graphs
// are generated, changed and made smaller here.
//
// WHY TREES. The rules of structured control flow (SPIR-V 1.6 revision 2, 2.11; flow_rules.h) say
// of a graph what it must not do. Turned round they are a grammar (docs/graphs.md): constructs
// nest, are entered at their head alone and go on at their merge block alone; what is left inside a
// construct, with the constructs in it taken as one step each, is a chain of blocks, for every
// selection one or two of them that may join. A graph keeps the rules exactly if the grammar
// derives it, and it does so in one way. So a tree is a graph, with the nesting said; whatever is a
// tree is valid, and no check, no rejection and no comparison of graphs up to names is ever needed.
//
// WHAT A TREE IS. One node for each block, in one vector: preorder. A chain is a run of nodes. A
// plain node is a block without merge instruction; the chain goes on behind it if one of its ways
// is kNext, and ends with it if none is. A header is followed by the chains inside its construct:
//
//   selection  its arms (as many as it has ways kArm), then, if it `joins`, the chain in which both
//              ways come together: those arms end with a way kJoin, and a way kJoin of the header
//              itself goes there directly
//   loop       its body (if it has a way kArm), then its continue construct, which is a chain, too,
//              that ends with the back edge (kHeader); of a single-block loop neither
//   switch     its cases, in the order in which their labels first appear
//
// and then by its merge block: the first node behind the `size` nodes of the construct, on the same
// chain. Nodes behind the end of the first chain are further chains that no block of the first goes
// to: unreachable blocks.
//
// WAYS are relative: "out of the loop around", not "to block 17". They mean
//
//   kNext      the next block of the chain
//   kArm       (headers) the next of the header's own chains that is not yet gone to
//   kJoin      where the arms of the selection around come together
//   kSelection the merge block of the selection whose chain this is, or of the header itself
//   kSwitch    the merge block of the switch around
//   kBreak     the merge block of the loop around; of a loop header and a back-edge block, its own
//   kContinue  the continue target of the loop around; of a loop header, its own
//   kFall      the case that this case falls through to
//   kHeader    the loop header: the back edge
//
// A switch has instead of ways a list: a number for each label of OpSwitch, the default first; 0 is
// the merge block, i is the i-th case; and for each case the one that it falls through to, or 0.
//
// VIEWS. Graph, module, text, hash and picture are made from the tree; numbers of blocks are those
// of nodes, which is an order in which the blocks may stand in a module. parse.h makes the tree of
// a graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cfg/graph.h"

namespace refract::cfg {

enum class NodeKind : uint8_t { kPlain, kSelection, kLoop, kSwitch };

enum class Way : uint8_t {
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
  uint8_t way_count = 0;  ///< a plain node with none ends the function
  Way ways[2] = {};
  bool joins = false;        ///< selections
  uint16_t label_count = 0;  ///< switches: what OpSwitch lists, with the default
  uint16_t case_count = 0;
  uint32_t list = 0;  ///< in Tree::lists: the labels, then where each case falls to
  uint32_t size = 1;  ///< nodes of the construct, with the header
  bool Has(Way way) const {
    return (way_count > 0 && ways[0] == way) || (way_count > 1 && ways[1] == way);
  }
  bool is_single_block_loop() const { return kind == NodeKind::kLoop && Has(Way::kHeader); }
};

struct Tree {
  std::vector<Node> nodes;
  std::vector<uint16_t> lists;

  uint32_t size() const { return static_cast<uint32_t>(nodes.size()); }
  /// Empty, with what was allocated kept.
  void Clear() {
    nodes.clear();
    lists.clear();
  }
  uint16_t Label(const Node& node, uint32_t i) const { return lists[node.list + i]; }
  /// The case that case `i`, counted from 1, falls through to; 0.
  uint16_t Fall(const Node& node, uint32_t i) const {
    return lists[node.list + node.label_count + i - 1];
  }
  /// One behind the last node of the chain that starts with node `at`.
  uint32_t ChainEnd(uint32_t at) const;
  /// The first nodes of the chains inside a construct, by its header.
  std::vector<uint32_t> Chains(uint32_t header) const;
};

/// The same graph by the same derivation.
bool operator==(const Tree& a, const Tree& b);

/// The graph of a tree; block i is node i. Trees come from a generator or the parser: one that is
/// not put together as above fails a CHECK or gives some graph.
void MakeGraph(const Tree& tree, Graph* graph);
Graph MakeGraph(const Tree& tree);

/// The tree as one line: "next loop arm {continue | header} end" (chains inside between braces);
/// for
std::string TreeText(const Tree& tree);

}  // namespace refract::cfg
