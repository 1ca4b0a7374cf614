// SPDX-License-Identifier: Apache-2.0
// For the verbs of `refract cfg`: the options that select graphs, and a folder of graphs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "base/result.h"
#include "cfg/generate.h"
#include "cli/console.h"
#include "cli/options.h"

namespace refract {
inline namespace cli {

/// The options of the grammar.
struct GrammarArguments {
  uint64_t blocks = 0, width = 3;
  bool equal_labels = false, various = false;
};
/// Declares --blocks (up to `most`), --width, --equal-labels and --various.
void DeclareGrammar(Options& options, GrammarArguments* given, uint64_t most);
/// The grammar and the other conditions on graphs. Fails if --blocks is missing.
Result<cfg::GenerateOptions> GenerateOptionsOf(const GrammarArguments& given);

/// A graph as JSON: {hash, blocks, graph} and, with a tree, {tree, features}.
nlohmann::ordered_json GraphJson(const cfg::Graph& graph, const cfg::Tree* tree);

/// Writes graphs to a folder as modules: graph_000001.spv and so on. With `draw` also
/// graph_000001.dot and, if Graphviz is installed, graph_000001.svg.
class GraphFolder {
 public:
  static Result<GraphFolder> Make(const std::string& folder, bool draw);
  /// Writes a graph and returns the name of the module's file.
  Result<std::string> Add(const cfg::Graph& graph, uint32_t version);

 private:
  std::string folder_, dot_;  // dot_: path of the program dot; empty: it is not installed
  bool draw_ = false;
  uint64_t count_ = 0;
};

}  // namespace cli
}  // namespace refract
