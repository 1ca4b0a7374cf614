// SPDX-License-Identifier: Apache-2.0
// The control-flow graph of a function: built, and patched after a structural edit.
#include <benchmark/benchmark.h>

#include "bench_data.h"
#include "ir/branches.h"
#include "ir/edit/flow_patch.h"

namespace refract::bench {
namespace {

constexpr int64_t kSizes[] = {12, 60, 300, 3000};

void Sizes(benchmark::internal::Benchmark* benchmark) {
  for (int64_t size : kSizes) benchmark->Arg(size);
  benchmark->Unit(benchmark::kMicrosecond);
}

// The cost that any other edit of a function's edges adds to the next query of the graph.
void BuildFlow(benchmark::State& state) {
  const Module module = FunctionOfBlocks(static_cast<size_t>(state.range(0)));
  const Function function = module.first_function();
  for (auto _ : state) benchmark::DoNotOptimize(BuildControlFlow(module, function));
}
BENCHMARK(BuildFlow)->Apply(Sizes);

// The additional cost of a patch if a copy of the module shares the graph.
void CopyFlow(benchmark::State& state) {
  const Module module = FunctionOfBlocks(static_cast<size_t>(state.range(0)));
  const ControlFlow& flow = module.Flow(module.first_function());
  for (auto _ : state) benchmark::DoNotOptimize(ControlFlow(flow));
}
BENCHMARK(CopyFlow)->Apply(Sizes);

Block NewBlock(uint32_t i) {
  return static_cast<Block>(1000000 + i);
}

// Splits a block in the middle, and merges it again: two patches.
void PatchSplitAndMerge(benchmark::State& state) {
  const Module module = FunctionOfBlocks(static_cast<size_t>(state.range(0)));
  ControlFlow flow = module.Flow(module.first_function());
  const Block block = flow.order[flow.order.size() / 2];
  for (auto _ : state) {
    FlowPatch(flow).Split(block, NewBlock(0));
    FlowPatch(flow).Merge(block);
  }
}
BENCHMARK(PatchSplitAndMerge)->Apply(Sizes);

// Adds and removes edges out of loops, as dead breaks do.
void PatchEdge(benchmark::State& state) {
  const Module module = FunctionOfBlocks(static_cast<size_t>(state.range(0)));
  ControlFlow flow = module.Flow(module.first_function());
  Block from = Block::kNone;
  for (Block block : flow.order) {
    const bool branches = module.Opcode(module.Terminator(block)) == spv::Op::OpBranch;
    const bool is_header = module.MergeInstruction(block) != Inst::kNone;
    if (branches && !is_header && flow.InnermostLoop(block) != nullptr) from = block;
    if (from != Block::kNone && 2 * flow.Position(block) > flow.order.size()) break;
  }
  const std::vector<Block> old(flow.Successors(from).begin(), flow.Successors(from).end());
  std::vector<Block> more = old;
  more.push_back(flow.InnermostLoop(from)->merge);
  const ControlFlow before = flow;
  for (auto _ : state) {
    FlowPatch(flow).SetSuccessors(from, more);
    state.PauseTiming();
    flow = before;
    state.ResumeTiming();
  }
}
BENCHMARK(PatchEdge)->Apply(Sizes);

// Always makes a selection at the end of the same block.
void PatchDiamond(benchmark::State& state) {
  const Module module = FunctionOfBlocks(static_cast<size_t>(state.range(0)));
  ControlFlow flow = module.Flow(module.first_function());
  const Block block = flow.order[flow.order.size() / 2];
  FlowPatch(flow).Split(block, NewBlock(0));
  const ControlFlow before = flow;
  for (auto _ : state) {
    FlowPatch(flow).AddDiamond(block, NewBlock(1));
    state.PauseTiming();
    flow = before;
    state.ResumeTiming();
  }
}
BENCHMARK(PatchDiamond)->Apply(Sizes);

}  // namespace
}  // namespace refract::bench
