// SPDX-License-Identifier: Apache-2.0
// How many control-flow graphs a second Refract draws (as trees and as graphs; diverse ones by
// conditions D1 to D6 of docs/graphs.md; large ones), reads back, and makes modules of.
#include <benchmark/benchmark.h>

#include "cfg/generate.h"
#include "cfg/parse.h"
#include "cfg/skeleton.h"

namespace refract::bench {
namespace {

void DrawWith(benchmark::State& state, cfg::GenerateOptions options) {
  options.blocks = static_cast<uint32_t>(state.range(0));
  auto generator = cfg::Generator::Make(options);
  Random random(1);
  cfg::Tree tree;
  cfg::Graph graph;
  for (int i = 0; i < 2000; ++i) generator->Draw(&random, &tree, &graph);  // fills the tables
  for (auto _ : state) benchmark::DoNotOptimize(generator->Draw(&random, &tree, &graph));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}

void DrawGraph(benchmark::State& state) {
  DrawWith(state, {});
}
BENCHMARK(DrawGraph)->Arg(8)->Arg(14)->Arg(32)->Arg(64)->Arg(1000);

void DrawVariousGraph(benchmark::State& state) {
  cfg::GenerateOptions options;
  MakeVarious(&options);
  DrawWith(state, options);
}
BENCHMARK(DrawVariousGraph)->Arg(8)->Arg(14);

void DrawTree(benchmark::State& state) {
  const uint32_t blocks = static_cast<uint32_t>(state.range(0));
  cfg::Sampler sampler(cfg::Grammar(), blocks);
  Random random(1);
  cfg::Tree tree;
  for (auto _ : state) sampler.Draw(blocks, &random, &tree);
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(DrawTree)->Arg(14);

void ParseGraphBack(benchmark::State& state) {
  cfg::Sampler sampler(cfg::Grammar(), 14);
  Random random(1);
  cfg::Tree tree;
  sampler.Draw(14, &random, &tree);
  const cfg::Graph graph = cfg::MakeGraph(tree);
  for (auto _ : state) benchmark::DoNotOptimize(cfg::ParseGraph(graph));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(ParseGraphBack);

void MakeSkeletonOfGraph(benchmark::State& state) {
  cfg::Sampler sampler(cfg::Grammar(), 14);
  Random random(1);
  cfg::Tree tree;
  sampler.Draw(14, &random, &tree);
  const cfg::Graph graph = cfg::MakeGraph(tree);
  for (auto _ : state) benchmark::DoNotOptimize(cfg::MakeSkeleton(graph));
  state.SetItemsProcessed(static_cast<int64_t>(state.iterations()));
}
BENCHMARK(MakeSkeletonOfGraph);

}  // namespace
}  // namespace refract::bench
