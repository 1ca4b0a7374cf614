// SPDX-License-Identifier: Apache-2.0
#include "cfg/invalid.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "cfg/parse.h"
#include "cfg/random_edit.h"
#include "cfg/skeleton.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"

namespace refract::cfg {
namespace {

constexpr uint32_t kTries = 100'000;
constexpr std::string_view kOrder = "block_after_its_dominator";
constexpr std::string_view kEntry = "entry_block_not_targeted";

// Exchanges the numbers of two blocks other than the entry block, which changes their order in a
// module.
void SwapBlocks(Graph* graph, Random* random) {
  if (graph->size() < 3) return;
  const uint32_t a = static_cast<uint32_t>(random->Between(1, graph->size() - 1));
  const uint32_t b = static_cast<uint32_t>(random->Between(1, graph->size() - 1));
  std::swap(graph->blocks[a], graph->blocks[b]);
  const auto rename = [&](uint32_t& block) { block = block == a ? b : block == b ? a : block; };
  for (GraphBlock& block : graph->blocks) {
    rename(block.merge);
    rename(block.continue_target);
  }
  for (uint32_t& target : graph->targets) rename(target);
}

// Moves a loop that follows the entry block before it. Returns false if no loop does.
bool PutLoopFirst(Tree* tree) {
  std::vector<Node>& nodes = tree->nodes;
  const bool alone = nodes[0].kind == NodeKind::kPlain && nodes[0].edge_count == 1;
  if (!alone || !nodes[0].Has(EdgeKind::kNext) || nodes[1].kind != NodeKind::kLoop) return false;
  std::rotate(nodes.begin(), nodes.begin() + 1, nodes.begin() + 1 + nodes[1].size);
  return true;
}

// True if the function of the module breaks this rule and no other. Some rules rely on earlier
// ones. If those are broken, their results may be meaningless, but every rule has a result for any
// function.
bool BreaksAlone(const Module& module, std::string_view rule) {
  const Function function = module.first_function();
  const auto fault = FindFlowFault(module, function);
  if (!fault || fault->rule != rule) return false;
  const FlowConstructs flow(module, function, FlowMode::kStrict);
  for (const FlowRule& other : FlowRules()) {
    if (other.name == rule || other.find == nullptr || module.version() < other.since) continue;
    if (other.find(flow)) return false;
  }
  return true;
}

}  // namespace

std::vector<std::string_view> BreakableRules() {
  std::vector<std::string_view> rules;
  for (const FlowRule& rule : FlowRules()) {
    if (rule.name == "block_form" || rule.name == "phi_has_each_predecessor_once" ||
        rule.name == "nesting_is_limited" || rule.name == "continue_target_dominates_back_edge" ||
        rule.name == "case_branches_to_one_case") {
      continue;
    }
    rules.push_back(rule.name);
  }
  return rules;
}

uint32_t VersionFor(std::string_view rule) {
  const FlowRule* found = FindFlowRule(rule);
  const uint32_t lowest = VersionWord(1, 3);
  return found != nullptr && found->since > lowest ? found->since : lowest;
}

Result<Graph> DrawInvalid(std::string_view rule, Generator& generator, Random* random) {
  const uint32_t version = VersionFor(rule);
  const ParseOptions options{.equal_labels = version < VersionWord(1, 6)};
  Tree tree;
  for (uint32_t i = 0; i < kTries; ++i) {
    Graph graph;
    if (!generator.Draw(random, &tree, &graph)) break;
    if (rule == kOrder) {
      SwapBlocks(&graph, random);
    } else if (rule == kEntry) {
      if (!PutLoopFirst(&tree)) continue;
      graph = MakeGraph(tree);
    } else {
      EditOnce(&graph, random);
      if (i > kTries / 2) EditOnce(&graph, random);  // one change does not suffice
      graph = InModuleOrder(graph);
      if (ParseGraph(graph, options)) continue;  // much cheaper than to make a module
    }
    const Result<Module> module = ReadModule(MakeSkeleton(graph, version), "graph");
    if (module && BreaksAlone(*module, rule)) return graph;
  }
  return Error{
      format("none of {} changed graphs violates only the rule {}; choose another number of blocks",
             kTries, rule),
      ErrorKind::kUnavailable};
}

}  // namespace refract::cfg
