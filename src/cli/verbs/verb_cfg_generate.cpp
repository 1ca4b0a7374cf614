// SPDX-License-Identifier: Apache-2.0
// refract cfg generate --blocks N -o DIR: makes random graphs of structured control flow, or graphs
// that break one rule.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/file.h"
#include "base/suggest.h"
#include "cfg/invalid.h"
#include "cfg/skeleton.h"
#include "cli/graph_folder.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct CfgGenerateArguments {
  GrammarArguments grammar;
  uint64_t count = 1, depth = 0, unreachable = 0;
  std::optional<uint64_t> seed;
  std::vector<std::string> weights, wanted;
  std::string invalid, output;
  bool dot = false;
};

void Declare(CfgGenerateArguments& given, Options& options) {
  DeclareGrammar(options, &given.grammar, cfg::kMostGenerated);
  options.Number("--count", &given.count, "Number of graphs (default 1)", 1, 10'000'000);
  options.Number("--seed", &given.seed,
                 "Seed; the same seed gives the same files (default: random)");
  options.Number(
      "--depth", &given.depth,
      "Maximum number of constructs around a block (default: no limit; 12 for more than 64 blocks)",
      1, cfg::kMostDepth);
  options.List("--weights", "NAME=N", &given.weights,
               "Weights of productions, such as loop=4,switch=0 (docs/graphs.md; default: 1, which "
               "makes all graphs equally likely)");
  options.List("--want", "NAME=RANGE", &given.wanted,
               "Make only graphs with these numbers of features, such as "
               "loops=2..,depth=3,infinite=1..2 (docs/graphs.md)");
  options.Number("--unreachable", &given.unreachable,
                 "Number of blocks that are put into chains to which no branch leads (default 0)",
                 0, cfg::kMostGenerated);
  options.Text("--invalid", "RULE", &given.invalid,
               "Make graphs that break this rule of docs/control-flow.md and no other");
  options.Flag("--dot", &given.dot,
               "Also write a drawing of each graph: a .dot file and, if Graphviz is installed, an "
               ".svg file");
  options.Text("-o,--output", "DIR", &given.output,
               "Output folder: the modules graph_000001.spv and so on, and graphs.json, which "
               "describes them (default: print each graph as a line of text)");
}

Result<cfg::GenerateOptions> OptionsOf(const CfgGenerateArguments& given) {
  Result<cfg::GenerateOptions> options = GenerateOptionsOf(given.grammar);
  if (!options) return options;
  Result<cfg::Weights> weights = cfg::ReadWeights(given.weights);
  if (!weights) return weights.error();
  Result<cfg::FeatureRanges> wanted = cfg::ReadWanted(given.wanted);
  if (!wanted) return wanted.error();
  options->grammar.weights = *weights;
  options->wanted = *wanted;
  if (given.depth != 0) options->grammar.depth = static_cast<uint32_t>(given.depth);
  options->detached = static_cast<uint32_t>(given.unreachable);
  return options;
}

Status CheckRule(const CfgGenerateArguments& given) {
  if (given.dot && given.output.empty()) {
    return Error{"--dot requires an output folder: pass -o", ErrorKind::kUsage};
  }
  if (given.invalid.empty()) return {};
  const std::vector<std::string_view> rules = cfg::BreakableRules();
  if (std::find(rules.begin(), rules.end(), given.invalid) != rules.end()) return {};
  std::string known;
  for (std::string_view rule : rules) known += format(" {}", rule);
  return Error{format("--invalid {}: this rule does not exist, or no graph can break it; the rules "
                      "that a graph can break are{}{}",
                      given.invalid, known, DidYouMean(given.invalid, rules)),
               ErrorKind::kUsage};
}

struct Drawn {
  cfg::Tree tree;
  cfg::Graph graph;
};

// Each graph has its own seed, so that a graph does not depend on --count.
Result<Drawn> DrawOne(const CfgGenerateArguments& given, cfg::Generator& generator,
                      Random* random) {
  Drawn drawn;
  if (given.invalid.empty()) {
    if (generator.Draw(random, &drawn.tree, &drawn.graph)) return drawn;
    return Error{format("no graph that satisfies --want and --various was found in {} tries; relax "
                        "these conditions",
                        generator.tries()),
                 ErrorKind::kUnavailable};
  }
  Result<cfg::Graph> graph = cfg::DrawInvalid(given.invalid, generator, random);
  if (!graph) return graph.error();
  drawn.graph = std::move(*graph);
  return drawn;
}

Result<ExitCode> Run(const CfgGenerateArguments& given, Console& console) {
  if (Status rule = CheckRule(given); !rule) return rule.error();
  const Result<cfg::GenerateOptions> options = OptionsOf(given);
  if (!options) return options.error();
  Result<cfg::Generator> generator = cfg::Generator::Make(*options);
  if (!generator) return generator.error();
  const uint64_t seed = given.seed ? *given.seed : DrawSeed();
  if (!given.seed) console.Say(format("--seed {}", seed));
  std::optional<GraphFolder> folder;
  if (!given.output.empty()) {
    Result<GraphFolder> made = GraphFolder::Make(given.output, given.dot);
    if (!made) return made.error();
    folder = std::move(*made);
  }
  const uint32_t version =
      given.invalid.empty() ? VersionWord(1, 3) : cfg::VersionFor(given.invalid);
  Random seeds(seed);
  Json graphs = Json::array();
  for (uint64_t i = 0; i < given.count; ++i) {
    Random random = seeds.Split();
    const Result<Drawn> drawn = DrawOne(given, *generator, &random);
    if (!drawn) return drawn.error();
    const bool valid = given.invalid.empty();
    if (!folder && !console.json) {
      console.Print(cfg::GraphText(drawn->graph) + "\n");
      continue;
    }
    Json json = GraphJson(drawn->graph, valid ? &drawn->tree : nullptr);
    if (folder) {
      const Result<std::string> file = folder->Add(drawn->graph, version);
      if (!file) return file.error();
      json["file"] = *file;
    }
    graphs.push_back(std::move(json));
  }
  const Json all = {{"seed", seed},
                    {"invalid", given.invalid.empty() ? Json() : Json(given.invalid)},
                    {"graphs", std::move(graphs)}};
  if (folder) {
    const Status written = WriteFile(given.output + "/graphs.json", all.dump(1) + "\n");
    if (!written) return written.error();
    console.Say(format("{} in {}", Counted(given.count, "graph"), given.output));
  }
  if (console.json) console.Print(all.dump(2) + "\n");
  return kDone;
}

}  // namespace

const Verb kCfgGenerateVerb = {
    .name = "generate",
    .summary = "Make random control-flow graphs that are valid, or that break exactly one rule",
    .example = "refract cfg generate --blocks 12 --count 100 --seed 1 -o graphs",
    .exit_codes = {{kTargetMissing, "no graph with all requested features was found"}},
    .main_options = {"--blocks", "--output", "--count", "--seed", "--weights", "--want",
                     "--invalid", "--dot"},
    .declare = DeclareVerb<CfgGenerateArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
