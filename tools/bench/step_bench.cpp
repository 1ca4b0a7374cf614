// SPDX-License-Identifier: Apache-2.0
// What a step costs: of modules of 1,000 to 100,000 instructions, functions of 240 each, and of
// snapshots.
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/random.h"
#include "bench_data.h"
#include "engine/apply_step.h"
#include "transform/registry.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

// Check and apply, one after the other in one function, of each transformation. Promise:
// independent of the module's size.
void StepInOneFunction(benchmark::State& state) {
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  const std::vector<AnyMessage> steps = StepsIn(context, context.module.first_function(), 16);
  for (auto _ : state) {
    state.PauseTiming();
    {
      Context copy = context;
      // The pages of the copy are its own after this, but for those of the module's other parts.
      state.ResumeTiming();
      uint32_t number = 0;
      for (const AnyMessage& message : steps) {
        CHECK(ApplyStep(copy, ++number, message).verdict);
      }
      state.PauseTiming();
    }
    state.ResumeTiming();
  }
  const double done = static_cast<double>(steps.size()) * static_cast<double>(state.iterations());
  state.counters["steps"] = static_cast<double>(steps.size());
  state.counters["s/step"] = Counter(done, Counter::kIsRate | Counter::kInvert);
}
BENCHMARK(StepInOneFunction)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

class Walker : public Proposer {
 public:
  explicit Walker(const View& view) : Proposer(view) {}
  bool Toss() override { return !Full() && random_.Percent(20); }
  size_t Pick(size_t n) override { return random_.Below(n); }
  bool Full() const override { return offers_ >= 400; }
  void Offer(AnyMessage message) override {
    benchmark::DoNotOptimize(message);
    ++offers_;
  }

 private:
  Random random_{5};
  size_t offers_ = 0;
};

// The walk of a pass over the whole module, on average of all transformations; a pass makes up to
// 26 steps of it. Of more than 8,192 instructions `fuzz` has a pass walk 2,048.
void WalkOfAPass(benchmark::State& state) {
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  for (auto _ : state) {
    for (const RegistryEntry& entry : Registry()) {
      Walker walker((View(context)));
      entry.rule->propose(walker);
    }
  }
  state.counters["s/pass"] =
      Counter(static_cast<double>(Registry().size()) * static_cast<double>(state.iterations()),
              Counter::kIsRate | Counter::kInvert);
}
BENCHMARK(WalkOfAPass)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

// Both together, as `fuzz` has them.
void FuzzSized(benchmark::State& state) {
  const Original original = SizedModule(static_cast<size_t>(state.range(0)));
  FuzzOptions options;
  options.validate = false;
  uint64_t steps = 0;
  for (auto _ : state) {
    ++options.seed;
    steps += Fuzz(original, options)->recording.steps.size();
  }
  state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
}
BENCHMARK(FuzzSized)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMillisecond);

// 200 copies of a context with 2,000 facts, all of them kept, a step applied to each. Promise:
// under 100 microseconds each for 10,000 instructions.
void KeptCopies(benchmark::State& state) {
  constexpr size_t kCopies = 200;
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  const std::vector<AnyMessage> steps = StepsIn(context, context.module.first_function(), 16);
  // Those that can be the only one.
  std::vector<const AnyMessage*> single;
  for (const AnyMessage& message : steps) {
    if (CheckStep(context, message)) single.push_back(&message);
  }
  double bytes = 0;
  for (auto _ : state) {
    std::vector<Context> kept;
    kept.reserve(kCopies);
    for (size_t i = 0; i < kCopies; ++i) {
      kept.push_back(context);
      CHECK(ApplyStep(kept.back(), 1, *single[i % single.size()]).verdict);
    }
    state.PauseTiming();
    kept.clear();
    state.ResumeTiming();
  }
  {
    CountAllocations(true);
    std::vector<Context> kept;
    for (size_t i = 0; i < kCopies; ++i) {
      kept.push_back(context);
      CHECK(ApplyStep(kept.back(), 1, *single[i % single.size()]).verdict);
    }
    bytes = static_cast<double>(AllocatedBytes());
    CountAllocations(false);
  }
  state.counters["s/copy"] = Counter(static_cast<double>(kCopies * state.iterations()),
                                     Counter::kIsRate | Counter::kInvert);
  state.counters["KB/copy"] = bytes / kCopies / 1e3;
}
BENCHMARK(KeptCopies)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace refract::bench
