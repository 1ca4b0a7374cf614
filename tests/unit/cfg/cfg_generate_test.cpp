// SPDX-License-Identifier: Apache-2.0
// Graphs on request: large ones, weighted ones, ones with given features, and ones that break one
// rule.
#include <gtest/gtest.h>

#include <set>

#include "base/text.h"
#include "cfg/dot.h"
#include "cfg/enumerate.h"
#include "cfg/generate.h"
#include "cfg/invalid.h"
#include "cfg/parse.h"
#include "cfg/skeleton.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"
#include "ir/tools.h"

namespace refract::cfg {
namespace {

Result<Generator> MakeGenerator(uint32_t blocks, const std::vector<std::string>& weights = {},
                                const std::vector<std::string>& wanted = {}) {
  GenerateOptions options;
  options.blocks = blocks;
  options.grammar.weights = *ReadWeights(weights);
  options.wanted = *ReadWanted(wanted);
  options.tries = 20000;
  return Generator::Make(options);
}

// Each of the 54 graphs of three blocks is drawn about equally often: about 100 times.
TEST(CfgGenerate, GraphsAreDrawnUniformly) {
  auto generator = MakeGenerator(3);
  Random random(11);
  Tree tree;
  Graph graph;
  std::map<std::string, int> seen;
  for (int i = 0; i < 5400; ++i) {
    ASSERT_TRUE(generator->Draw(&random, &tree, &graph));
    ++seen[GraphText(graph)];
  }
  EXPECT_EQ(seen.size(), 54u);
  double chi2 = 0;
  for (const auto& [text, count] : seen) chi2 += (count - 100.0) * (count - 100.0) / 100;
  EXPECT_LT(chi2, 100);  // 53 degrees of freedom: more than that is one case in ten thousand
}

// "0>1 1>2 2>ret" weighs 1 and each loop multiplies the weight by 5: graphs are drawn in exactly
// that proportion.
TEST(CfgGenerate, WeightsDecideTheProportions) {
  GenerateOptions options;
  options.blocks = 5;
  options.grammar.weights = *ReadWeights(std::vector<std::string>{"loop=5", "switch=0", "join=3"});
  const Productions weighed(options.grammar, 5), all(Grammar(), 5);
  uint64_t sum = 0;
  Enumerator each(all, 5);
  for (Tree tree; each.Next(&tree);) {
    const Features features = CountFeatures(tree, MakeGraph(tree));
    if (Of(features, Feature::kSwitches) > 0) continue;
    uint64_t weight = 1;
    for (uint32_t i = 0; i < Of(features, Feature::kLoops); ++i) weight *= 5;
    for (uint32_t at = 0; at < tree.size(); ++at) {
      const Node& node = tree.nodes[at];
      if (node.joins && node.edges[0] == EdgeKind::kArm && node.edges[1] == EdgeKind::kArm)
        weight *= 3;
    }
    sum += weight;
  }
  EXPECT_EQ(weighed.Total(5).ToDecimal(), std::to_string(sum));
  EXPECT_FALSE(ReadWeights(std::vector<std::string>{"loops=5"}));
  EXPECT_FALSE(ReadWeights(std::vector<std::string>{"loop=5000"}));
  const auto none = MakeGenerator(3, {"end=0"});
  ASSERT_FALSE(none);
  EXPECT_NE(none.error().message.find("no graph of 3 blocks"), std::string::npos);
}

TEST(CfgGenerate, GraphsHaveTheWantedFeatures) {
  Random random(3);
  Tree tree;
  Graph graph;
  for (size_t i = 0; i < static_cast<size_t>(Feature::kCount); ++i) {
    const std::string name(NameOf(static_cast<Feature>(i)));
    if (name == "blocks" || name == "detached") continue;
    auto generator = MakeGenerator(12, {}, {name + "=2..3"});
    for (int j = 0; j < 10; ++j) {
      ASSERT_TRUE(generator->Draw(&random, &tree, &graph)) << name;
      EXPECT_TRUE(ParseGraph(graph));
      const uint32_t count = CountFeatures(tree, graph)[i];
      EXPECT_TRUE(count == 2 || count == 3) << name << " " << count << ": " << GraphText(graph);
    }
  }
  auto impossible = MakeGenerator(4, {}, {"loops=4.."});
  EXPECT_FALSE(impossible->Draw(&random, &tree, &graph));
  for (const char* wrong : {"loop=1", "loops", "loops=", "loops=3..2", "loops=x"}) {
    EXPECT_FALSE(ReadWanted(std::vector<std::string>{wrong})) << wrong;
  }
}

TEST(CfgGenerate, FeaturesAreCounted) {
  const auto count = [](const char* text, Feature feature) {
    const auto parsed = ParseGraph(*ReadGraphText(text));
    EXPECT_TRUE(parsed) << parsed.error().message;
    return Of(CountFeatures(parsed->tree, MakeGraph(parsed->tree)), feature);
  };
  const char* endless = "0>1 1L[m2c1]>1 2>ret";
  EXPECT_EQ(count(endless, Feature::kInfinite), 1u);
  EXPECT_EQ(count(endless, Feature::kUnreachable), 1u);
  EXPECT_EQ(count(endless, Feature::kDetached), 0u);
  const char* nested = "0>1 1L[m2c3]>4 2>ret 3>1,2 4S[m5]>2,6 5>3 6>5,3";
  EXPECT_EQ(count(nested, Feature::kDepth), 2u);
  EXPECT_EQ(count(nested, Feature::kExits), 6u);
  EXPECT_EQ(count(nested, Feature::kConditional), 2u);
  EXPECT_EQ(count("0W[m1]>1,2,3 1>ret 2>3 3>1", Feature::kFalls), 1u);
  EXPECT_EQ(count("0S[m1]>2,3 1>ret 2>4 3>4 4>1", Feature::kJoins), 1u);
  EXPECT_EQ(count("0>ret 1S[m2]>2,3 2>ret 3>ret", Feature::kDetached), 3u);
}

// Of eight blocks, exactly 226,890 graphs meet the conditions D1 to D6. For five and six blocks,
// the drawn graphs are the enumerated ones.
TEST(CfgGenerate, AllVariousGraphsAreDrawn) {
  GenerateOptions options;
  options.blocks = 5;
  MakeVarious(&options);
  const Productions productions(options.grammar, 5);
  Enumerator all(productions, 5);
  std::set<std::string> wanted, drawn;
  for (Tree tree; all.Next(&tree);) {
    const Graph graph = MakeGraph(tree);
    if (IsVarious(tree, graph)) wanted.insert(GraphText(graph));
  }
  auto generator = Generator::Make(options);
  Random random(1);
  Tree tree;
  Graph graph;
  for (size_t i = 0; i < 40 * wanted.size(); ++i) {
    ASSERT_TRUE(generator->Draw(&random, &tree, &graph));
    drawn.insert(GraphText(graph));
  }
  EXPECT_EQ(drawn, wanted);
  EXPECT_GE(wanted.size(), 4u);
}

TEST(CfgGenerate, LargeGraphsAreValid) {
  for (uint32_t blocks : {65u, 1000u}) {
    GenerateOptions options;
    options.blocks = blocks;
    options.detached = blocks / 20;
    auto generator = Generator::Make(options);
    ASSERT_TRUE(generator) << generator.error().message;
    Random random(blocks), again(blocks);
    Tree tree, same;
    Graph graph;
    for (int i = 0; i < 5; ++i) {
      ASSERT_TRUE(generator->Draw(&random, &tree, &graph));
      ASSERT_TRUE(generator->Draw(&again, &same, &graph));
      ASSERT_TRUE(tree == same);
      ASSERT_EQ(tree.size(), blocks);
      const Features features = CountFeatures(tree, graph);
      EXPECT_LE(Of(features, Feature::kDepth), 12u);
      EXPECT_EQ(Of(features, Feature::kDetached), options.detached);
      const auto parsed = ParseGraph(graph, {.equal_labels = false});
      ASSERT_TRUE(parsed) << parsed.error().message;
      ASSERT_TRUE(parsed->tree == tree);
      const auto module = ReadModule(MakeSkeleton(graph), "graph");
      ASSERT_TRUE(module);
      const auto fault = FindFlowFault(*module, module->first_function());
      EXPECT_FALSE(fault) << Describe(*module, *fault);
    }
  }
  EXPECT_FALSE(MakeGenerator(100, {"end=0"}));
}

// spirv-val accepts skeletons, and the DOT text names every block.
TEST(CfgGenerate, SkeletonsAndTextsAreValid) {
  const auto graph = ReadGraphText("0>1 1L[m2c3]>4 2>ret 3>1,2 4W[m5]>6,5,6 5>3 6>5");
  ASSERT_TRUE(graph) << graph.error().message;
  for (uint32_t minor : {0u, 3u, 6u}) {
    const uint32_t version = VersionWord(1, minor);
    const auto invalid =
        FindInvalid(MakeSkeleton(InModuleOrder(*graph), version), UniversalEnvironment(version));
    EXPECT_FALSE(invalid) << invalid->message;
  }
  const std::string dot = DotText(*graph, "name");
  for (const char* part :
       {"1 -> 2 [style=dashed", "1 -> 3 [style=dotted", "4 -> 6;", "4 -> 5 [label=\"1\"]",
        "3 -> 1 [label=\"1\"]", "2 [label=\"2\" peripheries=2]"}) {
    EXPECT_NE(dot.find(part), std::string::npos) << part << "\n" << dot;
  }
  for (const char* wrong : {"", "1>ret", "0>1", "0>ret 0>ret", "0L[m1]>1 1>ret", "0>",
                            "0>1,1,1 1>ret", "0S>1,1 1>ret"}) {
    EXPECT_FALSE(ReadGraphText(wrong)) << wrong;
  }
}

// One change breaks each rule; the two other rules need two changes and many tries.
TEST(CfgGenerate, InvalidGraphsBreakTheGivenRule) {
  const std::set<std::string_view> rare = {"back_edge_post_dominates_continue_target",
                                           "header_with_its_merge_block"};
  int broken = 0;
  for (std::string_view rule : BreakableRules()) {
    if (rare.count(rule) != 0) continue;
    auto generator = MakeGenerator(8);
    Random random(4);
    const auto graph = DrawInvalid(rule, *generator, &random);
    ASSERT_TRUE(graph) << graph.error().message;
    ++broken;
    const auto module = ReadModule(MakeSkeleton(*graph, VersionFor(rule)), "graph");
    ASSERT_TRUE(module);
    const auto fault = FindFlowFault(*module, module->first_function());
    ASSERT_TRUE(fault) << rule;
    EXPECT_EQ(fault->rule, rule);
  }
  EXPECT_EQ(broken, 23);
}

}  // namespace
}  // namespace refract::cfg
