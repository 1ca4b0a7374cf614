// SPDX-License-Identifier: Apache-2.0
// Benchmarks of fuzzing, replaying and snapshots.
#include <benchmark/benchmark.h>

#include <chrono>

#include "base/check.h"
#include "bench_data.h"
#include "engine/apply_step.h"
#include "engine/replay.h"
#include "ir/tools.h"
#include "measure/variants.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

// Steps a second over all references, without validating the results.
void FuzzReferences(benchmark::State& state) {
  const std::vector<Original>& references = PlainReferences();
  FuzzOptions options;
  options.validate = false;
  uint64_t steps = 0;
  for (auto _ : state) {
    ++options.seed;
    for (const Original& original : references) {
      steps += Fuzz(original, options)->recording.steps.size();
    }
  }
  state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
  state.counters["steps/run"] =
      static_cast<double>(steps) / static_cast<double>(state.iterations() * references.size());
}
BENCHMARK(FuzzReferences)->Unit(benchmark::kMillisecond)->MinTime(4);

// The same over all references, plain and after spirv-opt -O, with the donors that `refract fuzz`
// would use: one run of each in turn.
void FuzzWithDonors(benchmark::State& state) {
  Harness harness;
  Result<measure::VariantOriginals> subjects =
      measure::VariantOriginals::Open(REFRACT_SOURCE_DIR "/references", {}, harness);
  CHECK(subjects.has_value());
  FuzzOptions options;
  options.validate = false;
  uint64_t steps = 0;
  for (auto _ : state) {
    state.PauseTiming();
    const Result<const measure::VariantOriginal*> subject = subjects->Of(options.seed);
    CHECK(subject.has_value());
    state.ResumeTiming();
    ++options.seed;
    options.donors = subjects->DonorsOf(options.seed);
    steps += Fuzz((*subject)->original, options)->recording.steps.size();
  }
  state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
  state.counters["steps/run"] =
      static_cast<double>(steps) / static_cast<double>(state.iterations());
}
BENCHMARK(FuzzWithDonors)->Unit(benchmark::kMillisecond)->MinTime(8);

// A recording of 2,000 steps.
void ReplayLong(benchmark::State& state, const char* name) {
  const Original& original = Reference(name);
  const FuzzResult& run = LongRun(original, 2000);
  for (auto _ : state) {
    const Result<ReplayResult> replayed = Replay(original, run.recording, {});
    CHECK(replayed.has_value() && replayed->words == run.words);
  }
  const double steps = static_cast<double>(run.recording.steps.size());
  state.counters["steps"] = steps;
  state.counters["steps/s"] =
      Counter(steps * static_cast<double>(state.iterations()), Counter::kIsRate);
}
BENCHMARK_CAPTURE(ReplayLong, column_sort, "column_sort.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReplayLong, stack_machine, "stack_machine.frag")->Unit(benchmark::kMillisecond);

// For comparison with replay: one run of the validator on the same result.
void ValidateLong(benchmark::State& state, const char* name) {
  const Original& original = Reference(name);
  const FuzzResult& run = LongRun(original, 2000);
  for (auto _ : state) {
    CHECK(!FindInvalid(run.words, original.environment, original.validation));
  }
  state.counters["words"] = static_cast<double>(run.words.size());
}
BENCHMARK_CAPTURE(ValidateLong, column_sort, "column_sort.frag")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ValidateLong, stack_machine, "stack_machine.frag")->Unit(benchmark::kMillisecond);

// Required: at most 1.
void ReplayOverValidation(benchmark::State& state, const char* name) {
  const Original& original = Reference(name);
  const FuzzResult& run = LongRun(original, 2000);
  using Clock = std::chrono::steady_clock;
  Clock::duration replaying{}, validating{};
  for (auto _ : state) {
    const auto start = Clock::now();
    benchmark::DoNotOptimize(Replay(original, run.recording, {}));
    const auto middle = Clock::now();
    benchmark::DoNotOptimize(FindInvalid(run.words, original.environment, original.validation));
    replaying += middle - start;
    validating += Clock::now() - middle;
  }
  state.counters["replay/validation"] =
      static_cast<double>(replaying.count()) / static_cast<double>(validating.count());
}
BENCHMARK_CAPTURE(ReplayOverValidation, column_sort, "column_sort.frag")
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(ReplayOverValidation, stack_machine, "stack_machine.frag")
    ->Unit(benchmark::kMillisecond);

// A snapshot after each step, all of them kept, as the reducer does. Required: less than 100 MB for
// 2,000.
void Snapshots(benchmark::State& state, const char* name) {
  const Original& original = Reference(name);
  const FuzzResult& run = LongRun(original, 2000);
  int64_t bytes = 0;
  for (auto _ : state) {
    CountAllocations(true);
    std::vector<Context> snapshots;
    snapshots.push_back(original.context);
    for (const message::Step& step : run.recording.steps) {
      Context next = snapshots.back();
      CHECK(ApplyStep(next, step.number, step.transformation).check_result);
      snapshots.push_back(std::move(next));
    }
    bytes = AllocatedBytes();
    CountAllocations(false);
  }
  const double snapshots = static_cast<double>(run.recording.steps.size());
  state.counters["snapshots"] = snapshots;
  state.counters["MB"] = static_cast<double>(bytes) / 1e6;
  state.counters["KB/snapshot"] = static_cast<double>(bytes) / snapshots / 1e3;
}
BENCHMARK_CAPTURE(Snapshots, column_sort, "column_sort.frag")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);
BENCHMARK_CAPTURE(Snapshots, stack_machine, "stack_machine.frag")
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
}  // namespace refract::bench
