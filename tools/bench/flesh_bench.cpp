// SPDX-License-Identifier: Apache-2.0
// How many control-flow programs a second are made from graphs of 12 blocks, including drawing the
// graphs, by mode and stage.
#include <benchmark/benchmark.h>

#include "cfg/sampler.h"
#include "flesh/program.h"

namespace refract::bench {
namespace {

void Flesh(benchmark::State& state, flesh::Mode mode, flesh::Stage stage) {
  constexpr uint32_t kBlocks = 12;
  cfg::Sampler sampler(cfg::Grammar(), kBlocks);
  Random random(1);
  cfg::Tree tree;
  cfg::Graph graph;
  flesh::FleshOptions options;
  options.mode = mode;
  options.stage = stage;
  int64_t programs = 0, bytes = 0;
  for (auto _ : state) {
    sampler.Draw(kBlocks, &random, &tree);
    MakeGraph(tree, &graph);
    const Result<flesh::Program> program = flesh::Flesh(graph, options, &random);
    if (!program) continue;  // the graph has no path to an exit
    ++programs;
    bytes += static_cast<int64_t>(4 * program->words.size());
  }
  state.SetItemsProcessed(programs);
  state.SetBytesProcessed(bytes);
}
BENCHMARK_CAPTURE(Flesh, basic_compute, flesh::Mode::kBasic, flesh::Stage::kCompute);
BENCHMARK_CAPTURE(Flesh, phi_compute, flesh::Mode::kPhi, flesh::Stage::kCompute);
BENCHMARK_CAPTURE(Flesh, independent_compute, flesh::Mode::kIndependent, flesh::Stage::kCompute);
BENCHMARK_CAPTURE(Flesh, basic_fragment, flesh::Mode::kBasic, flesh::Stage::kFragment);
BENCHMARK_CAPTURE(Flesh, phi_fragment, flesh::Mode::kPhi, flesh::Stage::kFragment);

}  // namespace
}  // namespace refract::bench
