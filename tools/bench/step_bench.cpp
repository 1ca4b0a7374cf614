// SPDX-License-Identifier: Apache-2.0
// The cost of a step, in modules of 1,000 to 100,000 instructions with functions of 240 each, and
// of snapshots.
#include <benchmark/benchmark.h>

#include <ctime>
#include <map>

#include "base/check.h"
#include "base/random.h"
#include "base/text.h"
#include "bench_data.h"
#include "engine/apply_step.h"
#include "measure/variants.h"
#include "transform/registry.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

// The processor time of this thread, which other processes do not change.
double ThreadSeconds() {
  timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Cost {
  double seconds = 0;
  uint64_t steps = 0;
};

// The cost of the steps in recordings of the references, plain and optimised, by kind. Other
// functions are added to the modules up to this many instructions. The recordings are the same for
// each size.
const std::map<int, Cost>& CostsIn(size_t instructions) {
  constexpr uint64_t kSubjects = 60;
  static std::map<size_t, std::map<int, Cost>> made;
  std::map<int, Cost>& costs = made[instructions];
  if (!costs.empty()) return costs;
  Harness harness;
  Result<measure::VariantOriginals> subjects =
      measure::VariantOriginals::Open(REFRACT_SOURCE_DIR "/references", {}, harness);
  CHECK(subjects.has_value());
  for (uint64_t i = 0; i < kSubjects; ++i) {
    const Result<const measure::VariantOriginal*> subject = subjects->Of(i);
    CHECK(subject.has_value());
    const Original& original = (*subject)->original;
    FuzzOptions options;
    options.seed = i + 1;
    options.max_steps = 1000;
    options.all_passes = true;
    options.donors = subjects->donors();
    options.stop_by_chance = false;
    options.validate = false;
    const Result<FuzzResult> run = Fuzz(original, options);
    CHECK(run.has_value());
    Context context = GrownContext(original.context, subjects->donors(), instructions);
    for (const message::Step& step : run->recording.steps) {
      const double begin = ThreadSeconds();
      const bool applied =
          static_cast<bool>(ApplyStep(context, step.number, step.transformation).check_result);
      const double end = ThreadSeconds();
      if (!applied) continue;  // the context may already have the function that the step would add
      Cost& cost = costs[step.transformation.kind];
      cost.seconds += end - begin;
      ++cost.steps;
    }
  }
  return costs;
}

// Check and apply of one transformation, in shaders whose modules differ only in size. Required:
// independent of the size.
void StepOf(benchmark::State& state, int kind) {
  const std::map<int, Cost>& costs = CostsIn(static_cast<size_t>(state.range(0)));
  const auto cost = costs.find(kind);
  if (cost == costs.end()) return state.SkipWithError("no reference has one in 1,000 steps");
  for (auto _ : state) {
    state.SetIterationTime(cost->second.seconds / static_cast<double>(cost->second.steps));
  }
  state.counters["steps"] = static_cast<double>(cost->second.steps);
}

const bool kStepsRegistered = [] {
  for (const RegistryEntry& entry : Registry()) {
    benchmark::RegisterBenchmark(format("StepOf/{}", entry.name).c_str(), StepOf, entry.rule->kind)
        ->Arg(1000)
        ->Arg(10000)
        ->Arg(100000)
        ->Iterations(1)
        ->UseManualTime()
        ->Unit(benchmark::kMicrosecond);
  }
  return true;
}();

// Check and apply of each transformation, one after the other in one function. Required:
// independent of the module's size.
void StepInOneFunction(benchmark::State& state) {
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  const std::vector<AnyMessage> steps = StepsIn(context, context.module.first_function(), 16);
  for (auto _ : state) {
    state.PauseTiming();
    {
      Context copy = context;
      // The first step copies the shared pages, except those of other parts of the module.
      state.ResumeTiming();
      uint32_t number = 0;
      for (const AnyMessage& message : steps) {
        CHECK(ApplyStep(copy, ++number, message).check_result);
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
  bool ShouldTry() override { return !Full() && random_.Percent(20); }
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

// The walk of a pass over the whole module, averaged over all transformations. A pass makes up to
// 26 steps per walk. In modules of more than 8,192 instructions, a pass of `fuzz` visits only
// 2,048.
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

// Walk and steps together, as in `fuzz`.
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

// 200 copies of a context with 2,000 facts, all of them kept, and a step applied to each. Required:
// less than 100 microseconds each for 10,000 instructions.
void KeptCopies(benchmark::State& state) {
  constexpr size_t kCopies = 200;
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  const std::vector<AnyMessage> steps = StepsIn(context, context.module.first_function(), 16);
  // Messages that also apply without the others.
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
      CHECK(ApplyStep(kept.back(), 1, *single[i % single.size()]).check_result);
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
      CHECK(ApplyStep(kept.back(), 1, *single[i % single.size()]).check_result);
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
