// SPDX-License-Identifier: Apache-2.0
// Reducing: its cost without the interestingness test.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include "base/check.h"
#include "base/random.h"
#include "bench_data.h"
#include "engine/replay.h"
#include "reduce/reduce.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

// Interesting if the results of some steps exist. Takes 5 ms to decide.
class SlowTest : public InterestingnessTest {
 public:
  explicit SlowTest(std::vector<Name> names) : names_(std::move(names)) {}
  Result<bool> IsInteresting(const Candidate& candidate) override {
    ::usleep(5000);
    const Module& module = candidate.context->module;
    for (const Name& name : names_) {
      const Inst inst = module.Find(name);
      if (inst == Inst::kNone || module[inst].removed) return false;
    }
    return true;
  }

 private:
  std::vector<Name> names_;
};

// A recording of 2,000 steps, some of which matter. Required: less than 5 percent of the time
// outside the interestingness test, on an idle machine.
void ReduceLong(benchmark::State& state, const char* name, size_t matter, bool plain, bool shrink) {
  const Original& original = Reference(name);
  const FuzzResult& run = LongRun(original, 2000);
  const Module& module = run.context.module;
  std::vector<Name> made;
  for (const message::IdBinding& binding : MadeIds(module)) {
    const Inst inst = module.Find(binding.name);
    if (binding.name.step == Name::kDeclaredStep || inst == Inst::kNone) continue;
    if (!module[inst].removed) made.push_back(binding.name);
  }
  Random random(1);
  double seconds = 0, judging = 0;
  size_t tries = 0, steps = 0;
  for (auto _ : state) {
    std::vector<Name> names;
    for (size_t i = 0; i < matter; ++i) names.push_back(made[random.Below(made.size())]);
    SlowTest judge(std::move(names));
    ReduceOptions options;
    options.plain = plain;
    options.shrink = shrink;
    const Result<Reduction> reduced = Reduce(original, run.recording, options, judge);
    CHECK(reduced.has_value() && reduced->minimal);
    seconds += reduced->seconds;
    judging += reduced->testing_seconds;
    tries += reduced->tries;
    steps += reduced->steps;
  }
  const double rounds = static_cast<double>(state.iterations());
  state.counters["outside %"] = 100 * (seconds - judging) / seconds;
  state.counters["tries"] = static_cast<double>(tries) / rounds;
  state.counters["steps"] = static_cast<double>(steps) / rounds;
}
BENCHMARK_CAPTURE(ReduceLong, one_of_column_sort, "column_sort.frag", 1, false, false)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);
BENCHMARK_CAPTURE(ReduceLong, three_of_column_sort, "column_sort.frag", 3, false, false)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);
BENCHMARK_CAPTURE(ReduceLong, three_of_stack_machine, "stack_machine.frag", 3, false, false)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);
BENCHMARK_CAPTURE(ReduceLong, three_and_shrunk, "column_sort.frag", 3, false, true)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);
BENCHMARK_CAPTURE(ReduceLong, three_plain, "column_sort.frag", 3, true, false)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(10);

}  // namespace
}  // namespace refract::bench
