// SPDX-License-Identifier: Apache-2.0
// Cuts of trees: that what is left is a tree whose graph keeps the rules, that it is smaller, and
// that a tree can be cut down to anything that is in it.
#include "cfg/smaller.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "base/text.h"
#include "cfg/generate.h"
#include "cfg/parse.h"
#include "cfg/skeleton.h"
#include "ir/binary.h"
#include "ir/flow_rules.h"

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

TEST(Smaller, CutsAreTreesThatKeepTheRules) {
  std::map<CutKind, uint64_t> seen;
  for (bool equal : {false, true}) {
    Grammar grammar;
    grammar.width = 5;
    grammar.equal_labels = equal;
    Sampler sampler(grammar, 32);
    Random random(equal ? 1 : 2);
    Tree tree;
    for (int i = 0; i < 5000; ++i) {
      const uint32_t most = i % 8 == 0 ? 32 : 12;
      sampler.Draw(static_cast<uint32_t>(random.Between(1, most)), &random, &tree);
      SCOPED_TRACE(TreeText(tree));
      const uint32_t edges = MakeGraph(tree).targets.size();
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
        EXPECT_LE(less.size(), tree.size());
        EXPECT_TRUE(less.size() < tree.size() || MakeGraph(less).targets.size() <= edges);
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

// What is left of a tree when every cut is made after which it is still `wanted`.
template <class Wanted>
std::string Reduced(Tree tree, Wanted wanted) {
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
  return GraphText(Canonical(MakeGraph(tree)));
}

TEST(Smaller, CutsComeDownToWhatIsLookedFor) {
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
  // What the smallest graphs are that have it.
  const struct {
    Feature feature;
    uint32_t count;
    std::set<std::string> smallest;
  } kRows[] = {
      {Feature::kEnds, 1, {"0>ret"}},
      {Feature::kLoops, 1, {"0>1 1L[m2c1]>1 2>ret"}},
      {Feature::kSwitches, 1, {"0W[m1]>1 1>ret"}},
      {Feature::kSelections,
       1,
       {"0S[m1]>1,2 1>ret 2>ret", "0S[m1]>2,1 1>ret 2>ret", "0S[m1]>1,2 1>ret 2>1",
        "0S[m1]>2,1 1>ret 2>1"}},
      {Feature::kFalls, 1, {}},
      {Feature::kJoins, 1, {}},
      {Feature::kDepth, 3, {}},
      {Feature::kConditional, 2, {}},
  };
  for (const auto& row : kRows) {
    const auto wanted = has(row.feature, row.count);
    std::set<std::string> found;
    for (int i = 0; i < 12; ++i) {
      do {
        ASSERT_TRUE(generator->Draw(&random, &tree, &graph));
      } while (!wanted(graph));
      found.insert(Reduced(tree, wanted));
    }
    std::string all;
    size_t most = 0;
    for (const std::string& text : found) {
      all += text + "\n";
      most = std::max(most, ReadGraphText(text)->blocks.size());
      if (!row.smallest.empty()) EXPECT_EQ(row.smallest.count(text), 1u) << text;
    }
    EXPECT_LE(most, row.feature == Feature::kJoins ? 5u : 4u) << all;
  }
}

struct Case {
  const char* tree;
  CutKind kind;
  uint32_t at, which;
  const char* expected;
};

TEST(Smaller, CutsLeaveTheRestAsItIs) {
  // at and which count nodes in the order of the text of the tree.
  const std::vector<Case> cases = {
      {"0>1 1>2 2>3 3>ret", CutKind::kRun, 0, 2, "0>1 1>ret"},
      {"0S[m1]>2,1 1>ret 2>3 3>1", CutKind::kEnd, 1, 0, "0S[m1]>2,1 1>ret 2>1"},
  };
  for (const Case& a_case : cases) {
    const Tree made = MakeCut(Read(a_case.tree), {a_case.kind, a_case.at, a_case.which});
    EXPECT_EQ(GraphText(Canonical(MakeGraph(made))), a_case.expected) << a_case.tree;
  }
}

}  // namespace
}  // namespace refract::cfg
