// SPDX-License-Identifier: Apache-2.0
// Conversions between trees, graphs and modules. The parser, the rules and their definitions, taken
// literally, give the same answer for the same graphs.
#include <gtest/gtest.h>

#include "base/file.h"
#include "cfg/enumerate.h"
#include "cfg/parse.h"
#include "cfg/random_edit.h"
#include "cfg/sampler.h"
#include "cfg/skeleton.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"
#include "unit/shared/cfg_text.h"
#include "unit/shared/flow_rules_slow.h"

namespace refract::cfg {
namespace {

std::string RuleOf(const Graph& graph, uint32_t version) {
  const auto module = ReadModule(MakeSkeleton(graph, version), "skeleton");
  EXPECT_TRUE(module) << module.error().message;
  if (!module) return "unreadable";
  const auto fault = FindFlowFault(*module, module->first_function());
  return fault ? std::string(fault->rule) : "";
}

// Tree to graph to tree is the identity, and so are graph to text and graph to module and back.
TEST(CfgParse, ConversionsRoundTrip) {
  Grammar grammar;
  grammar.equal_labels = true;
  const Productions productions(grammar, 4);
  for (uint32_t blocks = 1; blocks <= 4; ++blocks) {
    Enumerator all(productions, blocks);
    for (Tree tree; all.Next(&tree);) {
      const Graph graph = MakeGraph(tree);
      SCOPED_TRACE(GraphText(graph));
      const auto parsed = ParseGraph(graph);
      ASSERT_TRUE(parsed) << parsed.error().message;
      ASSERT_TRUE(parsed->tree == tree) << TreeText(parsed->tree);
      const auto read = ReadGraphText(GraphText(graph));
      ASSERT_TRUE(read) << read.error().message;
      ASSERT_TRUE(*read == graph);
      const auto module = ReadModule(MakeSkeleton(graph), "skeleton");
      ASSERT_TRUE(module);
      const auto again = ReadGraph(*module, module->first_function());
      ASSERT_TRUE(again);
      ASSERT_TRUE(*again == graph);
      ASSERT_FALSE(FindFlowFault(*module, module->first_function()));
      ASSERT_EQ(CanonicalHash(graph), CanonicalHash(Canonical(graph)));
    }
  }
}

TEST(CfgParse, RandomGraphsAreParsedToTheirTrees) {
  Grammar grammar;
  grammar.width = 4;
  Sampler sampler(grammar, 40);
  Random random(5);
  Tree tree;
  for (int i = 0; i < 1000; ++i) {
    sampler.Draw(6 + i % 35, &random, &tree);
    const Graph graph = MakeGraph(tree);
    SCOPED_TRACE(GraphText(graph));
    const auto parsed = ParseGraph(graph, {.equal_labels = false});
    ASSERT_TRUE(parsed) << parsed.error().message;
    ASSERT_TRUE(parsed->tree == tree) << TreeText(parsed->tree);
    EXPECT_EQ(RuleOf(graph, VersionWord(1, 6)), "");
    const Graph canonical = Canonical(graph);
    const auto in_order = ParseGraph(InModuleOrder(graph));
    ASSERT_TRUE(in_order) << in_order.error().message;
    EXPECT_TRUE(in_order->tree == tree);
    const auto of_canonical = ParseGraph(canonical);
    ASSERT_TRUE(of_canonical) << of_canonical.error().message;
    EXPECT_TRUE(of_canonical->tree == tree);
  }
}

// For each of the example graphs of the rules (tests/cfg), parser and rules agree.
TEST(CfgParse, AgreesWithTheRulesOnExamples) {
  const auto files = ListFiles(REFRACT_SOURCE_DIR "/tests/cfg");
  ASSERT_TRUE(files);
  int accepted = 0, refused = 0;
  for (const std::string& file : *files) {
    const auto words = Assemble(*ReadFile(file), TargetEnvironment::kUniversal13);
    ASSERT_TRUE(words) << file;
    const auto module = ReadModule(*words, file);
    ASSERT_TRUE(module) << file;
    const Function function = module->first_function();
    const auto fault = FindFlowFault(*module, function);
    if (fault && FindFlowRule(fault->rule)->scope == FlowScope::kEvery) continue;
    const auto graph = ReadGraph(*module, function);
    ASSERT_TRUE(graph) << file;
    const auto parsed = ParseGraph(*graph, {.ignore_unreachable = true});
    const std::vector<bool> reached = StructurallyReached(*graph);
    const bool whole = std::find(reached.begin(), reached.end(), false) == reached.end();
    if (!whole && fault) continue;  // these rules also apply to unreachable blocks
    EXPECT_EQ(parsed.has_value(), !fault)
        << file << ": " << (parsed ? "" : parsed.error().message) << GraphText(*graph);
    ++(parsed ? accepted : refused);
  }
  EXPECT_GE(accepted, 40);
  EXPECT_GE(refused, 35);
}

std::map<int, test::CfgBlock> ForSlowRules(const Graph& graph) {
  return test::ParseCfg(GraphText(graph));
}

// After single random edits, the parser, the rules and the definitions agree.
TEST(CfgParse, AgreesWithTheRulesAfterEdits) {
  Sampler sampler(Grammar(), 12);
  Random random(7);
  Tree tree;
  int valid = 0, invalid = 0;
  for (int i = 0; i < 3000; ++i) {
    sampler.Draw(2 + i % 11, &random, &tree);
    Graph graph = MakeGraph(tree);
    const std::string before = GraphText(graph);
    EditOnce(&graph, &random);
    graph = InModuleOrder(graph);
    SCOPED_TRACE(before + "\n" + GraphText(graph));
    const auto parsed = ParseGraph(graph, {.ignore_unreachable = true});
    const std::string rule = RuleOf(graph, VersionWord(1, 3));
    if (!rule.empty() && FindFlowRule(rule)->scope == FlowScope::kEvery) continue;
    if (rule == "switch_has_merge_block") continue;  // CfgBlock has no such switch
    const std::set<std::string> broken = test::SlowRules(ForSlowRules(graph)).Broken();
    EXPECT_EQ(rule.empty(), broken.empty());
    EXPECT_TRUE(rule.empty() || broken.count(rule) != 0) << rule;
    const std::vector<bool> reached = StructurallyReached(graph);
    const bool whole = std::find(reached.begin(), reached.end(), false) == reached.end();
    if (whole || rule.empty()) {
      EXPECT_EQ(parsed.has_value(), rule.empty())
          << rule << "; " << (parsed ? "" : parsed.error().message);
    }
    ++(rule.empty() ? valid : invalid);
    if (HasFailure()) return;
  }
  EXPECT_GE(valid, 300);
  EXPECT_GE(invalid, 1000);
}

}  // namespace
}  // namespace refract::cfg
