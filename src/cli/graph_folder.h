// SPDX-License-Identifier: Apache-2.0
// What the verbs of `refract cfg` do with graphs: which are asked for, and a folder of them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cfg/generate.h"
#include "cli/console.h"
#include "cli/options.h"

namespace refract::inline cli {

/// What the command line says of a grammar.
struct GrammarArguments {
  uint64_t blocks = 0, width = 3;
  bool equal_labels = false, various = false;
};
/// Declares --blocks (up to `most`), --width, --equal-labels and --various.
void DeclareGrammar(Options& options, GrammarArguments* given, uint64_t most);
/// The grammar, and what is asked for beside it; an error if --blocks is missing.
Result<cfg::GenerateOptions> GraphsOf(const GrammarArguments& given);

/// Of a graph: {hash, blocks, graph} and, with a tree, {tree, headers, loops, ...}.
nlohmann::ordered_json GraphJson(const cfg::Graph& graph, const cfg::Tree* tree);

/// Writes graphs to a folder as modules: graph_000001.spv and so on, and with `draw`
/// graph_000001.dot and, where graphviz is installed, graph_000001.svg.
class GraphFolder {
 public:
  static Result<GraphFolder> Make(const std::string& folder, bool draw);
  /// The name of the module's file.
  Result<std::string> Add(const cfg::Graph& graph, uint32_t version);

 private:
  std::string folder_, dot_;  // the program; empty: not there
  bool draw_ = false;
  uint64_t count_ = 0;
};

}  // namespace refract::inline cli
