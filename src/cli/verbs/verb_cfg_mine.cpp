// SPDX-License-Identifier: Apache-2.0
// refract cfg mine MODULE|DIR...: extracts the control-flow graphs of all functions, as trees.
#include <nlohmann/json.hpp>
#include <set>

#include "base/counted.h"
#include "base/file.h"
#include "cfg/parse.h"
#include "cfg/skeleton.h"
#include "cli/graph_folder.h"
#include "cli/original_options.h"
#include "cli/verbs.h"
#include "files/module_files.h"
#include "glsl/load.h"
#include "ir/binary.h"
#include "ir/rules/flow_rules.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct CfgMineArguments {
  std::vector<std::string> modules;
  std::string output;
  bool dot = false;
};

void Declare(CfgMineArguments& given, Options& options) {
  options.Arguments("MODULE", &given.modules,
                    ".spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, .rgen, "
                    ".rint, .rahit, .rchit, .rmiss or .rcall "
                    "files, or folders of them");
  options.Text("-o,--output", "DIR", &given.output,
               "Output folder: each different graph as a module without other code, "
               "graph_000001.spv and so on, and graphs.json, which says where each graph is from");
  options.Flag("--dot", &given.dot,
               "Also write a drawing of each graph: a .dot file and, if Graphviz is installed, an "
               ".svg file");
}

class GraphMiner {
 public:
  GraphMiner(Console& console, std::optional<GraphFolder> folder)
      : console_(console), folder_(std::move(folder)) {}

  Status Add(const std::string& file) {
    const Result<LoadedModule> loaded = LoadModuleFor(console_, file);
    if (!loaded) return loaded.error();
    const Result<Module> module = ReadModule(loaded->words, file);
    if (!module) return module.error();
    ++modules;
    Status status;
    ForEachFunction(*module, [&](Function function) {
      if ((*module)[function].first == Block::kNone || !status) return;
      ++functions;
      status = AddFunction(file, *module, function);
    });
    return status;
  }

  uint64_t modules = 0, functions = 0, refused = 0;
  Json graphs = Json::array(), faults = Json::array();
  std::string lines;
  size_t different() const { return seen_.size(); }

 private:
  Status AddFunction(const std::string& file, const Module& module, Function function) {
    const std::string name = CalledWithName(module, module.FunctionId(function));
    const Result<cfg::Graph> graph = cfg::ReadGraph(module, function);
    const Result<cfg::ParsedGraph> parsed =
        graph ? cfg::ParseGraph(*graph) : Result<cfg::ParsedGraph>(graph.error());
    if (!parsed) {
      ++refused;
      lines += format("{}: function {}: no tree: {}\n", file, name, parsed.error().message);
      faults.push_back({{"file", file}, {"function", name}, {"what", parsed.error().message}});
      return {};
    }
    const cfg::Graph clean = cfg::MakeGraph(parsed->tree);
    if (!seen_.insert(cfg::GraphText(clean)).second) return {};
    Json json = GraphJson(clean, &parsed->tree);
    json["from"] = file;
    json["function"] = name;
    lines += format("{}: function {}: {}\n", file, name, cfg::TreeText(parsed->tree));
    if (folder_) {
      const Result<std::string> made = folder_->Add(clean, VersionWord(1, 3));
      if (!made) return made.error();
      json["file"] = *made;
    }
    graphs.push_back(std::move(json));
    return {};
  }

  Console& console_;
  std::optional<GraphFolder> folder_;
  std::set<std::string> seen_;  // blocks numbered by the tree: equal graphs have equal texts
};

Result<ExitCode> Run(const CfgMineArguments& given, Console& console) {
  if (given.modules.empty()) return Error{"no module given", ErrorKind::kUsage};
  if (given.dot && given.output.empty()) {
    return Error{"--dot requires an output folder: pass -o", ErrorKind::kUsage};
  }
  std::vector<std::string> files;
  for (const std::string& path : given.modules) {
    const Result<std::vector<std::string>> listed = ListModuleFiles(path);
    if (!listed) return listed.error();
    files.insert(files.end(), listed->begin(), listed->end());
  }
  std::optional<GraphFolder> folder;
  if (!given.output.empty()) {
    Result<GraphFolder> made = GraphFolder::Make(given.output, given.dot);
    if (!made) return made.error();
    folder = std::move(*made);
  }
  GraphMiner mine(console, std::move(folder));
  bool unreadable = false;
  for (const std::string& file : files) {
    const Status added = mine.Add(file);
    if (added) continue;
    console.PrintError(added.error().message);
    unreadable = true;
  }
  const Json all = {{"modules", mine.modules},
                    {"functions", mine.functions},
                    {"graphs", mine.graphs},
                    {"faults", mine.faults}};
  if (!given.output.empty()) {
    const Status written = WriteFile(given.output + "/graphs.json", all.dump(1) + "\n");
    if (!written) return written.error();
  }
  console.Print(console.json
                    ? all.dump(2) + "\n"
                    : mine.lines +
                          format("{}, {}: {}, {} without a tree\n", Counted(mine.modules, "module"),
                                 Counted(mine.functions, "function"),
                                 Counted(mine.different(), "different graph"), mine.refused));
  return unreadable ? kBadInput : kDone;
}

}  // namespace

const Verb kCfgMineVerb = {
    .name = "mine",
    .summary = "Extract the control-flow graphs of modules, as trees of constructs",
    .example = "refract cfg mine references",
    .exit_codes = {},
    .main_options = {"--output", "--dot", "--json"},
    .declare = DeclareVerb<CfgMineArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
