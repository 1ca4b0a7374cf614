// SPDX-License-Identifier: Apache-2.0
#include "cfg/productions.h"

#include "base/check.h"

namespace refract::cfg {
namespace {

using What = Option::What;

// The exits that any block of a chain may take (docs/graphs.md, "Derivation trees").
struct Exits {
  std::array<EdgeKind, 4> edges = {};
  uint32_t count = 0;
  void Add(EdgeKind edge) { edges[count++] = edge; }
};

Exits ExitsOf(ChainKind kind, Context context) {
  Exits exits;
  if (kind == ChainKind::kContinue) return exits;
  if (kind == ChainKind::kArm || kind == ChainKind::kPrefix) exits.Add(EdgeKind::kSelection);
  if ((context & kInSwitch) != 0) exits.Add(EdgeKind::kSwitch);
  if ((context & kInLoop) != 0) exits.Add(EdgeKind::kBreak);
  if ((context & kInLoop) != 0) exits.Add(EdgeKind::kContinue);
  return exits;
}

void Add(std::vector<Productions::WeightedOption>* options, const Option& option,
         BigNumber weight) {
  if (!weight.IsZero()) options->push_back({option, std::move(weight)});
}
Option One(EdgeKind edge) {
  return {What::kPlain, 1, {edge, edge}};
}
Option Two(EdgeKind first, EdgeKind second) {
  return {What::kPlain, 2, {first, second}};
}
Option Sized(What what, uint32_t size, uint32_t more = 0) {
  return {what, 0, {}, static_cast<uint16_t>(size), static_cast<uint16_t>(more)};
}

// Adds (edge, exit) and (exit, edge) for each exit.
void AddWithExit(std::vector<Productions::WeightedOption>* options, EdgeKind edge,
                 const Exits& exits, const BigNumber& weight) {
  for (uint32_t i = 0; i < exits.count; ++i) {
    Add(options, Two(edge, exits.edges[i]), weight);
    Add(options, Two(exits.edges[i], edge), weight);
  }
}

// Adds each pair of exits, with `equal` also pairs of the same exit.
void AddPairs(std::vector<Productions::WeightedOption>* options, const Exits& exits, bool equal,
              const BigNumber& weight) {
  for (uint32_t i = 0; i < exits.count; ++i) {
    for (uint32_t j = 0; j < exits.count; ++j) {
      if (i == j && !equal) continue;
      Add(options, Two(exits.edges[i], exits.edges[j]), weight);
    }
  }
}

}  // namespace

ChainKind Productions::AfterPlain(ChainKind kind) const {
  if (kind != ChainKind::kEntry) return kind;
  return grammar_.one_outermost ? ChainKind::kBeforeOutermost : ChainKind::kBody;
}

ChainKind Productions::AfterConstruct(ChainKind kind) const {
  if (kind == ChainKind::kBeforeOutermost) return ChainKind::kAfterOutermost;
  if (kind != ChainKind::kEntry) return kind;
  return grammar_.one_outermost ? ChainKind::kAfterOutermost : ChainKind::kBody;
}

void Productions::List(const State& state, std::vector<WeightedOption>* options) const {
  options->clear();
  switch (state.choice) {
    case Choice::kStep:
      return ListStep(state, options);
    case Choice::kSelection:
      return ListSelection(state, options);
    case Choice::kPrefixes:
      return ListPrefixes(state, options);
    case Choice::kLoop:
      return ListLoop(state, options);
    case Choice::kBodyEdges:
      return ListBodyEdges(options);
    case Choice::kSwitch:
      return ListSwitch(state, options);
    case Choice::kShape:
      return ListShapes(state, options);
    case Choice::kCase:
      return ListCase(state, options);
    case Choice::kMiddle:
      return ListMiddle(state, 1, options);
    case Choice::kCount:
      break;
  }
  CHECK(false);
}

void Productions::ListStep(const State& state, Options* options) const {
  const ChainKind kind = state.kind;
  if (state.size == 1) return ListLast(state, options);
  ListMiddle(state, Chain(AfterPlain(kind), state.context, state.depth, state.size - 1), options);
  if (kind == ChainKind::kAfterOutermost || (limited() && state.depth == 0)) return;
  for (uint32_t size = 1; size < state.size; ++size) {
    const BigNumber& rest =
        Chain(AfterConstruct(kind), state.context, state.depth, state.size - size);
    const auto add = [&](Choice choice, What what) {
      const BigNumber& construct = Construct(choice, state.context, state.depth, size);
      if (!construct.IsZero()) Add(options, Sized(what, size), construct * rest);
    };
    add(Choice::kSelection, What::kSelection);
    if (kind != ChainKind::kEntry) add(Choice::kLoop, What::kLoop);
    add(Choice::kSwitch, What::kSwitch);
  }
}

// Lists how a chain may end.
void Productions::ListLast(const State& state, Options* options) const {
  const Exits exits = ExitsOf(state.kind, state.context);
  if (state.kind == ChainKind::kContinue) {
    Add(options, One(EdgeKind::kHeader), 1);
    Add(options, Two(EdgeKind::kHeader, EdgeKind::kBreak),
        Weight(ProductionKind::kConditionalBack));
    Add(options, Two(EdgeKind::kBreak, EdgeKind::kHeader),
        Weight(ProductionKind::kConditionalBack));
    return;
  }
  if (state.kind == ChainKind::kFalling || state.kind == ChainKind::kPrefix) {
    const EdgeKind edge = state.kind == ChainKind::kFalling ? EdgeKind::kFall : EdgeKind::kJoin;
    Add(options, One(edge), 1);
    AddWithExit(options, edge, exits, Weight(ProductionKind::kConditionalExit));
    if (grammar_.equal_labels) Add(options, Two(edge, edge), 1);
    return;
  }
  if ((state.context & kMayEnd) != 0) Add(options, Option{}, Weight(ProductionKind::kEnd));
  for (uint32_t i = 0; i < exits.count; ++i) {
    Add(options, One(exits.edges[i]), Weight(ProductionKind::kExit));
  }
  AddPairs(options, exits, grammar_.equal_labels, Weight(ProductionKind::kTwoExits));
}

void Productions::ListMiddle(const State& state, const BigNumber& factor, Options* options) const {
  Add(options, One(EdgeKind::kNext), factor);
  AddWithExit(options, EdgeKind::kNext, ExitsOf(state.kind, state.context),
              factor * Weight(ProductionKind::kConditionalExit));
  if (grammar_.equal_labels) Add(options, Two(EdgeKind::kNext, EdgeKind::kNext), factor);
}

void Productions::ListSelection(const State& state, Options* options) const {
  const Exits exits = ExitsOf(ChainKind::kArm, state.context);
  const BigNumber own = Weight(ProductionKind::kSelection);
  if (state.size == 1) {
    return AddPairs(options, exits, grammar_.equal_labels, own * Weight(ProductionKind::kNoArm));
  }
  const uint32_t inside = state.size - 1;
  const uint8_t depth = Inside(state.depth);
  const auto arm = [&](uint32_t size) -> const BigNumber& {
    return Chain(ChainKind::kArm, state.context, depth, size);
  };
  const BigNumber one = own * Weight(ProductionKind::kOneArm) * arm(inside);
  AddWithExit(options, EdgeKind::kArm, exits, one);
  if (grammar_.equal_labels) Add(options, Two(EdgeKind::kJoin, EdgeKind::kJoin), one);
  for (uint32_t size = 1; size < inside; ++size) {
    const BigNumber two = own * Weight(ProductionKind::kTwoArms);
    Add(options, Sized(What::kTwoArms, size), two * arm(size) * arm(inside - size));
    const BigNumber& prefixes = Construct(Choice::kPrefixes, state.context, depth, size);
    Add(options, Sized(What::kJoin, size), own * prefixes * arm(inside - size));
  }
}

// The depth of the state is already that inside the selection.
void Productions::ListPrefixes(const State& state, Options* options) const {
  const auto prefix = [&](uint32_t size) -> const BigNumber& {
    return Chain(ChainKind::kPrefix, state.context, state.depth, size);
  };
  for (uint32_t first = 0; first <= state.size; ++first) {
    const uint32_t second = state.size - first;
    if (first == 0 || second == 0) {
      Add(options, Sized(What::kNumber, first),
          prefix(first + second) * BigNumber(Weight(ProductionKind::kIntoArm)));
    } else {
      Add(options, Sized(What::kNumber, first),
          prefix(first) * prefix(second) * Weight(ProductionKind::kJoin));
    }
  }
}

void Productions::ListLoop(const State& state, Options* options) const {
  const uint64_t conditional = Weight(ProductionKind::kConditionalHeader);
  const BigNumber own = Weight(ProductionKind::kLoop);
  const uint32_t least = grammar_.long_continue ? 2 : 1;  // of a continue construct
  if (state.size == 1 && !grammar_.long_continue) {
    const BigNumber single = own * Weight(ProductionKind::kSingleBlockLoop);
    Add(options, One(EdgeKind::kHeader), single);
    Add(options, Two(EdgeKind::kHeader, EdgeKind::kBreak),
        single * Weight(ProductionKind::kConditionalBack));
    Add(options, Two(EdgeKind::kBreak, EdgeKind::kHeader),
        single * Weight(ProductionKind::kConditionalBack));
  }
  if (state.size < 1 + least) return;
  const uint8_t depth = Inside(state.depth);
  const auto back = [&](uint32_t size) -> const BigNumber& {
    return Chain(ChainKind::kContinue, 0, depth, size);
  };
  const BigNumber bare = own * Weight(ProductionKind::kNoBody) * back(state.size - 1);
  for (EdgeKind edge : {EdgeKind::kBreak, EdgeKind::kContinue}) {
    Add(options, One(edge), bare);
    if (grammar_.equal_labels) Add(options, Two(edge, edge), bare);
  }
  Add(options, Two(EdgeKind::kBreak, EdgeKind::kContinue), bare * conditional);
  Add(options, Two(EdgeKind::kContinue, EdgeKind::kBreak), bare * conditional);
  const Context inside = static_cast<Context>((state.context & kMayEnd) | kInLoop);
  const BigNumber edges = own * BigNumber(1 + 4 * conditional);
  for (uint32_t body = 1; body + least < state.size; ++body) {
    Add(options, Sized(What::kBody, body),
        edges * Chain(ChainKind::kBody, inside, depth, body) * back(state.size - 1 - body));
  }
}

void Productions::ListBodyEdges(Options* options) const {
  const uint64_t conditional = Weight(ProductionKind::kConditionalHeader);
  Add(options, One(EdgeKind::kArm), 1);
  for (EdgeKind edge : {EdgeKind::kBreak, EdgeKind::kContinue}) {
    Add(options, Two(EdgeKind::kArm, edge), conditional);
    Add(options, Two(edge, EdgeKind::kArm), conditional);
  }
}

void Productions::ListSwitch(const State& state, Options* options) const {
  const Context inside = static_cast<Context>(state.context | kInSwitch);
  for (uint32_t falls = 0; falls <= grammar_.width; ++falls) {
    for (uint32_t others = 0; falls + others <= grammar_.width; ++others) {
      const BigNumber& shapes = shape_weights_[ShapeIndex(falls, others)];
      if (shapes.IsZero()) continue;
      Add(options, Sized(What::kCases, falls, others),
          shapes * Cases(falls, others, inside, Inside(state.depth), state.size - 1) *
              Weight(ProductionKind::kSwitch));
    }
  }
}

void Productions::ListShapes(const State& state, Options* options) const {
  const std::vector<SwitchShape>& shapes = Shapes(state.falls, state.others);
  for (uint32_t i = 0; i < shapes.size(); ++i) {
    Add(options, Sized(What::kNumber, i), shapes[i].weight);
  }
}

void Productions::ListCase(const State& state, Options* options) const {
  const bool falls = state.kind == ChainKind::kFalling;
  const uint32_t other_falls = state.falls - (falls ? 1 : 0);
  const uint32_t other_others = state.others - (falls ? 0 : 1);
  for (uint32_t size = 1; size <= state.size; ++size) {
    const BigNumber& rest =
        Cases(other_falls, other_others, state.context, state.depth, state.size - size);
    if (rest.IsZero()) continue;
    Add(options, Sized(What::kNumber, size),
        Chain(state.kind, state.context, state.depth, size) * rest);
  }
}

BigNumber Productions::Sum(const State& state) {
  List(state, &scratch_);
  BigNumber sum;
  for (const WeightedOption& weighed : scratch_) sum += weighed.weight;
  return sum;
}

void Productions::CountChains(uint32_t size, uint8_t depth, Context context) {
  // The order matters: the kind that a chain has after its first node comes before the kind of the
  // chain.
  for (ChainKind kind :
       {ChainKind::kAfterOutermost, ChainKind::kBeforeOutermost, ChainKind::kBody, ChainKind::kArm,
        ChainKind::kFalling, ChainKind::kContinue, ChainKind::kPrefix, ChainKind::kEntry}) {
    const bool outermost = kind == ChainKind::kEntry || kind == ChainKind::kBeforeOutermost ||
                           kind == ChainKind::kAfterOutermost;
    if (outermost && context != kMayEnd) continue;
    if (kind == ChainKind::kContinue && context != 0) continue;
    State state;
    state.kind = kind;
    state.context = context;
    state.depth = depth;
    state.size = size;
    chains_[Index(static_cast<uint32_t>(kind), context, depth, size)] = Sum(state);
  }
}

void Productions::CountConstructs(uint32_t size, uint8_t depth, Context context) {
  State state;
  state.context = context;
  state.depth = depth;
  state.size = size;
  const auto count = [&](Choice choice) {
    state.choice = choice;
    constructs_[Index(static_cast<uint32_t>(choice), context, depth, size)] = Sum(state);
  };
  count(Choice::kPrefixes);
  state.choice = Choice::kCase;
  for (uint32_t cases = 1; cases <= grammar_.width; ++cases) {
    for (uint32_t falls = 0; falls <= cases; ++falls) {
      state.falls = static_cast<uint8_t>(falls);
      state.others = static_cast<uint8_t>(cases - falls);
      state.kind = falls > 0 ? ChainKind::kFalling : ChainKind::kBody;
      cases_[Index(ShapeIndex(falls, cases - falls), context, depth, size)] = Sum(state);
    }
  }
  if (limited() && depth == 0) return;
  for (Choice choice : {Choice::kSelection, Choice::kLoop, Choice::kSwitch}) count(choice);
}

Productions::Productions(const Grammar& grammar, uint32_t blocks)
    : grammar_(grammar),
      blocks_(blocks),
      layers_(1),
      shapes_(ShapeIndex(kMostWidth, kMostWidth) + 1),
      shape_weights_(shapes_.size()) {
  CHECK(blocks >= 1 && blocks <= kMostExact);
  CHECK(grammar.width >= 1 && grammar.width <= kMostWidth);
  if (grammar_.depth >= blocks) grammar_.depth = kUnlimitedDepth;  // no graph is that deep
  if (limited()) {
    CHECK(grammar_.depth <= kMostDepth);
    layers_ = grammar_.depth + 1;
  }
  const size_t row = size_t{layers_} * kContexts * (blocks + 1);
  chains_.resize(static_cast<size_t>(ChainKind::kCount) * row);
  constructs_.resize(static_cast<size_t>(Choice::kCount) * row);
  cases_.resize(shapes_.size() * row);
  for (SwitchShape& shape : ListSwitchShapes(grammar)) {
    const uint32_t others = static_cast<uint32_t>(shape.falls.size()) - shape.falling;
    const uint32_t index = ShapeIndex(shape.falling, others);
    shape_weights_[index] += shape.weight;
    shapes_[index].push_back(std::move(shape));
  }
  for (uint8_t depth = 0; depth < layers_; ++depth) {
    for (Context context = 0; context < kContexts; ++context) {
      cases_[Index(ShapeIndex(0, 0), context, depth, 0)] = 1;
    }
  }
  for (uint32_t size = 1; size <= blocks; ++size) {
    for (uint8_t depth = 0; depth < layers_; ++depth) {
      for (Context context = 0; context < kContexts; ++context) CountChains(size, depth, context);
    }
    for (uint8_t depth = 0; depth < layers_; ++depth) {
      for (Context context = 0; context < kContexts; ++context) {
        CountConstructs(size, depth, context);
      }
    }
  }
}

void AddSwitch(const SwitchShape& shape, uint32_t size, Tree* tree) {
  Node& node = tree->nodes.emplace_back();
  node.kind = NodeKind::kSwitch;
  node.size = size;
  node.label_count = static_cast<uint16_t>(shape.labels.size());
  node.case_count = static_cast<uint16_t>(shape.falls.size());
  node.list = static_cast<uint32_t>(tree->lists.size());
  tree->lists.insert(tree->lists.end(), shape.labels.begin(), shape.labels.end());
  tree->lists.insert(tree->lists.end(), shape.falls.begin(), shape.falls.end());
}

}  // namespace refract::cfg
