// SPDX-License-Identifier: Apache-2.0
#include "ir/edges.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "unit/shared/cfg_text.h"

namespace refract {
namespace {

using test::CfgBlock;

constexpr int kBlocks = 9;

// A graph without structured control flow: random forward and backward edges, never to the entry.
std::map<int, CfgBlock> RandomGraph(Random& random) {
  std::map<int, CfgBlock> blocks;
  for (int b = 0; b < kBlocks; ++b) {
    for (uint64_t n = random.Below(3); n > 0; --n) {
      const int near = b + 1 + static_cast<int>(random.Below(3));
      const int target =
          random.Percent(70) ? near : static_cast<int>(random.Between(1, kBlocks - 1));
      blocks[b].targets.push_back(std::min(target, kBlocks - 1));
    }
    blocks[b];
  }
  return blocks;
}

std::set<int> ReachedWithout(const std::map<int, CfgBlock>& blocks, int without) {
  std::set<int> reached;
  std::vector<int> work;
  if (without != 0) work.push_back(0);
  while (!work.empty()) {
    const int block = work.back();
    work.pop_back();
    if (block == without || !reached.insert(block).second) continue;
    for (int target : blocks.at(block).targets) work.push_back(target);
  }
  return reached;
}

// dominators[b]: all blocks that dominate b; empty for unreachable blocks.
std::map<int, std::set<int>> NaiveDominators(const std::map<int, CfgBlock>& blocks) {
  std::map<int, std::set<int>> dominators;
  const std::set<int> reached = ReachedWithout(blocks, -1);
  for (int d : reached) {
    const std::set<int> others = ReachedWithout(blocks, d);
    for (int b : reached) {
      if (others.count(b) == 0) dominators[b].insert(d);
    }
  }
  return dominators;
}

// A use of the value of block `maker` in block `user`, or by a phi there for the edge from
// `predecessor`.
struct UseOfBlock {
  int maker = 0, user = 0, predecessor = -1;
};

// Random uses that dominance allows. Phis get inputs for all their predecessors.
std::vector<UseOfBlock> RandomUses(const std::map<int, CfgBlock>& blocks, Random& random) {
  auto dominators = NaiveDominators(blocks);
  std::vector<UseOfBlock> uses;
  const auto pick = [&](int b) {
    const std::set<int>& above = dominators[b];
    return *std::next(above.begin(), static_cast<long>(random.Below(above.size())));
  };
  for (const auto& [b, above] : std::map(dominators)) {
    if (random.Percent(40)) uses.push_back({pick(b), b, -1});
    if (!random.Percent(30)) continue;
    for (const auto& [p, block] : blocks) {
      if (std::count(block.targets.begin(), block.targets.end(), b) == 0) continue;
      uses.push_back({dominators[p].empty() ? -1 : pick(p), b, p});
    }
  }
  return uses;
}

std::string Body(int b, const std::vector<UseOfBlock>& uses) {
  const auto value = [](int maker) {
    return maker < 0 ? std::string("%zero") : "%v" + std::to_string(maker);
  };
  std::string phi, plain;
  for (const UseOfBlock& use : uses) {
    if (use.user != b) continue;
    if (use.predecessor >= 0) {
      phi += " " + value(use.maker) + " %b" + std::to_string(use.predecessor);
    } else {
      plain += format("%u{} = OpSNegate %int {}\n", b, value(use.maker));
    }
  }
  if (!phi.empty()) phi = format("%p{} = OpPhi %int{}\n", b, phi);
  return phi + format("%v{} = OpIAdd %int %zero %zero\n", b) + plain;
}

bool NaivelyBreaks(std::map<int, CfgBlock> blocks, const std::vector<UseOfBlock>& uses, int from,
                   int to) {
  blocks[from].targets.push_back(to);
  auto dominators = NaiveDominators(blocks);
  for (const UseOfBlock& use : uses) {
    if (use.maker < 0) continue;
    const int place = use.predecessor >= 0 ? use.predecessor : use.user;
    if (dominators.count(place) != 0 && dominators[place].count(use.maker) == 0) return true;
  }
  return false;
}

TEST(Edges, AgreesWithRecomputedDominance) {
  int broken = 0, kept = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const auto blocks = RandomGraph(random);
    const std::vector<UseOfBlock> uses = RandomUses(blocks, random);
    const test::Cfg cfg = test::MakeCfg(blocks, [&](int b) { return Body(b, uses); });
    const auto dominators = NaiveDominators(blocks);
    for (const auto& [from, ignored] : dominators) {
      for (const auto& [to, also_ignored] : dominators) {
        if (to == 0) continue;
        const bool expected = NaivelyBreaks(blocks, uses, from, to);
        EXPECT_EQ(EdgeBreaksDominance(cfg.module, cfg.block.at(from), cfg.block.at(to)), expected)
            << "seed " << seed << ", " << from << " to " << to;
        ++(expected ? broken : kept);
      }
    }
  }
  // Both answers were frequent.
  EXPECT_GT(broken, 1000);
  EXPECT_GT(kept, 1000);
}

// Also true if a block would come before one that dominates it.
bool NaivelyBreaksOrder(const test::Cfg& cfg, int from, int to) {
  auto blocks = cfg.blocks;
  blocks[from].targets.push_back(to);
  const ControlFlow& flow = cfg.module.Flow(cfg.function);
  const auto position = [&](int b) { return flow.Position(cfg.block.at(b)); };
  for (const auto& [b, above] : NaiveDominators(blocks)) {
    for (int d : above) {
      if (position(d) > position(b)) return true;
    }
  }
  return false;
}

TEST(Edges, FirstEdgeAgreesWithRecomputedDominance) {
  int broken = 0, kept = 0, reached = 0;
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    Random random(seed);
    const auto blocks = RandomGraph(random);
    std::vector<UseOfBlock> uses = RandomUses(blocks, random);
    const auto dominators = NaiveDominators(blocks);
    for (int b = 0; b < kBlocks; ++b) {
      // An unreachable block may use anything that is listed before it.
      if (dominators.count(b) == 0 && b > 0 && random.Percent(30)) {
        uses.push_back({static_cast<int>(random.Below(static_cast<uint64_t>(b))), b, -1});
      }
    }
    const test::Cfg cfg = test::MakeCfg(blocks, [&](int b) { return Body(b, uses); });
    for (int to = 0; to < kBlocks; ++to) {
      if (dominators.count(to) != 0) continue;
      for (const auto& [from, ignored] : dominators) {
        const bool expected =
            NaivelyBreaks(blocks, uses, from, to) || NaivelyBreaksOrder(cfg, from, to);
        ASSERT_EQ(FirstEdgeBreaksDominance(cfg.module, cfg.block.at(from), cfg.block.at(to)),
                  expected)
            << "seed " << seed << ", " << from << " -> " << to;
        ++(expected ? broken : kept);
        auto with = blocks;
        with[from].targets.push_back(to);
        const size_t more = NaiveDominators(with).size() - dominators.size();
        EXPECT_EQ(ReachedOver(cfg.module, cfg.block.at(to)).size(), more);
        if (more > 1) ++reached;
      }
      EXPECT_TRUE(ReachedOver(cfg.module, cfg.block.at(0)).empty());
    }
  }
  EXPECT_GT(broken, 100);
  EXPECT_GT(kept, 100);
  EXPECT_GT(reached, 100);
}

TEST(Edges, UnreachableBlocksAreHandled) {
  const test::Cfg cfg = test::MakeCfg("0>1 1>ret 2>1");
  EXPECT_FALSE(EdgeBreaksDominance(cfg.module, cfg.block.at(2), cfg.block.at(1)));
  // Before the edge, dominance did not restrict the block's contents.
  EXPECT_TRUE(EdgeBreaksDominance(cfg.module, cfg.block.at(0), cfg.block.at(2)));
}

}  // namespace
}  // namespace refract
