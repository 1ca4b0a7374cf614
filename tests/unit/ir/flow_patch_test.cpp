// SPDX-License-Identifier: Apache-2.0
// After every structural edit, the patched control flow gives the same answers as one that is built
// anew. Tested with random edits of random graphs, most of which are not valid functions, and with
// all transformations on real modules. Copies made on the way stay unchanged.
#include "ir/edit/flow_patch.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "corpus/test_modules.h"
#include "engine/apply_step.h"
#include "ir/branches.h"
#include "ir/edit/editor.h"
#include "ir/validity/consistency.h"
#include "transform/registry.h"
#include "unit/shared/cfg_text.h"

namespace refract {
namespace {

using test::CfgBlock;

// SameFlow compares each block; this compares each pair.
bool SamePairs(const ControlFlow& a, const ControlFlow& b) {
  for (Block x : a.order) {
    for (Block y : a.order) {
      if (a.Dominates(x, y) != b.Dominates(x, y) ||
          a.StructurallyDominates(x, y) != b.StructurallyDominates(x, y)) {
        return false;
      }
    }
  }
  return true;
}

bool IsAsRebuilt(const Module& module, Function function) {
  const ControlFlow& patched = module.Flow(function);
  const ControlFlow rebuilt = BuildControlFlow(module, function);
  return SameFlow(patched, rebuilt) && SamePairs(patched, rebuilt);
}

constexpr int kBlocks = 9;

// Random forward and backward edges, never to the entry. Some blocks are headers with arbitrary
// targets.
std::map<int, CfgBlock> RandomGraph(Random& random) {
  std::map<int, CfgBlock> blocks;
  const auto any = [&] { return static_cast<int>(random.Between(1, kBlocks - 1)); };
  for (int b = 0; b < kBlocks; ++b) {
    CfgBlock& block = blocks[b];
    for (uint64_t n = random.Below(3); n > 0; --n) {
      const int near = std::min(b + 1 + static_cast<int>(random.Below(3)), kBlocks - 1);
      block.targets.push_back(random.Percent(70) ? near : any());
    }
    if (block.targets.empty() || !random.Percent(25)) continue;
    block.kind = "LSW"[random.Below(3)];
    block.merge = any();
    if (block.kind == 'L') block.continue_target = random.Percent(20) ? std::max(b, 1) : any();
    for (uint64_t n = random.Below(4); block.kind == 'W' && n > 0; --n) {
      block.targets.push_back(any());
    }
  }
  return blocks;
}

/// Edits of one function, at random.
class RandomEdits {
 public:
  RandomEdits(Module& module, Function function, Random& random)
      : editor_(module, 1), module_(module), function_(function), random_(random) {
    const Id boolean = editor_.Declare(spv::Op::OpTypeBool, Id::kNone, {});
    condition_ = editor_.Declare(spv::Op::OpConstantTrue, boolean, {});
    ForEachBlock(module, function, [&](Block block) {
      const Inst end = module.Terminator(block);
      if (module.Opcode(end) != spv::Op::OpSwitch) return;
      const Inst selector = module.Definition(module.IdAt(end, 0));
      may_move_ &= module.BlockOf(selector) == Block::kNone;
    });
  }

  /// Returns what it did; nullptr if the edit drawn is not possible for the block drawn.
  const char* Edit() {
    const ControlFlow& flow = module_.Flow(function_);
    const Block block = flow.order[random_.Below(flow.order.size())];
    const Block other = flow.order[random_.Below(flow.order.size())];
    switch (random_.Below(8)) {
      case 0:
        return Split(block);
      case 1:
        return AddDiamond(flow, block);
      case 2:
        return AddSelection(flow, block, other);
      case 3:
        return AddEdge(flow, block, other);
      case 4:
        return Redirect(flow, block, other);
      case 5:
        return Merge(flow, block);
      case 6:
        return Move(flow, block, other);
      default:
        return Branch(flow, block, other);
    }
  }

 private:
  Name Named() { return editor_.Made(1, uint64_t{++made_}); }

  bool Branches(Block block) const {
    return module_.Opcode(module_.Terminator(block)) == spv::Op::OpBranch;
  }
  bool IsHeader(Block block) const { return module_.MergeInstruction(block) != Inst::kNone; }
  // True if the block's successor belongs to it alone: no other predecessor, and no header names
  // it.
  bool HasOwnSuccessor(const ControlFlow& flow, Block block) const {
    if (!Branches(block) || IsHeader(block)) return false;
    const Block next = flow.Successors(block)[0];
    return next != block && flow.Predecessors(next).size() == 1 && !flow.IsMergeBlock(next) &&
           !flow.IsContinueTarget(next);
  }

  const char* Split(Block block) {
    std::vector<Inst> places;
    ForEachInstruction(module_, block, [&](Inst inst) {
      if (module_.Precedes(module_.Label(block), inst)) places.push_back(inst);
    });
    editor_.SplitBlock(places[random_.Below(places.size())], Named(), Named());
    return "split";
  }

  const char* AddDiamond(const ControlFlow& flow, Block block) {
    if (!HasOwnSuccessor(flow, block)) return nullptr;
    editor_.AddDiamond(block, condition_, {Named(), Named(), Named()});
    return "diamond";
  }

  const char* AddSelection(const ControlFlow& flow, Block block, Block merge) {
    if (!Branches(block) || IsHeader(block) || merge == flow.order[0]) return nullptr;
    // A second header with the same merge block is rare, because such a flow is no longer patched.
    if (flow.IsMergeBlock(merge) && !random_.Percent(2)) return nullptr;
    editor_.AddSelection(block, condition_, merge, Named());
    return "selection";
  }

  const char* AddEdge(const ControlFlow& flow, Block block, Block to) {
    if (!Branches(block) || to == flow.order[0]) return nullptr;
    editor_.AddEdge(block, condition_, to);
    return "edge";
  }

  const char* Redirect(const ControlFlow& flow, Block block, Block to) {
    const auto successors = flow.Successors(block);
    if (successors.empty() || to == flow.order[0]) return nullptr;
    editor_.RedirectEdge(block, successors[random_.Below(successors.size())], to);
    return "redirect";
  }

  const char* Merge(const ControlFlow& flow, Block block) {
    if (!HasOwnSuccessor(flow, block)) return nullptr;
    const Block next = flow.Successors(block)[0];
    if (module_.Opcode(module_.Next(module_.Label(next))) == spv::Op::OpPhi) return nullptr;
    // After other edits, a phi may name a block that no longer leads to it.
    const Use only = module_.FirstUse(module_.LabelId(next));
    if (module_.NextUse(only) != Use::kNone) return nullptr;
    editor_.MergeBlocks(block);
    return "merge";
  }

  const char* Move(const ControlFlow& flow, Block block, Block after) {
    if (block == flow.order[0] || !may_move_) return nullptr;
    editor_.MoveBlockAfter(block, after);
    return "move";
  }

  // Changes the targets: adds or removes some, or swaps them.
  const char* Branch(const ControlFlow& flow, Block block, Block to) {
    if (to == flow.order[0]) return nullptr;
    const auto successors = flow.Successors(block);
    if (successors.size() == 2 && random_.Percent(70)) {
      editor_.SetTerminator(
          block, spv::Op::OpBranchConditional,
          {condition_, module_.LabelId(successors[1]), module_.LabelId(successors[0])});
      return "swap";
    }
    if (random_.Percent(15)) {
      editor_.SetTerminator(block, spv::Op::OpUnreachable, {});
      return "end";
    }
    if (successors.empty() && random_.Percent(70)) {
      editor_.SetTerminator(block, spv::Op::OpBranch, {module_.LabelId(to)});
      return "begin";
    }
    return nullptr;
  }

  Editor editor_;
  Module& module_;
  Function function_;
  Random& random_;
  Id condition_ = Id::kNone;
  uint64_t made_ = 0;
  bool may_move_ = true;  // SPIRV-Tools does not read an OpSwitch that comes before its selector
};

struct Tally {
  std::map<std::string, int> edits;
  int patched = 0;
};

// False if a check failed.
bool EditAtRandom(Module module, Function function, Random& random, int edits, Tally* tally) {
  (void)module.Flow(function);
  RandomEdits random_edits(module, function, random);
  std::vector<Module> kept;
  for (int i = 0; i < edits; ++i) {
    if (random.Percent(20)) kept.push_back(module);
    const char* edit = random_edits.Edit();
    if (edit == nullptr) continue;
    ++tally->edits[edit];
    tally->patched += module.HasFlow(function);
    if (!IsAsRebuilt(module, function)) {
      ADD_FAILURE() << "after edit " << i << ": " << edit;
      return false;
    }
  }
  for (const Module& copy : kept) {
    if (!IsAsRebuilt(copy, function)) {
      ADD_FAILURE() << "a copy has changed";
      return false;
    }
  }
  const Status consistent = CheckConsistency(module);
  EXPECT_TRUE(consistent) << consistent.error().message;
  return consistent.has_value();
}

TEST(FlowPatch, RandomEditsOfRandomGraphs) {
  Tally tally;
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    Random random(seed);
    const test::Cfg cfg = test::MakeCfg(RandomGraph(random), [](int) { return std::string(); });
    ASSERT_TRUE(EditAtRandom(cfg.module, cfg.function, random, 40, &tally)) << "seed " << seed;
  }
  for (const char* edit : {"split", "diamond", "selection", "edge", "redirect", "merge", "move",
                           "swap", "end", "begin"}) {
    EXPECT_GT(tally.edits[edit], 200) << edit;
  }
  // Random headers often share merge blocks; the control flow of those graphs is built anew.
  EXPECT_GT(tally.patched, 10000);
}

TEST(FlowPatch, RandomEditsOfValidGraphs) {
  Tally tally;
  for (const std::string& text : test::ValidCfgs()) {
    for (uint64_t seed = 0; seed < 30; ++seed) {
      Random random(Mix(seed, text.size()));
      const auto body = [](int b) { return format("%v{} = OpIAdd %int %zero %c{}\n", b, b); };
      const test::Cfg cfg = test::MakeCfg(test::ParseCfg(text), body);
      ASSERT_TRUE(EditAtRandom(cfg.module, cfg.function, random, 40, &tally))
          << text << ", seed " << seed;
    }
  }
  EXPECT_GT(tally.patched, 10000);
}

TEST(FlowPatch, MergingUndoesASplit) {
  for (const std::string& text : test::ValidCfgs()) {
    const auto blocks = test::ParseCfg(text);
    const auto body = [&](int b) {
      std::string inputs;
      for (const auto& [p, block] : blocks) {
        if (std::count(block.targets.begin(), block.targets.end(), b) != 0) {
          inputs += format(" %c{} %b{}", p, p);
        }
      }
      return inputs.empty() ? std::string() : format("%p{} = OpPhi %int{}\n", b, inputs);
    };
    test::Cfg cfg = test::MakeCfg(blocks, body);
    for (Block block : std::vector(cfg.module.Flow(cfg.function).order)) {
      Editor editor(cfg.module, 1);
      const Inst merge = cfg.module.MergeInstruction(block);
      editor.SplitBlock(merge == Inst::kNone ? cfg.module.Terminator(block) : merge,
                        editor.Made(1, cfg.module.NameOf(cfg.module.Label(block))),
                        editor.Made(2, cfg.module.NameOf(cfg.module.Label(block))));
      EXPECT_NE(WriteModule(cfg.module).size(), cfg.words.size());
      editor.MergeBlocks(block);
      std::vector<uint32_t> words = WriteModule(cfg.module);
      words[3] = cfg.words[3];  // the bound: ids are not used again
      EXPECT_EQ(words, cfg.words) << text;
    }
    EXPECT_TRUE(CheckConsistency(cfg.module)) << text;
  }
}

std::vector<Original> AllOriginals() {
  std::vector<Original> originals;
  for (const auto& modules : {OddModules(REFRACT_SOURCE_DIR), References(REFRACT_SOURCE_DIR)}) {
    EXPECT_TRUE(modules);
    for (const TestModule& module : *modules) {
      Result<std::vector<Original>> made = Originals(module);
      EXPECT_TRUE(made) << module.name;
      for (Original& original : *made) originals.push_back(std::move(original));
    }
  }
  return originals;
}

TEST(FlowPatch, RandomEditsOfRealFunctions) {
  Tally tally;
  for (const Original& original : AllOriginals()) {
    const Module& module = original.context.module;
    ForEachFunction(module, [&](Function function) {
      if (module[function].first == Block::kNone) return;
      Random random(Index(function));
      EXPECT_TRUE(EditAtRandom(module, function, random, 40, &tally)) << original.file;
    });
  }
  EXPECT_GT(tally.patched, 1000);
}

class AllOffers : public Proposer {
 public:
  AllOffers(const View& view, Random& random) : Proposer(view), random_(random) {}
  bool ShouldTry() override { return random_.Percent(30); }
  size_t Pick(size_t n) override { return random_.Below(n); }
  bool Full() const override { return offers.size() >= 12; }
  void Offer(AnyMessage message) override {
    if (!Full()) offers.push_back(std::move(message));
  }
  std::vector<AnyMessage> offers;

 private:
  Random& random_;
};

// Applies steps of every transformation.
TEST(FlowPatch, StepsOfFuzzRuns) {
  int steps = 0, kept = 0;
  for (const Original& original : AllOriginals()) {
    Context context = original.context;
    Random random(7);
    uint32_t step = 0;
    for (int round = 0; round < 40 && context.module.word_count() < 16 * original.words.size();
         ++round) {
      const RegistryEntry& entry = Registry()[random.Below(Registry().size())];
      AllOffers proposer(View(context), random);
      entry.rule->propose(proposer);
      for (const AnyMessage& message : proposer.offers) {
        std::vector<Function> made;
        ForEachFunction(context.module, [&](Function function) {
          if (context.module.HasFlow(function)) made.push_back(function);
        });
        if (!ApplyStep(context, ++step, message).check_result) continue;
        ++steps;
        for (Function function : made) {
          if (!context.module.HasFlow(function)) continue;
          ++kept;
          const ControlFlow rebuilt = BuildControlFlow(context.module, function);
          ASSERT_TRUE(SameFlow(context.module.Flow(function), rebuilt))
              << original.file << ", step " << step << ": " << entry.name;
        }
      }
    }
  }
  EXPECT_GT(steps, 3000);
  EXPECT_GT(kept, steps);
}

}  // namespace
}  // namespace refract
