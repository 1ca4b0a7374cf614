// SPDX-License-Identifier: Apache-2.0
// refract cfg count and cfg enumerate: count and list the graphs of structured control flow that
// have a given number of blocks.
#include <nlohmann/json.hpp>

#include "cfg/enumerate.h"
#include "cli/graph_folder.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct CfgCountArguments {
  GrammarArguments grammar;
};

void Declare(CfgCountArguments& given, Options& options) {
  DeclareGrammar(options, &given.grammar, cfg::kMostExact);
}

// Calls `visit(tree, graph)` for each graph: for small graphs, a million times per second.
template <class Visit>
void ForEachGraph(const cfg::GenerateOptions& options, Visit visit) {
  const cfg::Productions productions(options.grammar, options.blocks);
  cfg::Enumerator all(productions, options.blocks);
  cfg::Graph graph;
  for (cfg::Tree tree; all.Next(&tree);) {
    cfg::MakeGraph(tree, &graph);
    if (!options.various || cfg::IsVarious(tree, graph)) visit(tree, graph);
  }
}

Result<ExitCode> Count(const CfgCountArguments& given, Console& console) {
  const Result<cfg::GenerateOptions> options = GenerateOptionsOf(given.grammar);
  if (!options) return options.error();
  std::string number;
  constexpr uint32_t kMostListed = 9;
  if (options->various && options->blocks > kMostListed) {
    return Error{
        format("--various: these graphs are counted one by one, so --blocks must be at most {}",
               kMostListed),
        ErrorKind::kUsage};
  }
  if (options->various) {  // the grammar does not express all conditions
    uint64_t count = 0;
    ForEachGraph(*options, [&](const cfg::Tree&, const cfg::Graph&) { ++count; });
    number = format("{}", count);
  } else {
    number = cfg::Productions(options->grammar, options->blocks).Total(options->blocks).ToDecimal();
  }
  // A text, because JSON readers limit the size of numbers.
  console.Print(console.json ? Json({{"count", number}}).dump(2) + "\n" : number + "\n");
  return kDone;
}

Result<ExitCode> Enumerate(const CfgCountArguments& given, Console& console) {
  const Result<cfg::GenerateOptions> options = GenerateOptionsOf(given.grammar);
  if (!options) return options.error();
  std::string lines;
  Json graphs = Json::array();
  ForEachGraph(*options, [&](const cfg::Tree& tree, const cfg::Graph& graph) {
    const cfg::Graph canonical = cfg::Canonical(graph);
    if (console.json) {
      graphs.push_back(GraphJson(canonical, &tree));
      return;
    }
    lines += cfg::GraphText(canonical) + "\n";
    if (lines.size() < 1 << 20) return;
    console.Print(lines);
    lines.clear();
  });
  console.Print(console.json ? Json({{"graphs", graphs}}).dump(2) + "\n" : lines);
  return kDone;
}

}  // namespace

const Verb kCfgCountVerb = {
    .name = "count",
    .summary = "Count the valid control-flow graphs of a given size",
    .example = "refract cfg count --blocks 14",
    .exit_codes = {},
    .main_options = {"--blocks", "--width", "--equal-labels", "--various"},
    .no_files = true,
    .declare = DeclareVerb<CfgCountArguments, Declare, Count>,
};

const Verb kCfgEnumerateVerb = {
    .name = "enumerate",
    .summary = "List the valid control-flow graphs of a given size, one on each line",
    .example = "refract cfg enumerate --blocks 4",
    .exit_codes = {},
    .main_options = {"--blocks", "--width", "--equal-labels", "--various"},
    .no_files = true,
    .declare = DeclareVerb<CfgCountArguments, Declare, Enumerate>,
};

}  // namespace cli
}  // namespace refract
