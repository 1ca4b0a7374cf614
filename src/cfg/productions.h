// SPDX-License-Identifier: Apache-2.0
// The grammar of structured control flow as choices (docs/graphs.md). A State is a place in a
// derivation where something must be chosen, with the number of blocks that remain. Each of its
// options has a weight: the total weight of all trees that it leads to. Counting adds these
// weights, sampling draws in proportion to them, and enumeration takes each option. So all three
// use the same grammar.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cfg/big_number.h"
#include "cfg/grammar.h"
#include "cfg/switch_shapes.h"
#include "cfg/tree.h"

namespace refract::cfg {

/// Which exits a chain may take, as bits.
using Context = uint8_t;
constexpr Context kMayEnd = 1, kInSwitch = 2, kInLoop = 4, kContexts = 8;

/// The kind of a chain of blocks.
enum class ChainKind : uint8_t {
  kBody,             ///< a function, the body of a loop, a case that does not fall through
  kArm,              ///< an arm of a selection
  kFalling,          ///< a case that falls through
  kContinue,         ///< a continue construct, which only the back edge at its end leaves
  kPrefix,           ///< an arm up to the place where it joins the other one
  kEntry,            ///< a function from its entry block, which is not a loop header
  kBeforeOutermost,  ///< a function with Grammar::one_outermost, before that construct
  kAfterOutermost,   ///< a function with Grammar::one_outermost, after that construct
  kCount,
};

/// What is chosen in a state.
enum class Choice : uint8_t {
  kStep,       ///< the next node of a chain of `kind` with `size` remaining blocks
  kSelection,  ///< a selection of `size` blocks
  kPrefixes,   ///< how many of `size` blocks go to the first of two arms that join
  kLoop,       ///< a loop of `size` blocks
  kBodyEdges,  ///< the edges of a loop header that has a body
  kSwitch,     ///< a switch of `size` blocks: how many cases fall through and how many do not
  kShape,      ///< the shape of a switch with `falls` and `others` such cases
  kCase,       ///< how many of `size` blocks the next case gets; `kind` says if it falls through
  kMiddle,     ///< a plain node that continues a chain of `kind`, for chains without exact counts
  kCount,
};

/// A place in a derivation where something must be chosen.
struct State {
  Choice choice = Choice::kStep;
  ChainKind kind = ChainKind::kBody;
  Context context = 0;
  uint8_t depth = 0;  ///< the nesting that is left from here (Productions::OuterDepth)
  uint8_t falls = 0, others = 0;
  uint32_t size = 0;
};

/// One option of a state.
struct Option {
  enum class What : uint8_t {
    kPlain,      ///< a node with `edges`, also a selection or loop header
    kSelection,  ///< of `size` blocks; kLoop and kSwitch likewise
    kLoop,
    kSwitch,
    kTwoArms,  ///< `size` blocks go to the first arm
    kJoin,     ///< `size` blocks go to the arms before they join
    kBody,     ///< `size` blocks go to the body of a loop
    kCases,    ///< `size` cases fall through and `more` do not
    kNumber,   ///< `size` is the number of a shape or a number of blocks
  };
  What what = What::kPlain;
  uint8_t edge_count = 0;
  std::array<EdgeKind, 2> edges = {};
  uint16_t size = 0, more = 0;
};

/// Appends a node with the edges of the option to the tree. A header also has a kind and a size in
/// blocks.
inline Node& AddNode(Tree* tree, const Option& option) {
  Node& node = tree->nodes.emplace_back();
  node.edge_count = option.edge_count;
  node.edges[0] = option.edges[0];
  node.edges[1] = option.edges[1];
  return node;
}
inline Node& AddHeader(Tree* tree, NodeKind kind, uint32_t size, const Option& option) {
  Node& node = AddNode(tree, option);
  node.kind = kind;
  node.size = size;
  return node;
}

constexpr uint32_t kMostExact = 64;  ///< blocks; counts then have some 120 digits

/// Options with their weights for graphs of up to `blocks` blocks. Several threads may read one
/// object.
class Productions {
 public:
  /// 1 <= blocks <= kMostExact. Takes 20 ms for 64 blocks, and with a depth limit that times the
  /// limit.
  Productions(const Grammar& grammar, uint32_t blocks);

  const Grammar& grammar() const { return grammar_; }
  uint32_t blocks() const { return blocks_; }
  /// The depth for the outermost chain; Inside gives the depth inside a construct of a chain whose
  /// depth is `depth` (not 0 with a limit).
  uint8_t OuterDepth() const { return static_cast<uint8_t>(layers_ - 1); }
  uint8_t Inside(uint8_t depth) const {
    return limited() ? static_cast<uint8_t>(depth - 1) : depth;
  }

  /// Returns the total weight of all trees with that many blocks. If every weight is 1, this is
  /// their number.
  const BigNumber& Total(uint32_t blocks) const {
    return Chain(ChainKind::kEntry, kMayEnd, OuterDepth(), blocks);
  }
  /// Returns the total weight of all chains with that many blocks.
  const BigNumber& Chain(ChainKind kind, Context context, uint8_t depth, uint32_t size) const {
    return chains_[Index(static_cast<uint32_t>(kind), context, depth, size)];
  }
  const std::vector<SwitchShape>& Shapes(uint32_t falls, uint32_t others) const {
    return shapes_[ShapeIndex(falls, others)];
  }

  struct WeightedOption {
    Option option;
    BigNumber weight;
  };
  /// Lists the options of a state with a weight above 0, in a fixed order. Empties `options` first.
  void List(const State& state, std::vector<WeightedOption>* options) const;

  /// Returns the kind of the rest of a chain after a plain node or a construct.
  ChainKind AfterPlain(ChainKind kind) const;
  ChainKind AfterConstruct(ChainKind kind) const;

 private:
  bool limited() const { return grammar_.depth != kUnlimitedDepth; }
  uint32_t Index(uint32_t row, Context context, uint8_t depth, uint32_t size) const {
    return ((row * layers_ + depth) * kContexts + context) * (blocks_ + 1) + size;
  }
  static uint32_t ShapeIndex(uint32_t falls, uint32_t others) {
    return falls * (kMostWidth + 1) + others;
  }
  uint64_t Weight(ProductionKind trait) const { return grammar_.weights[trait]; }

  using Options = std::vector<WeightedOption>;
  void ListStep(const State& state, Options* options) const;
  void ListLast(const State& state, Options* options) const;
  void ListMiddle(const State& state, const BigNumber& factor, Options* options) const;
  void ListSelection(const State& state, Options* options) const;
  void ListPrefixes(const State& state, Options* options) const;
  void ListLoop(const State& state, Options* options) const;
  void ListBodyEdges(Options* options) const;
  void ListSwitch(const State& state, Options* options) const;
  void ListShapes(const State& state, Options* options) const;
  void ListCase(const State& state, Options* options) const;
  BigNumber Sum(const State& state);
  void CountChains(uint32_t size, uint8_t depth, Context context);
  void CountConstructs(uint32_t size, uint8_t depth, Context context);

  const BigNumber& Construct(Choice choice, Context context, uint8_t depth, uint32_t size) const {
    return constructs_[Index(static_cast<uint32_t>(choice), context, depth, size)];
  }
  const BigNumber& Cases(uint32_t falls, uint32_t others, Context context, uint8_t depth,
                         uint32_t size) const {
    return cases_[Index(ShapeIndex(falls, others), context, depth, size)];
  }

  Grammar grammar_;
  uint32_t blocks_, layers_;
  std::vector<BigNumber> chains_;
  std::vector<BigNumber> constructs_;  // by choice: kSelection, kPrefixes, kLoop, kSwitch
  std::vector<BigNumber> cases_;       // by ShapeIndex: all lists of that many cases
  std::vector<std::vector<SwitchShape>> shapes_;
  std::vector<BigNumber> shape_weights_;
  Options scratch_;  // used by the constructor
};

/// Appends the header of a switch of `size` blocks.
void AddSwitch(const SwitchShape& shape, uint32_t size, Tree* tree);

}  // namespace refract::cfg
