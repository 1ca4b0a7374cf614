// SPDX-License-Identifier: Apache-2.0
// Plans of paths through graphs: the branches that their paths take, and where invocations meet.
#include "flesh/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/file.h"
#include "base/text.h"
#include "cfg/generate.h"
#include "cfg/skeleton.h"
#include "flesh/paths.h"
#include "flesh/shorter_plans.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"
#include "ir/tools.h"

namespace refract::flesh {
namespace {

using cfg::Graph;

Graph Read(const std::string& text) {
  auto graph = cfg::ReadGraphText(text);
  EXPECT_TRUE(graph) << graph.error().message;
  return *graph;
}

// Draws graphs of 1 to 64 blocks, mostly small ones.
template <class Test>
void ForGraphs(uint32_t count, uint64_t seed, Test test) {
  Random random(seed);
  cfg::Sampler sampler({}, cfg::kMostExact);
  cfg::Tree tree;
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t most = i % 4 == 0 ? cfg::kMostExact : 16;
    sampler.Draw(static_cast<uint32_t>(random.Between(1, most)), &random, &tree);
    const Graph graph = cfg::MakeGraph(tree);
    SCOPED_TRACE(cfg::GraphText(graph));
    test(graph, &random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

// The blocks that can be on a path from the entry block to an end, computed in another way than the
// planner does.
std::vector<bool> Live(const Graph& graph) {
  std::vector<bool> reached(graph.size(), false), ending(graph.size(), false);
  reached[0] = true;
  for (uint32_t round = 0; round < graph.size(); ++round) {
    for (uint32_t block = 0; block < graph.size(); ++block) {
      if (graph.Targets(block).empty()) ending[block] = true;
      for (uint32_t to : graph.Targets(block)) {
        if (reached[block]) reached[to] = true;
        if (ending[to]) ending[block] = true;
      }
    }
  }
  for (uint32_t block = 0; block < graph.size(); ++block) {
    reached[block] = reached[block] && ending[block];
  }
  return reached;
}

using Branches = std::set<std::pair<uint32_t, uint32_t>>;  // block and slot

Branches LiveBranches(const Graph& graph) {
  const std::vector<bool> live = Live(graph);
  Branches branches;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    const auto targets = graph.Targets(block);
    for (uint32_t slot = 0; slot < targets.size(); ++slot) {
      if (live[block] && live[targets[slot]]) branches.emplace(block, slot);
    }
  }
  return branches;
}

Branches BranchesOf(const Graph& graph, const Path& path) {
  Branches branches;
  for (size_t i = 0; i < path.blocks.size(); ++i) {
    if (!graph.Targets(path.blocks[i]).empty()) branches.emplace(path.blocks[i], path.choices[i]);
  }
  return branches;
}

void ExpectWay(const Graph& graph, const Path& path) {
  ASSERT_EQ(path.blocks.size(), path.choices.size());
  ASSERT_FALSE(path.blocks.empty());
  EXPECT_EQ(path.blocks[0], 0u);
  for (size_t i = 0; i + 1 < path.blocks.size(); ++i) {
    const auto targets = graph.Targets(path.blocks[i]);
    ASSERT_LT(path.choices[i], targets.size());
    ASSERT_EQ(targets[path.choices[i]], path.blocks[i + 1]);
  }
  EXPECT_TRUE(graph.Targets(path.blocks.back()).empty());
  EXPECT_EQ(path.choices.back(), 0);
}

TEST(Plan, HasDifferentPathsToAnEnd) {
  uint32_t planned = 0;
  ForGraphs(3000, 1, [&](const Graph& graph, Random* random) {
    PlanOptions options;
    options.paths = static_cast<uint32_t>(random->Between(1, 6));
    options.invocations = static_cast<uint32_t>(random->Between(1, 40));
    options.workgroup = static_cast<uint32_t>(random->Between(1, 20));
    options.invocations_per_path = static_cast<uint32_t>(random->Below(6));
    const auto plan = MakePlan(graph, options, random);
    ASSERT_EQ(plan.has_value(), Live(graph)[0]);
    if (!plan) return;
    ++planned;
    ASSERT_FALSE(plan->paths.empty());
    EXPECT_LE(plan->paths.size(), options.paths);
    for (const Path& path : plan->paths) {
      ExpectWay(graph, path);
      EXPECT_EQ(std::count(plan->paths.begin(), plan->paths.end(), path), 1);
    }
    ASSERT_EQ(plan->path_of.size(), options.invocations);
    std::set<uint32_t> taken;
    for (uint32_t i = 0; i < options.invocations; ++i) {
      taken.insert(plan->path_of[i]);
      ASSERT_LT(plan->path_of[i], plan->paths.size());
      const bool first = i % options.workgroup % std::max(options.invocations_per_path, 1u) == 0;
      if (!first) {
        EXPECT_EQ(plan->path_of[i], plan->path_of[i - 1]);
      }
    }
    EXPECT_EQ(taken.size(), plan->paths.size());
  });
  EXPECT_GT(planned, 2500u);
}

TEST(Plan, IsTheSameForTheSameSeed) {
  ForGraphs(100, 2, [](const Graph& graph, Random* random) {
    const uint64_t seed = random->Next();
    Random a(seed), b(seed);
    const auto first = MakePlan(graph, {}, &a), second = MakePlan(graph, {}, &b);
    ASSERT_EQ(first.has_value(), second.has_value());
    if (!first) return;
    EXPECT_EQ(first->paths, second->paths);
    EXPECT_EQ(first->path_of, second->path_of);
    EXPECT_EQ(a.Next(), b.Next());
  });
}

TEST(Plan, NeedsAnEnd) {
  Random random(3);
  const auto plan = MakePlan(Read("0>1 1L[m3c2]>2 2>1 3>ret"), {}, &random);
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().message,
            "the graph has no path from its entry block to an end of the function");
}

TEST(Plan, DoesNotEnterBlocksThatLeadToNoEnd) {
  // Block 2 is a loop without an exit.
  const Graph graph = Read("0S[m1]>2,1 1>ret 2L[m3c2]>2 3>1");
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Random random(seed);
    const auto plan = MakePlan(graph, {}, &random);
    ASSERT_TRUE(plan);
    ASSERT_EQ(plan->paths.size(), 1u);
    EXPECT_EQ(plan->paths[0].blocks, (std::vector<uint32_t>{0, 1}));
    EXPECT_EQ(plan->paths[0].choices, (std::vector<uint16_t>{1, 0}));
  }
}

Path DrawPath(PathDrawer* drawer, uint32_t most_visits) {
  Path path;
  drawer->Draw(most_visits, &path);
  return path;
}

TEST(Plan, TakesEveryBranchWithEnoughWalks) {
  uint64_t paths = 0, graphs = 0;
  ForGraphs(2000, 4, [&](const Graph& graph, Random* random) {
    Branches left = LiveBranches(graph);
    PathDrawer drawer(graph, random);
    if (!drawer.has_end()) return;
    ++graphs;
    while (!left.empty()) {
      EXPECT_EQ(drawer.untaken(), left.size());
      const size_t before = left.size();
      const Path path = DrawPath(&drawer, 100'000);
      ASSERT_LT(path.blocks.size(), 100'000u);
      ++paths;
      for (const auto& branch : BranchesOf(graph, path)) left.erase(branch);
      ASSERT_LT(left.size(), before) << "a path takes nothing new";
    }
    EXPECT_EQ(drawer.untaken(), 0u);
  });
  // One path takes all branches of a loop, so few paths are needed.
  EXPECT_LT(paths, 8 * graphs);
}

// The largest number of `left` branches that one path from `block` takes, in a graph without loops.
size_t MostTaken(const Graph& graph, uint32_t block, const Branches& left,
                 const std::vector<bool>& live) {
  size_t most = 0;
  const auto targets = graph.Targets(block);
  for (uint32_t slot = 0; slot < targets.size(); ++slot) {
    if (!live[targets[slot]]) continue;
    most = std::max(most, left.count({block, slot}) + MostTaken(graph, targets[slot], left, live));
  }
  return most;
}

TEST(Plan, EachWalkTakesAsManyNewBranchesAsPossible) {
  cfg::Grammar grammar;
  grammar.weights.Set(cfg::ProductionKind::kLoop, 0);
  cfg::Sampler sampler(grammar, 16);
  Random random(5);
  cfg::Tree tree;
  for (uint32_t i = 0; i < 1000; ++i) {
    sampler.Draw(static_cast<uint32_t>(random.Between(1, 16)), &random, &tree);
    const Graph graph = cfg::MakeGraph(tree);
    SCOPED_TRACE(cfg::GraphText(graph));
    Branches left = LiveBranches(graph);
    const std::vector<bool> live = Live(graph);
    PathDrawer drawer(graph, &random);
    while (!left.empty()) {
      const size_t most = MostTaken(graph, 0, left, live), before = left.size();
      for (const auto& branch : BranchesOf(graph, DrawPath(&drawer, 900))) left.erase(branch);
      ASSERT_EQ(before - left.size(), most);
    }
  }
}

TEST(Plan, AWalkTakesAllBranchesOfALoop) {
  // A loop with a selection, a switch and three exits.
  const Graph graph =
      Read("0>1 1L[m2c3]>4 2>ret 3>1,2 4S[m5]>6,7 5W[m8]>9,10,8 6>5 7>5,2 8>3 9>8 10>ret");
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Random random(seed);
    PathDrawer drawer(graph, &random);
    DrawPath(&drawer, 900);
    EXPECT_EQ(drawer.untaken(), 3u - 1u) << "exits of the loop, of which a path takes one";
  }
}

TEST(Plan, KeepsWalksShortOnRequest) {
  ForGraphs(1000, 6, [](const Graph& graph, Random* random) {
    PathDrawer drawer(graph, random);
    if (!drawer.has_end()) return;
    const uint32_t most = static_cast<uint32_t>(random->Below(20));
    const Path path = DrawPath(&drawer, most);
    ExpectWay(graph, path);
    EXPECT_LE(path.blocks.size(), most + graph.size());
    if (most == 0) {  // the shortest path from the start
      const std::set<uint32_t> blocks(path.blocks.begin(), path.blocks.end());
      EXPECT_EQ(blocks.size(), path.blocks.size());
    }
  });
}

TEST(Plan, RepeatsLoopsUpToThreeTimes) {
  // Two nested loops; both can exit at their header and in their continue target.
  const Graph graph = Read("0>1 1L[m2c3]>4,2 2>ret 3>1,2 4L[m5c6]>6,5 5>3 6>4,5");
  std::map<size_t, uint32_t> seen;
  for (uint64_t seed = 0; seed < 400; ++seed) {
    Random random(seed);
    PathDrawer drawer(graph, &random);
    while (drawer.untaken() > 0) DrawPath(&drawer, 900);
    const Path path = DrawPath(&drawer, 900);
    ++seen[static_cast<size_t>(std::count(path.blocks.begin(), path.blocks.end(), 1u)) - 1];
  }
  EXPECT_EQ(seen.size(), 4u);
  EXPECT_NEAR(seen[0], 200, 40);
  EXPECT_NEAR(seen[1], 100, 30);
  EXPECT_NEAR(seen[2], 50, 25);
  EXPECT_NEAR(seen[3], 50, 25);
}

TEST(Plan, BecomesShorterStepByStep) {
  ForGraphs(200, 7, [](const Graph& graph, Random* random) {
    PlanOptions options;
    options.most_visits = 30;
    auto plan = MakePlan(graph, options, random);
    if (!plan) return;
    const auto visits = [](const Plan& of) {
      size_t count = 0;
      for (const Path& path : of.paths) count += path.blocks.size();
      return count;
    };
    for (;;) {
      std::vector<Plan> shorter = ShorterPlans(*plan);
      size_t before = 0;
      for (const Plan& one : shorter) {
        for (const Path& path : one.paths) {
          ExpectWay(graph, path);
          EXPECT_EQ(std::count(one.paths.begin(), one.paths.end(), path), 1);
        }
        const std::set<uint32_t> taken(one.path_of.begin(), one.path_of.end());
        EXPECT_EQ(taken.size(), one.paths.size());
        EXPECT_EQ(*taken.rbegin(), one.paths.size() - 1);
        EXPECT_EQ(one.path_of.size(), plan->path_of.size());
        EXPECT_LT(visits(one), visits(*plan));
        EXPECT_LE(before, visits(one));
        before = visits(one);
      }
      if (shorter.empty()) break;
      *plan = std::move(shorter[random->Below(shorter.size())]);
    }
    ASSERT_EQ(plan->paths.size(), 1u);
    const std::vector<uint32_t>& blocks = plan->paths[0].blocks;
    EXPECT_EQ(std::set<uint32_t>(blocks.begin(), blocks.end()).size(), blocks.size());
  });
}

// The graphs of tests/cfg that keep the rules.
TEST(Plan, IsMadeForGraphsOfModules) {
  uint32_t planned = 0;
  Random random(8);
  for (const auto& entry : std::filesystem::directory_iterator(REFRACT_SOURCE_DIR "/tests/cfg")) {
    if (entry.path().extension() != ".spvasm") continue;
    const auto text = ReadFile(entry.path().string());
    ASSERT_TRUE(text);
    const auto words = Assemble(*text, TargetEnvironment::kUniversal13);
    if (!words) continue;
    const auto module = ReadModule(*words, "test");
    if (!module) continue;
    const Function function = module->first_function();
    if (FindFlowFault(*module, function)) continue;
    const auto graph = cfg::ReadGraph(*module, function);
    ASSERT_TRUE(graph) << graph.error().message;
    SCOPED_TRACE(entry.path().string());
    const auto plan = MakePlan(*graph, {}, &random);
    EXPECT_EQ(plan.has_value(), Live(*graph)[0]);
    if (!plan) continue;
    ++planned;
    for (const Path& path : plan->paths) ExpectWay(*graph, path);
    const std::vector<bool> meet =
        ConvergedBlocks(*graph, *plan, 64, 64, Reconvergence::kWorkgroup);
    EXPECT_TRUE(meet[0]);
  }
  EXPECT_GT(planned, 20u);
}

}  // namespace
}  // namespace refract::flesh
