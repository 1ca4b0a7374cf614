// SPDX-License-Identifier: Apache-2.0
// The interpreter: decoding, running, and the cost of self-checks in a run.
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "bench_data.h"
#include "input/resolve.h"
#include "interp/interpreter.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

struct Ready {
  EntryPoint entry;
  Bindings bindings;
};
Ready Prepare(const Original& original) {
  const Module& module = original.context.module;
  Ready ready;
  ready.entry = *FindEntryPoint(module, original.context.entry, original.file);
  ready.bindings = Resolve(module, ready.entry, *original.context.inputs, original.file)->bindings;
  return ready;
}

void Interpret(benchmark::State& state, const Original& original, const char* name) {
  const Ready ready = Prepare(original);
  uint64_t steps = 0;
  for (auto _ : state) {
    const Result<Program> program =
        Program::Decode(original.context.module, ready.entry, ready.bindings, name);
    const RunReport report = Run(*program);
    CHECK(!report.trap);
    steps += report.steps;
  }
  state.counters["instructions/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
}
void InterpretPicture(benchmark::State& state, const char* name) {
  Interpret(state, Reference(name), name);
}
void InterpretFloats(benchmark::State& state, const char* name) {
  Interpret(state, FloatShader(name), name);
}
BENCHMARK_CAPTURE(InterpretPicture, column_sort, "column_sort.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretPicture, fixed_mandelbrot, "fixed_mandelbrot.frag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretPicture, life_masks, "life_masks.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretPicture, pattern_matcher, "pattern_matcher.frag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretPicture, search_tree, "search_tree.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretPicture, stack_machine, "stack_machine.frag")
    ->Unit(benchmark::kMillisecond);

BENCHMARK_CAPTURE(InterpretFloats, escape_time, "escape_time.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretFloats, matrix_powers, "matrix_powers.frag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretFloats, newton_roots, "newton_roots.frag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretFloats, sphere_march, "sphere_march.frag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretFloats, unit_field, "unit_field.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(InterpretFloats, wave_sum, "wave_sum.frag")->Unit(benchmark::kMillisecond);

void DecodeModule(benchmark::State& state) {
  const Original& original = Reference("stack_machine.frag");
  const Ready ready = Prepare(original);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        Program::Decode(original.context.module, ready.entry, ready.bindings, "bench"));
  }
}
BENCHMARK(DecodeModule)->Unit(benchmark::kMicrosecond);

// A run of 500 steps, with or without self-checks: the difference counts.
void FuzzChecked(benchmark::State& state, const char* name, bool self_check) {
  const Original& original = Reference(name);
  FuzzOptions options;
  options.max_steps = 500;
  options.stop_by_chance = false;
  options.self_check = self_check;
  uint64_t steps = 0;
  for (auto _ : state) {
    ++options.seed;
    const Result<FuzzResult> fuzzed = Fuzz(original, options);
    CHECK(fuzzed.has_value());
    steps += fuzzed->recording.steps.size();
  }
  state.counters["steps/run"] =
      static_cast<double>(steps) / static_cast<double>(state.iterations());
}
BENCHMARK_CAPTURE(FuzzChecked, column_sort, "column_sort.frag", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, column_sort_checked, "column_sort.frag", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, fixed_mandelbrot, "fixed_mandelbrot.frag", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, fixed_mandelbrot_checked, "fixed_mandelbrot.frag", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, life_masks, "life_masks.frag", false)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, life_masks_checked, "life_masks.frag", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, pattern_matcher, "pattern_matcher.frag", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, pattern_matcher_checked, "pattern_matcher.frag", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, search_tree, "search_tree.frag", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, search_tree_checked, "search_tree.frag", true)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, stack_machine, "stack_machine.frag", false)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(FuzzChecked, stack_machine_checked, "stack_machine.frag", true)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace refract::bench
