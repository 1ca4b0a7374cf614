// SPDX-License-Identifier: Apache-2.0
// Builds the tree that a series of choices leads to. The chooser is a parameter: a random one
// (sampler.h) or a counter that takes all choices in turn (enumerate.h).
#pragma once

#include "cfg/productions.h"
#include "cfg/tree.h"

namespace refract::cfg {

/// `Chooser` has `const Option& Choose(const State&)`, which returns one of the options of that
/// state.
template <class Chooser>
class Deriver {
 public:
  Deriver(const Productions& productions, Chooser& chooser, Tree* tree)
      : productions_(productions), chooser_(chooser), tree_(*tree) {}

  /// Appends a chain of `size` blocks.
  void Chain(ChainKind kind, Context context, uint8_t depth, uint32_t size) {
    for (;;) {
      const Option step = Choose(Choice::kStep, kind, context, depth, size);
      switch (step.what) {
        case Option::What::kPlain:
          AddNode(&tree_, step);
          if (size == 1) return;
          kind = productions_.AfterPlain(kind);
          --size;
          continue;
        case Option::What::kSelection:
          Selection(context, depth, step.size);
          break;
        case Option::What::kLoop:
          Loop(context, depth, step.size);
          break;
        default:
          Switch(context, depth, step.size);
      }
      kind = productions_.AfterConstruct(kind);
      size -= step.size;
    }
  }

 private:
  Option Choose(Choice choice, ChainKind kind, Context context, uint8_t depth, uint32_t size) {
    return chooser_.Choose(State{choice, kind, context, depth, 0, 0, size});
  }

  void Selection(Context context, uint8_t depth, uint32_t size) {
    const Option option = Choose(Choice::kSelection, ChainKind::kBody, context, depth, size);
    const uint8_t inside = productions_.Inside(depth);
    const auto arm = [&](uint32_t blocks) { Chain(ChainKind::kArm, context, inside, blocks); };
    Option edges{Option::What::kPlain, 2, {EdgeKind::kArm, EdgeKind::kArm}};
    switch (option.what) {
      case Option::What::kTwoArms:
        AddHeader(&tree_, NodeKind::kSelection, size, edges);
        arm(option.size);
        return arm(size - 1 - option.size);
      case Option::What::kJoin: {
        const uint32_t first =
            Choose(Choice::kPrefixes, ChainKind::kBody, context, inside, option.size).size;
        const uint32_t parts[2] = {first, option.size - first};
        for (size_t i = 0; i < 2; ++i) {
          if (parts[i] == 0) edges.edges[i] = EdgeKind::kJoin;
        }
        AddHeader(&tree_, NodeKind::kSelection, size, edges).joins = true;
        for (uint32_t part : parts) {
          if (part != 0) Chain(ChainKind::kPrefix, context, inside, part);
        }
        return arm(size - 1 - option.size);
      }
      default: {
        Node& node = AddHeader(&tree_, NodeKind::kSelection, size, option);
        node.joins = node.Has(EdgeKind::kJoin);
        if (size > 1) arm(size - 1);
      }
    }
  }

  void Loop(Context context, uint8_t depth, uint32_t size) {
    const Option option = Choose(Choice::kLoop, ChainKind::kBody, context, depth, size);
    const uint8_t inside = productions_.Inside(depth);
    uint32_t back = size - 1;
    if (option.what == Option::What::kBody) {
      AddHeader(&tree_, NodeKind::kLoop, size,
                Choose(Choice::kBodyEdges, ChainKind::kBody, 0, 0, 0));
      const Context body = static_cast<Context>((context & kMayEnd) | kInLoop);
      Chain(ChainKind::kBody, body, inside, option.size);
      back -= option.size;
    } else {
      AddHeader(&tree_, NodeKind::kLoop, size, option);
    }
    if (back > 0) Chain(ChainKind::kContinue, 0, inside, back);
  }

  void Switch(Context context, uint8_t depth, uint32_t size) {
    const Option of = Choose(Choice::kSwitch, ChainKind::kBody, context, depth, size);
    State state{Choice::kShape,
                ChainKind::kBody,
                0,
                0,
                static_cast<uint8_t>(of.size),
                static_cast<uint8_t>(of.more),
                0};
    const SwitchShape& shape = productions_.Shapes(of.size, of.more)[chooser_.Choose(state).size];
    AddSwitch(shape, size, &tree_);
    state.choice = Choice::kCase;
    state.context = static_cast<Context>(context | kInSwitch);
    state.depth = productions_.Inside(depth);
    state.size = size - 1;
    for (uint16_t fall : shape.falls) {
      state.kind = fall != 0 ? ChainKind::kFalling : ChainKind::kBody;
      const uint32_t blocks = chooser_.Choose(state).size;
      Chain(state.kind, state.context, state.depth, blocks);
      --(fall != 0 ? state.falls : state.others);
      state.size -= blocks;
    }
  }
  const Productions& productions_;
  Chooser& chooser_;
  Tree& tree_;
};

}  // namespace refract::cfg
