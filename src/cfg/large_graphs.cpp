// SPDX-License-Identifier: Apache-2.0
#include "cfg/large_graphs.h"

namespace refract::cfg {
namespace {

class LargeDeriver {
 public:
  LargeDeriver(Sampler& sampler, Random* random, Tree* tree)
      : sampler_(sampler), productions_(sampler.productions()), random_(*random), tree_(*tree) {}

  void Chain(ChainKind kind, Context context, uint8_t depth, uint32_t size) {
    while (size > kMostExact) {
      const uint32_t construct =
          kind == ChainKind::kAfterOutermost ? 0 : Construct(kind, context, depth, size);
      if (construct == 0) {
        AddNode(&tree_, Choose(Choice::kMiddle, kind, context, depth, 0));
        kind = productions_.AfterPlain(kind);
        --size;
        continue;
      }
      kind = productions_.AfterConstruct(kind);
      size -= construct;
    }
    sampler_.Append(kind, context, depth, size, &random_, &tree_);
  }

 private:
  // Blocks of a construct made here, so that every form has enough.
  static constexpr uint32_t kLeast = 8;

  Option Choose(Choice choice, ChainKind kind, Context context, uint8_t depth, uint32_t size) {
    return sampler_.Draw(State{choice, kind, context, depth, 0, 0, size}, &random_);
  }
  uint64_t Weight(ProductionKind trait) const { return productions_.grammar().weights[trait]; }
  // Returns the index of a random weight; -1 if all weights are 0.
  int Pick(std::initializer_list<uint64_t> weights) {
    uint64_t sum = 0;
    for (uint64_t weight : weights) sum += weight;
    if (sum == 0) return -1;
    uint64_t number = random_.Below(sum);
    int index = 0;
    for (uint64_t weight : weights) {
      if (number < weight) return index;
      number -= weight;
      ++index;
    }
    return -1;
  }

  // Makes a construct and returns its size. Returns 0 if a plain block should be made instead.
  uint32_t Construct(ChainKind kind, Context context, uint8_t depth, uint32_t size) {
    if (depth == 0 || random_.Percent(20)) return 0;
    const int which = Pick({Weight(ProductionKind::kSelection),
                            kind == ChainKind::kEntry ? 0 : Weight(ProductionKind::kLoop),
                            Weight(ProductionKind::kSwitch)});
    const uint32_t share = static_cast<uint32_t>(random_.Between(kLeast, size - 1));
    switch (which) {
      case 0:
        return Selection(context, depth, share);
      case 1:
        return Loop(context, depth, share);
      case 2:
        return Switch(context, depth, share);
      default:
        return 0;
    }
  }

  // Returns a random number from 1 to size - 1.
  uint32_t Part(uint32_t size) { return static_cast<uint32_t>(random_.Between(1, size - 1)); }

  uint32_t Selection(Context context, uint8_t depth, uint32_t size) {
    const uint8_t inside = productions_.Inside(depth);
    const uint32_t blocks = size - 1;
    const auto arm = [&](ChainKind kind, uint32_t part) { Chain(kind, context, inside, part); };
    Option edges{Option::What::kPlain, 2, {EdgeKind::kArm, EdgeKind::kArm}};
    switch (Pick({Weight(ProductionKind::kOneArm), Weight(ProductionKind::kTwoArms),
                  Weight(ProductionKind::kJoin), Weight(ProductionKind::kIntoArm)})) {
      case 0:  // a selection of two blocks has one arm
        edges = Choose(Choice::kSelection, ChainKind::kBody, context, depth, 2);
        AddHeader(&tree_, NodeKind::kSelection, size, edges).joins =
            edges.edges[0] == EdgeKind::kJoin;
        arm(ChainKind::kArm, blocks);
        return size;
      case 1: {
        AddHeader(&tree_, NodeKind::kSelection, size, edges);
        const uint32_t first = Part(blocks);
        arm(ChainKind::kArm, first);
        arm(ChainKind::kArm, blocks - first);
        return size;
      }
      case 2: {
        AddHeader(&tree_, NodeKind::kSelection, size, edges).joins = true;
        const uint32_t both = 1 + Part(blocks - 1), first = Part(both);
        arm(ChainKind::kPrefix, first);
        arm(ChainKind::kPrefix, both - first);
        arm(ChainKind::kArm, blocks - both);
        return size;
      }
      case 3: {
        edges.edges[random_.Below(2)] = EdgeKind::kJoin;
        AddHeader(&tree_, NodeKind::kSelection, size, edges).joins = true;
        const uint32_t prefix = Part(blocks);
        arm(ChainKind::kPrefix, prefix);
        arm(ChainKind::kArm, blocks - prefix);
        return size;
      }
      default:
        return 0;
    }
  }

  uint32_t Loop(Context context, uint8_t depth, uint32_t size) {
    const uint8_t inside = productions_.Inside(depth);
    AddHeader(&tree_, NodeKind::kLoop, size, Choose(Choice::kBodyEdges, ChainKind::kBody, 0, 0, 0));
    // Continue constructs are usually short.
    const uint32_t blocks = size - 1;
    const uint32_t back = 2 + static_cast<uint32_t>(random_.Below(random_.Below(blocks - 2) + 1));
    Chain(ChainKind::kBody, static_cast<Context>((context & kMayEnd) | kInLoop), inside,
          blocks - back);
    Chain(ChainKind::kContinue, 0, inside, back);
    return size;
  }

  uint32_t Switch(Context context, uint8_t depth, uint32_t size) {
    // Draw the number of cases as for a switch of seven blocks.
    const Option of = Choose(Choice::kSwitch, ChainKind::kBody, context, depth, kLeast);
    const State state{Choice::kShape,
                      ChainKind::kBody,
                      0,
                      0,
                      static_cast<uint8_t>(of.size),
                      static_cast<uint8_t>(of.more),
                      0};
    const SwitchShape& shape =
        productions_.Shapes(of.size, of.more)[sampler_.Draw(state, &random_).size];
    AddSwitch(shape, size, &tree_);
    uint32_t blocks = size - 1, cases = static_cast<uint32_t>(shape.falls.size());
    for (uint16_t fall : shape.falls) {
      --cases;
      const uint32_t part =
          cases == 0 ? blocks : 1 + static_cast<uint32_t>(random_.Below(blocks - cases));
      Chain(fall != 0 ? ChainKind::kFalling : ChainKind::kBody,
            static_cast<Context>(context | kInSwitch), productions_.Inside(depth), part);
      blocks -= part;
    }
    return size;
  }

  Sampler& sampler_;
  const Productions& productions_;
  Random& random_;
  Tree& tree_;
};

}  // namespace

void AppendLarge(Sampler& sampler, ChainKind kind, Context context, uint8_t depth, uint32_t size,
                 Random* random, Tree* tree) {
  LargeDeriver(sampler, random, tree).Chain(kind, context, depth, size);
}

bool HasEveryChain(const Productions& productions) {
  const auto has = [&](ChainKind kind, Context context) {
    for (uint32_t depth = 0; depth <= productions.OuterDepth(); ++depth) {
      for (uint32_t size = 1; size <= productions.blocks(); ++size) {
        if (productions.Chain(kind, context, static_cast<uint8_t>(depth), size).IsZero()) {
          return false;
        }
      }
    }
    return true;
  };
  for (Context context = 0; context < kContexts; ++context) {
    const bool leaves = context != 0;
    if (!has(ChainKind::kArm, context) || !has(ChainKind::kPrefix, context)) return false;
    if (leaves && !has(ChainKind::kBody, context)) return false;
    if ((context & kInSwitch) != 0 && !has(ChainKind::kFalling, context)) return false;
  }
  return has(ChainKind::kContinue, 0) && has(ChainKind::kEntry, kMayEnd);
}

}  // namespace refract::cfg
