// SPDX-License-Identifier: Apache-2.0
// The grammar of structured control flow as choices (docs/graphs.md). A State is a place in a
// derivation where something is to be chosen, with how many blocks there are to be made; its
// options, each with how much all that can come of it weighs together. Counting sums them up,
// sampling draws in proportion, enumerating takes each: so all three mean the same grammar.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "cfg/big_number.h"
#include "cfg/grammar.h"
#include "cfg/switch_shapes.h"
#include "cfg/tree.h"

namespace refract::cfg {

/// Where a chain can leave to, beside its own end: what is around it. Bits.
using Context = uint8_t;
constexpr Context kMayEnd = 1, kInSwitch = 2, kInLoop = 4, kContexts = 8;

enum class ChainKind : uint8_t {
  kBody,      ///< a function, the body of a loop, a case that does not fall through
  kArm,       ///< of a selection
  kFalling,   ///< a case that falls through
  kContinue,  ///< a continue construct: nothing leaves it but the back edge, at the end
  kPrefix,    ///< an arm that ends where it meets the other one
  kEntry,     ///< a function, at its entry block: no loop, since nothing branches there
  kOne,       ///< a function with Grammar::one_outermost, before that construct
  kTail,      ///< ... and behind it
  kCount,
};

enum class Choice : uint8_t {
  kStep,       ///< the next node of a chain of `kind` with `size` blocks to come
  kSelection,  ///< a selection of `size` blocks
  kPrefixes,   ///< how many of `size` blocks go to the first of two arms that join
  kLoop,       ///< a loop of `size` blocks
  kBodyWays,   ///< the ways of a loop header that has a body
  kSwitch,     ///< a switch of `size` blocks: how many cases fall through and how many do not
  kShape,      ///< one with `falls` and `others` such cases
  kCase,       ///< the blocks of the next case, of `size` for all; `kind` says if it falls through
  kMiddle,     ///< a plain node of a chain of `kind` that goes on: for what has no exact counts
  kCount,
};

struct State {
  Choice choice = Choice::kStep;
  ChainKind kind = ChainKind::kBody;
  Context context = 0;
  uint8_t depth = 0;  ///< how many constructs may be in each other from here, as Productions has it
  uint8_t falls = 0, others = 0;
  uint32_t size = 0;
};

struct Option {
  enum class What : uint8_t {
    kPlain,      ///< a node with `ways`; of a selection or loop header too
    kSelection,  ///< of `size` blocks, and so the next two
    kLoop,
    kSwitch,
    kTwoArms,  ///< `size` blocks to the first
    kJoin,     ///< `size` blocks to the arms before they meet
    kBody,     ///< `size` blocks to the body of a loop
    kCases,    ///< `size` cases fall through and `more` do not
    kNumber,   ///< `size`: a shape's number or a number of blocks
  };
  What what = What::kPlain;
  uint8_t way_count = 0;
  std::array<Way, 2> ways = {};
  uint16_t size = 0, more = 0;
};

/// Puts a node with the option's ways at the end of the tree; a header also says of what, and how
/// many blocks it is.
inline Node& AddNode(Tree* tree, const Option& option) {
  Node& node = tree->nodes.emplace_back();
  node.way_count = option.way_count;
  node.ways[0] = option.ways[0];
  node.ways[1] = option.ways[1];
  return node;
}
inline Node& AddHeader(Tree* tree, NodeKind kind, uint32_t size, const Option& option) {
  Node& node = AddNode(tree, option);
  node.kind = kind;
  node.size = size;
  return node;
}

constexpr uint32_t kMostExact = 64;  ///< blocks; counts have some 120 digits then

/// Options with their weights for graphs of up to `blocks` blocks. Several threads may read one.
class Productions {
 public:
  /// 1 <= blocks <= kMostExact. Takes 20 ms at 64, with a limit of depth that times the limit.
  Productions(const Grammar& grammar, uint32_t blocks);

  const Grammar& grammar() const { return grammar_; }
  uint32_t blocks() const { return blocks_; }
  /// Depth for the outermost chain, and inside a construct of it (depth must not be 0 there).
  uint8_t OuterDepth() const { return static_cast<uint8_t>(layers_ - 1); }
  uint8_t Inside(uint8_t depth) const {
    return limited() ? static_cast<uint8_t>(depth - 1) : depth;
  }

  /// What all trees with so many blocks weigh together: their number, where every weight is 1.
  const BigNumber& Total(uint32_t blocks) const {
    return Chain(ChainKind::kEntry, kMayEnd, OuterDepth(), blocks);
  }
  /// What all chains of so many blocks weigh together.
  const BigNumber& Chain(ChainKind kind, Context context, uint8_t depth, uint32_t size) const {
    return chains_[Index(static_cast<uint32_t>(kind), context, depth, size)];
  }
  const std::vector<SwitchShape>& Shapes(uint32_t falls, uint32_t others) const {
    return shapes_[ShapeIndex(falls, others)];
  }

  struct Weighed {
    Option option;
    BigNumber weight;
  };
  /// The options of a state that weigh anything, in a fixed order; empties `options` first.
  void List(const State& state, std::vector<Weighed>* options) const;

  /// What a chain is when a plain node, or a construct, of it is made.
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
  uint64_t Weight(Trait trait) const { return grammar_.weights[trait]; }

  using Options = std::vector<Weighed>;
  void ListStep(const State& state, Options* options) const;
  void ListLast(const State& state, Options* options) const;
  void ListMiddle(const State& state, const BigNumber& factor, Options* options) const;
  void ListSelection(const State& state, Options* options) const;
  void ListPrefixes(const State& state, Options* options) const;
  void ListLoop(const State& state, Options* options) const;
  void ListBodyWays(Options* options) const;
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
  std::vector<BigNumber> cases_;       // by ShapeIndex: of that many cases
  std::vector<std::vector<SwitchShape>> shapes_;
  std::vector<BigNumber> shape_weights_;
  Options scratch_;  // of the constructor
};

/// Appends the header of a switch of `size` blocks.
void AddSwitch(const SwitchShape& shape, uint32_t size, Tree* tree);

}  // namespace refract::cfg
