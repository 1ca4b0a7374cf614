// SPDX-License-Identifier: Apache-2.0
// How many plans a second, with three walks, are made for graphs of this many blocks; where their
// invocations reconverge; and how long it takes to list the cuts of a tree.
#include <benchmark/benchmark.h>

#include "cfg/cuts.h"
#include "cfg/sampler.h"
#include "flesh/plan.h"

namespace refract::bench {
namespace {

constexpr size_t kGraphs = 64;

std::vector<cfg::Tree> DrawTrees(uint32_t blocks) {
  cfg::Sampler sampler({}, blocks);
  Random random(1);
  std::vector<cfg::Tree> trees(kGraphs);
  for (cfg::Tree& tree : trees) sampler.Draw(blocks, &random, &tree);
  return trees;
}

void MakePlanOfGraph(benchmark::State& state) {
  std::vector<cfg::Graph> graphs;
  for (const cfg::Tree& tree : DrawTrees(static_cast<uint32_t>(state.range(0)))) {
    graphs.push_back(cfg::MakeGraph(tree));
  }
  Random random(1);
  size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(flesh::MakePlan(graphs[i++ % kGraphs], {}, &random));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(MakePlanOfGraph)->Arg(12)->Arg(64);

void FindMeetingBlocks(benchmark::State& state) {
  std::vector<std::pair<cfg::Graph, flesh::Plan>> planned;
  Random random(1);
  for (const cfg::Tree& tree : DrawTrees(static_cast<uint32_t>(state.range(0)))) {
    cfg::Graph graph = cfg::MakeGraph(tree);
    auto plan = flesh::MakePlan(graph, {.invocations_per_path = 16}, &random);
    if (plan) planned.emplace_back(std::move(graph), std::move(*plan));
  }
  size_t i = 0;
  for (auto _ : state) {
    const auto& [graph, plan] = planned[i++ % planned.size()];
    benchmark::DoNotOptimize(
        flesh::ConvergedBlocks(graph, plan, 64, 16, flesh::Reconvergence::kWorkgroup));
  }
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(FindMeetingBlocks)->Arg(12);

void ListCutsOfTree(benchmark::State& state) {
  const std::vector<cfg::Tree> trees = DrawTrees(static_cast<uint32_t>(state.range(0)));
  size_t i = 0;
  for (auto _ : state) benchmark::DoNotOptimize(cfg::ListCuts(trees[i++ % kGraphs]));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(ListCutsOfTree)->Arg(12)->Arg(64);

}  // namespace
}  // namespace refract::bench
