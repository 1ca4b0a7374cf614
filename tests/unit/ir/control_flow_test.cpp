// SPDX-License-Identifier: Apache-2.0
// Dominators, structural dominators and constructs compared with their definitions, computed the
// slow way: by removing a block and walking the graph.
#include "ir/control_flow.h"

#include <gtest/gtest.h>

#include "unit/shared/cfg_text.h"

namespace refract {
namespace {

using test::CfgBlock;
using Blocks = std::map<int, CfgBlock>;
using Set = std::set<int>;

Set Reached(const Blocks& blocks, int from, int without, bool structural) {
  Set reached;
  std::vector<int> work{from};
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    if (block == without || !reached.insert(block).second) continue;
    const CfgBlock& at = blocks.at(block);
    for (int next : structural ? at.structural() : at.targets) work.push_back(next);
  }
  return reached;
}

bool Dominates(const Blocks& blocks, int a, int b, bool structural) {
  const Set all = Reached(blocks, 0, -1, structural);
  if (all.count(a) == 0 || all.count(b) == 0) return false;
  return a == b || Reached(blocks, 0, a, structural).count(b) == 0;
}

bool Exits(const Blocks& blocks, const Set& reached) {
  for (int block : reached) {
    if (blocks.at(block).targets.empty()) return true;
  }
  return false;
}

// True if every path from `b` to an exit passes `a`, and both have a path to an exit.
bool PostDominates(const Blocks& blocks, int a, int b, bool structural) {
  if (!structural && (!Exits(blocks, Reached(blocks, a, -1, false)) ||
                      !Exits(blocks, Reached(blocks, b, -1, false)))) {
    return false;
  }
  return a == b || (Reached(blocks, b, -1, structural).count(a) != 0 &&
                    !Exits(blocks, Reached(blocks, b, a, structural)));
}

Set Dominated(const Blocks& blocks, int by) {
  Set set;
  for (const auto& [b, ignored] : blocks) {
    if (Dominates(blocks, by, b, true)) set.insert(b);
  }
  return set;
}

Set Minus(Set a, const Set& b) {
  for (int x : b) a.erase(x);
  return a;
}

struct NaiveConstruct {
  ConstructKind kind;
  int header, merge, continue_target;
  Set blocks;
};

// SPIR-V 2.11.1, word for word.
std::vector<NaiveConstruct> Constructs(const Blocks& blocks) {
  std::vector<NaiveConstruct> constructs;
  for (const auto& [h, block] : blocks) {
    if (block.merge < 0) continue;
    const Set merged = Minus(Dominated(blocks, h), Dominated(blocks, block.merge));
    if (block.kind != 'L') {
      constructs.push_back({block.kind == 'W' ? ConstructKind::kSwitch : ConstructKind::kSelection,
                            h, block.merge, -1, merged});
      continue;
    }
    // Dominated by the continue target and post-dominated by the back-edge block.
    Set in_continue;
    for (int b : Dominated(blocks, block.continue_target)) {
      for (const auto& [latch, end] : blocks) {
        const bool is_latch = std::count(end.targets.begin(), end.targets.end(), h) != 0 &&
                              Dominates(blocks, h, latch, true);
        if (is_latch && PostDominates(blocks, latch, b, true)) in_continue.insert(b);
      }
    }
    constructs.push_back(
        {ConstructKind::kContinue, h, block.merge, block.continue_target, in_continue});
    constructs.push_back(
        {ConstructKind::kLoop, h, block.merge, block.continue_target, Minus(merged, in_continue)});
  }
  return constructs;
}

// The smallest construct around a block.
const NaiveConstruct* Innermost(const std::vector<NaiveConstruct>& constructs, int block) {
  const NaiveConstruct* best = nullptr;
  for (const NaiveConstruct& c : constructs) {
    if (c.blocks.count(block) == 0) continue;
    if (best == nullptr || c.blocks.size() < best->blocks.size() ||
        (c.blocks.size() == best->blocks.size() && c.header > best->header)) {
      best = &c;
    }
  }
  return best;
}

TEST(ControlFlow, DominanceMatchesItsDefinition) {
  for (const std::string& text : test::ValidCfgs()) {
    const test::Cfg cfg = test::MakeCfg(text);
    const ControlFlow& flow = cfg.module.Flow(cfg.function);
    for (const auto& [a, block_a] : cfg.block) {
      EXPECT_EQ(flow.Reachable(block_a), Reached(cfg.blocks, 0, -1, false).count(a) != 0);
      for (const auto& [b, block_b] : cfg.block) {
        const std::string what = format("{}: {} and {}", text, a, b);
        EXPECT_EQ(flow.Dominates(block_a, block_b), Dominates(cfg.blocks, a, b, false)) << what;
        EXPECT_EQ(flow.StructurallyDominates(block_a, block_b), Dominates(cfg.blocks, a, b, true))
            << what;
        EXPECT_EQ(flow.PostDominates(block_a, block_b), PostDominates(cfg.blocks, a, b, false))
            << what;
      }
    }
  }
}

TEST(ControlFlow, ConstructsMatchTheirDefinition) {
  for (const std::string& text : test::ValidCfgs()) {
    const test::Cfg cfg = test::MakeCfg(text);
    const ControlFlow& flow = cfg.module.Flow(cfg.function);
    const std::vector<NaiveConstruct> constructs = Constructs(cfg.blocks);
    for (const auto& [b, block] : cfg.block) {
      const std::string what = format("{}: block {}", text, b);
      const NaiveConstruct* expected = Innermost(constructs, b);
      const uint32_t found = flow.InnermostConstruct(block);
      ASSERT_EQ(found == Construct::kNone, expected == nullptr) << what;
      if (expected == nullptr) continue;
      const Construct& construct = flow.constructs[found];
      EXPECT_EQ(construct.kind, expected->kind) << what;
      EXPECT_EQ(construct.header, cfg.block.at(expected->header)) << what;
      EXPECT_EQ(construct.merge, cfg.block.at(expected->merge)) << what;
      bool in_continue = false;
      for (const NaiveConstruct& c : constructs) {
        in_continue |= c.kind == ConstructKind::kContinue && c.blocks.count(b) != 0;
      }
      EXPECT_EQ(flow.InContinueConstruct(block), in_continue) << what;
    }
  }
}

TEST(ControlFlow, FindsTheInnermostConstructsOfABlock) {
  // A loop whose body is a switch with a selection in a case, and with a selection in its continue
  // construct.
  const test::Cfg cfg = test::MakeCfg(
      "0>1 1L[m2c3]>4,2 2>ret 3S[m9]>10,9 10>9 9>1 4W[m5]>6,7 5>3 6>2 7S[m8]>11,8 11>3 8>5");
  const ControlFlow& flow = cfg.module.Flow(cfg.function);
  const Block arm = cfg.block.at(11);
  EXPECT_EQ(flow.InnermostLoop(arm)->header, cfg.block.at(1));
  EXPECT_EQ(flow.InnermostSwitch(arm)->header, cfg.block.at(4));
  EXPECT_EQ(flow.InnermostSwitch(cfg.block.at(5)), nullptr);
  EXPECT_EQ(flow.InnermostLoop(cfg.block.at(2)), nullptr);
  EXPECT_TRUE(flow.InContinueConstruct(cfg.block.at(10)));
  EXPECT_FALSE(flow.InContinueConstruct(arm));
  EXPECT_EQ(flow.HeaderOfMerge(cfg.block.at(8)), cfg.block.at(7));
  EXPECT_EQ(flow.HeaderOfContinue(cfg.block.at(3)), cfg.block.at(1));
  EXPECT_FALSE(flow.IsMergeBlock(cfg.block.at(3)));
  EXPECT_FALSE(flow.IsContinueTarget(cfg.block.at(9)));
}

TEST(ControlFlow, TheGraphsOfTheseTestsAreValid) {
  for (const std::string& text : test::ValidCfgs()) {
    for (const auto environment : {TargetEnvironment::kVulkan10, TargetEnvironment::kVulkan13}) {
      const test::Cfg cfg = test::MakeCfg(text, environment);
      const auto invalid = FindInvalid(cfg.words, environment);
      EXPECT_FALSE(invalid) << text << ": " << invalid->message;
    }
  }
}

}  // namespace
}  // namespace refract
