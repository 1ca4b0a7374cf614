// SPDX-License-Identifier: Apache-2.0
#include "cli/graph_folder.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/text.h"
#include "cfg/dot.h"
#include "cfg/skeleton.h"

namespace refract {
inline namespace cli {

using Json = nlohmann::ordered_json;

void DeclareGrammar(Options& options, GrammarArguments* given, uint64_t most) {
  options.Number("--blocks", &given->blocks, "Number of blocks of a graph (required)", 1, most);
  options.Number("--width", &given->width,
                 "Maximum number of targets of a branch: the labels of a switch, including the "
                 "default (default 3)",
                 1, cfg::kMostWidth);
  options.Flag(
      "--equal-labels", &given->equal_labels,
      "Also make conditional branches with two equal labels, which are valid before SPIR-V 1.6");
  options.Flag("--various", &given->various,
               "Only graphs with a loop, one outermost construct, continue constructs of at least "
               "two blocks, and no three consecutive blocks that could be one");
}

Result<cfg::GenerateOptions> GenerateOptionsOf(const GrammarArguments& given) {
  if (given.blocks == 0)
    return Error{"--blocks is missing: pass the number of blocks", ErrorKind::kUsage};
  cfg::GenerateOptions options;
  options.blocks = static_cast<uint32_t>(given.blocks);
  options.grammar.width = static_cast<uint32_t>(given.width);
  options.grammar.equal_labels = given.equal_labels;
  if (given.various && given.equal_labels) {
    return Error{"--various and --equal-labels exclude each other", ErrorKind::kUsage};
  }
  if (given.various) MakeVarious(&options);
  if (options.blocks > cfg::kMostExact)
    options.tries = 2000;  // each try takes a thousand times as long
  return options;
}

Json GraphJson(const cfg::Graph& graph, const cfg::Tree* tree) {
  Json json = {{"hash", format("{:016x}", cfg::CanonicalHash(graph))},
               {"blocks", graph.size()},
               {"graph", cfg::GraphText(graph)}};
  if (tree == nullptr) return json;
  json["tree"] = cfg::TreeText(*tree);
  const cfg::Features features = cfg::CountFeatures(*tree, graph);
  Json& counts = json["features"];
  for (size_t i = 0; i < features.size(); ++i) {
    counts[std::string(cfg::NameOf(static_cast<cfg::Feature>(i)))] = features[i];
  }
  return json;
}

Result<GraphFolder> GraphFolder::Make(const std::string& folder, bool draw) {
  if (Status made = MakeFolder(folder); !made) return made.error();
  GraphFolder graphs;
  graphs.folder_ = folder;
  graphs.draw_ = draw;
  if (draw) graphs.dot_ = FindProgram("dot");
  return graphs;
}

Result<std::string> GraphFolder::Add(const cfg::Graph& graph, uint32_t version) {
  const std::string name = format("graph_{:06}", ++count_);
  const std::string base = folder_ + "/" + name;
  const std::vector<uint32_t> words = cfg::MakeSkeleton(graph, version);
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), words.size() * 4);
  if (Status written = WriteFile(base + ".spv", bytes); !written) return written.error();
  if (draw_) {
    const std::string text = cfg::DotText(graph, name);
    if (Status written = WriteFile(base + ".dot", text); !written) return written.error();
  }
  if (!dot_.empty()) {
    Command command;
    command.argv = {dot_, "-Tsvg", "-o", base + ".svg", base + ".dot"};
    const Result<CommandResult> run = RunCommand(command);
    if (!run) return run.error();
    if (run->end != CommandResult::End::kExit || run->exit_code != 0) {
      return Error{format("{}.dot: {} -Tsvg failed: {}", base, dot_, run->output),
                   ErrorKind::kFailed};
    }
  }
  return name + ".spv";
}

}  // namespace cli
}  // namespace refract
