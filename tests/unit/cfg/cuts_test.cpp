// SPDX-License-Identifier: Apache-2.0
// Cuts of trees: the rest is a smaller tree whose graph keeps the rules, and cuts can reduce a tree
// to any feature in it.
#include "cfg/cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "cfg/features.h"
#include "cfg/generate.h"
#include "cfg/parse.h"
#include "cfg/skeleton.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"

namespace refract::cfg {
namespace {

Tree Read(const std::string& text) {
  const auto graph = ReadGraphText(text);
  EXPECT_TRUE(graph) << graph.error().message;
  auto parsed = ParseGraph(*graph);
  EXPECT_TRUE(parsed) << parsed.error().message;
  return parsed->tree;
}

void ExpectTree(const Tree& tree, bool equal_labels) {
  const Graph graph = MakeGraph(tree);
  const auto parsed = ParseGraph(graph, {.equal_labels = equal_labels});
  ASSERT_TRUE(parsed) << GraphText(graph) << "\n" << parsed.error().message;
  ASSERT_TRUE(parsed->tree == tree) << TreeText(tree) << "\n" << TreeText(parsed->tree);
}
void ExpectRules(const Tree& tree, uint32_t version) {
  const Graph graph = MakeGraph(tree);
  const auto module = ReadModule(MakeSkeleton(graph, version), "graph");
  ASSERT_TRUE(module) << module.error().message;
  const auto fault = FindFlowFault(*module, module->first_function());
  ASSERT_FALSE(fault) << GraphText(graph) << "\n" << fault->rule << ": " << fault->what;
}

uint32_t EdgesOf(const Graph& graph) {
  uint32_t edges = 0;
  for (uint32_t block = 0; block < graph.size(); ++block) {
    graph.ForEachStructural(block, [&](uint32_t) { ++edges; });
  }
  return edges;
}

TEST(Smaller, CutsAreTreesThatKeepTheRules) {
  std::map<CutKind, uint64_t> seen;
  for (bool equal : {false, true}) {
    Grammar grammar;
    grammar.width = 5;
    grammar.equal_labels = equal;
    grammar.weights.Set(ProductionKind::kJoin, 20);
    Sampler sampler(grammar, 32);
    Random random(equal ? 1 : 2);
    Tree tree;
    for (int i = 0; i < 5000; ++i) {
      const uint32_t most = i % 16 == 0 ? 32 : 10;
      sampler.Draw(static_cast<uint32_t>(random.Between(1, most)), &random, &tree);
      SCOPED_TRACE(TreeText(tree));
      const uint32_t edges = EdgesOf(MakeGraph(tree));
      const std::vector<Cut> cuts = ListCuts(tree);
      EXPECT_EQ(cuts.empty(), tree.size() == 1);
      std::set<std::string> texts;
      const size_t judged = random.Below(std::max<size_t>(cuts.size(), 1));
      for (size_t k = 0; k < cuts.size(); ++k) {
        const Cut& cut = cuts[k];
        ++seen[cut.kind];
        const Tree less = MakeCut(tree, cut);
        SCOPED_TRACE(format("cut {} at {}, {}", static_cast<int>(cut.kind), cut.at, cut.which));
        ExpectTree(less, equal);
        if (k == judged) ExpectRules(less, VersionWord(1, equal ? 3 : 6));
        if (HasFatalFailure()) return;
        EXPECT_EQ(less.size(), cut.blocks);
        EXPECT_EQ(EdgesOf(MakeGraph(less)), cut.edges);
        EXPECT_LT(std::tie(cut.blocks, cut.edges), std::make_tuple(tree.size(), edges));
        EXPECT_TRUE(texts.insert(TreeText(less)).second) << "twice: " << TreeText(less);
        if (k > 0) {
          EXPECT_LE(std::tie(cuts[k - 1].blocks, cuts[k - 1].edges),
                    std::tie(cut.blocks, cut.edges));
        }
      }
    }
  }
  for (int kind = 0; kind < static_cast<int>(CutKind::kChain); ++kind) {
    EXPECT_GT(seen[static_cast<CutKind>(kind)], 100u) << kind;
  }
}

// The rest of a tree after every cut that keeps it `wanted`.
template <class FeatureRanges>
Graph Reduced(Tree tree, FeatureRanges wanted) {
  EXPECT_TRUE(wanted(MakeGraph(tree)));
  for (bool smaller = true; smaller;) {
    smaller = false;
    for (const Cut& cut : ListCuts(tree)) {
      Tree less = MakeCut(tree, cut);
      if (!wanted(MakeGraph(less))) continue;
      tree = std::move(less);
      smaller = true;
      break;
    }
  }
  return Canonical(MakeGraph(tree));
}

TEST(Smaller, CutsReduceToTheSmallestGraphWithAFeature) {
  GenerateOptions options;
  options.blocks = 40;
  auto generator = Generator::Make(options);
  ASSERT_TRUE(generator);
  Random random(3);
  Tree tree;
  Graph graph;
  const auto has = [](Feature feature, uint32_t count) {
    return [=](const Graph& drawn) {
      const auto parsed = ParseGraph(drawn);
      return parsed && Of(CountFeatures(parsed->tree, drawn), feature) >= count;
    };
  };
  const struct {
    Feature feature;
    uint32_t blocks;  // of the smallest graphs that have it
  } kRows[] = {
      {Feature::kEnds, 1},       {Feature::kSwitches, 2}, {Feature::kLoops, 3},
      {Feature::kSelections, 3}, {Feature::kFalls, 4},    {Feature::kJoins, 4},
  };
  for (const auto& row : kRows) {
    const auto wanted = has(row.feature, 1);
    for (int i = 0; i < 12; ++i) {
      do {
        ASSERT_TRUE(generator->Draw(&random, &tree, &graph));
      } while (!wanted(graph));
      const Graph reduced = Reduced(tree, wanted);
      EXPECT_EQ(reduced.size(), row.blocks) << GraphText(reduced);
    }
  }
}

struct Case {
  const char* tree;
  CutKind kind;
  uint32_t at, which;
  const char* expected;
};

TEST(Smaller, CutsChangeNothingElse) {
  // `at` counts nodes in the order of the tree: each construct before its merge block.
  const std::vector<Case> cases = {
      {"0>1 1>2 2>3 3>ret", CutKind::kRun, 0, 2, "0>1 1>ret"},
      {"0S[m1]>2,1 1>ret 2>3 3>1", CutKind::kEnd, 1, 0, "0S[m1]>2,1 1>ret 2>1"},
      {"0S[m1]>2,1 1>3 2>1 3>ret", CutKind::kEnd, 0, 0, "0S[m1]>2,1 1>ret 2>1"},
      {"0S[m1]>2,1 1>ret 2>1", CutKind::kFlatten, 0, 0, "0>1 1>ret"},
      // The last block of the arm has two successors; the one to the merge block becomes the next
      // block.
      {"0>1 1L[m2c3]>4 2>ret 3>1 4S[m5]>6,3 5>3 6>2,5", CutKind::kHoist, 2, 0,
       "0>1 1L[m2c3]>4 2>ret 3>1 4>2,5 5>3"},
      {"0>1 1L[m2c3]>4 2>ret 3>1 4S[m5]>6,3 5>3 6>2", CutKind::kHoistEnd, 2, 0,
       "0>1 1L[m2c3]>4 2>ret 3>1 4>2"},
      {"0S[m1]>2,3 1>ret 2>4 3>4 4>1", CutKind::kHoist, 0, 0, "0>1 1>2 2>ret"},
      {"0S[m1]>2,3 1>ret 2>4 3>4 4>1", CutKind::kHoist, 0, 2, "0>1 1>ret"},
      // Breaks and continues in the former loop body.
      {"0>1 1L[m2c3]>4 2>ret 3>1 4S[m5]>6,7 5>3 6>2 7>3", CutKind::kHoist, 1, 0,
       "0>1 1S[m2]>3,4 2>5 3>2 4>2 5>ret"},
      {"0>1 1L[m2c3]>4 2>ret 3>1 4S[m5]>2,3 5>3", CutKind::kHoist, 1, 0,
       "0>1 1S[m2]>3,2 2>4 3>2 4>ret"},
      {"0>1 1L[m2c3]>2,3 2>ret 3>4 4>1,2", CutKind::kHoist, 1, 0, "0>1 1>2 2>3 3>ret"},
      {"0S[m1]>2,3 1>ret 2>1 3>1", CutKind::kArm, 0, 0, "0S[m1]>1,2 1>ret 2>1"},
      {"0S[m1]>2,3 1>ret 2>4 3>4 4>1", CutKind::kArm, 0, 0, "0S[m1]>1,2 1>ret 2>3 3>1"},
      {"0S[m1]>2,3 1>ret 2>4 3>4 4>1", CutKind::kJoin, 0, 0, "0S[m1]>2,3 1>ret 2>1 3>1"},
      {"0S[m1]>2,3 1>ret 2>4 3>4 4>1", CutKind::kPrefix, 0, 1, "0S[m1]>2,3 1>ret 2>3 3>1"},
      {"0>1 1L[m2c3]>4,3 2>ret 3>1 4>2", CutKind::kBody, 1, 0, "0>1 1L[m2c3]>3 2>ret 3>1"},
      {"0>1 1L[m2c3]>4 2>ret 3>1 4>2", CutKind::kSingle, 1, 0, "0>1 1L[m2c1]>1,2 2>ret"},
      {"0W[m1]>2,3,4 1>ret 2>3 3>1 4>1", CutKind::kCase, 0, 0, "0W[m1]>1,2,3 1>ret 2>1 3>1"},
      {"0W[m1]>2,3,4 1>ret 2>3 3>1 4>1", CutKind::kCase, 0, 1, "0W[m1]>2,3 1>ret 2>1 3>1"},
      {"0W[m1]>2,2,1 1>ret 2>1", CutKind::kLabel, 0, 1, "0W[m1]>2,1 1>ret 2>1"},
      {"0W[m1]>2,2,1 1>ret 2>1", CutKind::kLabel, 0, 2, "0W[m1]>2,2 1>ret 2>1"},
      {"0W[m1]>2,3 1>ret 2>3 3>1", CutKind::kFall, 0, 0, "0W[m1]>2,3 1>ret 2>1 3>1"},
      {"0S[m1]>2,1 1>ret 2>3,1 3>1", CutKind::kEdge, 1, 0, "0S[m1]>2,1 1>ret 2>1"},
      {"0S[m1]>2,1 1>ret 2>3,1 3>1", CutKind::kEdge, 1, 1, "0S[m1]>2,1 1>ret 2>3 3>1"},
      {"0>1 1L[m2c3]>4,2 2>ret 3>1 4>2", CutKind::kEdge, 1, 1, "0>1 1L[m2c3]>4 2>ret 3>1 4>2"},
      {"0>ret 1>2 2>ret", CutKind::kChain, 1, 0, "0>ret"},
  };
  for (const Case& a_case : cases) {
    const Tree made = MakeCut(Read(a_case.tree), {a_case.kind, a_case.at, a_case.which});
    EXPECT_EQ(GraphText(Canonical(MakeGraph(made))), a_case.expected) << a_case.tree;
  }
}

}  // namespace
}  // namespace refract::cfg
