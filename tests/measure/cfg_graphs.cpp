// SPDX-License-Identifier: Apache-2.0
// Checks random graphs of structured control flow in three ways: by the rules of
// ir/rules/flow_rules.h, by the parser of cfg/parse.h and by spirv-val. The rules and the parser
// must accept each graph, and the parser must return the tree it was made from. Graphs that
// spirv-val refuses are counted by size and must match an entry of docs/validator-quirks.md. Then
// each graph gets one random change: the rules and the parser must agree, and so must spirv-val,
// except for known quirks. `--count 100000` gives the full numbers.
#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "base/text.h"
#include "cfg/generate.h"
#include "cfg/parse.h"
#include "cfg/random_edit.h"
#include "cfg/skeleton.h"
#include "ir/binary.h"
#include "ir/rules/flow_quirks.h"

namespace refract::measure {
namespace {

using cfg::Graph;

struct Options {
  uint64_t count = 1000, least = 6, most = 40, seed = 1, width = 3;
};

struct Row {  // the graphs of one size
  uint64_t graphs = 0, refused = 0, changed = 0, still_valid = 0, quirks = 0;
};

class Measurement {
 public:
  explicit Measurement(const Options& options) : options_(options) {}

  bool Run() {
    cfg::Grammar grammar;
    grammar.width = static_cast<uint32_t>(options_.width);
    cfg::Sampler sampler(grammar, static_cast<uint32_t>(options_.most));
    Random seeds(options_.seed);
    cfg::Tree tree;
    const uint64_t sizes = options_.most - options_.least + 1;
    for (uint64_t i = 0; i < options_.count; ++i) {
      Random random = seeds.Split();
      const uint32_t blocks = static_cast<uint32_t>(options_.least + i % sizes);
      sampler.Draw(blocks, &random, &tree);
      Row& row = rows_[(blocks - options_.least) / 5];
      const Graph graph = cfg::MakeGraph(tree);
      CheckValidGraph(tree, graph, &row);
      Graph changed = graph;
      cfg::EditOnce(&changed, &random);
      CheckChangedGraph(cfg::InModuleOrder(changed), &row);
    }
    return Print();
  }

 private:
  void Complain(const Graph& graph, const std::string& what) {
    if (++faults_ <= 20) {
      std::puts(format("FAULT: {}\n  {}", what, cfg::GraphText(graph)).c_str());
    }
  }

  // Compares the rules with spirv-val.
  FlowJudgement Judge(const Graph& graph, bool* read) {
    const std::vector<uint32_t> words = cfg::MakeSkeleton(graph);
    const Result<Module> module = ReadModule(words, "graph");
    *read = module.has_value();
    if (!module) return {};
    return JudgeFlow(*module, FindInvalid(words, TargetEnvironment::kUniversal13))[0];
  }

  void CheckValidGraph(const cfg::Tree& tree, const Graph& graph, Row* row) {
    ++row->graphs;
    const auto parsed = cfg::ParseGraph(graph, {.equal_labels = false});
    if (!parsed) return Complain(graph, format("parser: {}", parsed.error().message));
    if (!(parsed->tree == tree)) Complain(graph, "the parser gives another tree");
    bool read = false;
    const FlowJudgement judged = Judge(graph, &read);
    if (!read || judged.fault) {
      return Complain(graph, format("rules: {}", read ? judged.fault->rule : "unreadable"));
    }
    if (!judged.differ()) return;
    ++row->refused;
    NoteQuirk(graph, judged);
  }
  void NoteQuirk(const Graph& graph, const FlowJudgement& judged) {
    if (judged.quirk.empty()) Complain(graph, format("no quirk: {}", judged.message));
    ++quirks_[std::string(judged.quirk)];
  }

  void CheckChangedGraph(const Graph& graph, Row* row) {
    bool read = false;
    const FlowJudgement judged = Judge(graph, &read);
    const std::string_view rule = judged.fault ? judged.fault->rule : std::string_view();
    // Violations that no graph of blocks and branches has: the parser cannot see them.
    if (!read || (!rule.empty() && FindFlowRule(rule)->scope == FlowScope::kEvery)) return;
    ++row->changed;
    row->still_valid += rule.empty() ? 1 : 0;
    if (!rule.empty()) rules_.insert(std::string(rule));
    // Some rules also cover unreachable blocks, which the grammar does not have.
    const std::vector<bool> reached = cfg::StructurallyReached(graph);
    const bool whole = std::find(reached.begin(), reached.end(), false) == reached.end();
    const auto parsed = cfg::ParseGraph(graph, {.ignore_unreachable = true});
    if ((whole || rule.empty()) && parsed.has_value() != rule.empty()) {
      Complain(graph, format("rules: {}; parser: {}", rule.empty() ? "accepted" : rule,
                             parsed ? "accepted" : parsed.error().message));
    }
    if (!judged.differ()) return;
    ++row->quirks;
    NoteQuirk(graph, judged);
  }

  bool Print() const {
    std::puts(
        "| blocks | graphs | refused by spirv-val | changed | still valid | judged otherwise |");
    std::puts("|---|---|---|---|---|---|");
    for (const auto& [five, row] : rows_) {
      const uint64_t low = options_.least + 5 * five;
      std::puts(format("| {}-{} | {} | {} | {} | {} | {} |", low, std::min(low + 4, options_.most),
                       row.graphs, row.refused, row.changed, row.still_valid, row.quirks)
                    .c_str());
    }
    std::puts("");
    for (const auto& [quirk, count] : quirks_) {
      std::puts(format("{}: {}", quirk.empty() ? "no quirk" : quirk, count).c_str());
    }
    std::puts(format("rules broken by a change: {}; faults: {}", rules_.size(), faults_).c_str());
    return faults_ == 0;
  }

  const Options options_;
  std::map<uint64_t, Row> rows_;
  std::map<std::string, uint64_t> quirks_;
  std::set<std::string> rules_;
  uint64_t faults_ = 0;
};

bool Parse(int argc, char** argv, Options* options) {
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    uint64_t* value = name == "--count"   ? &options->count
                      : name == "--least" ? &options->least
                      : name == "--most"  ? &options->most
                      : name == "--seed"  ? &options->seed
                      : name == "--width" ? &options->width
                                          : nullptr;
    if (value == nullptr || i + 1 == argc || !ParseNumber(argv[i + 1], value)) return false;
  }
  return options->least >= 1 && options->least <= options->most &&
         options->most <= cfg::kMostExact && options->width >= 1 &&
         options->width <= cfg::kMostWidth;
}

}  // namespace
}  // namespace refract::measure

int main(int argc, char** argv) {
  refract::measure::Options options;
  if (!refract::measure::Parse(argc, argv, &options)) {
    std::fputs("cfg_graphs [--count N] [--least BLOCKS] [--most BLOCKS] [--seed N] [--width N]\n",
               stderr);
    return 2;
  }
  return refract::measure::Measurement(options).Run() ? 0 : 1;
}
