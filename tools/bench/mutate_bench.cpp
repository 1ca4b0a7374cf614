// SPDX-License-Identifier: Apache-2.0
// The mutator for other fuzzers, on donors of about 300 instructions (docs/mutator.md).
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/random.h"
#include "engine/fuzz.h"
#include "glsl/load.h"
#include "mutate/mutated_file.h"
#include "mutate/mutator.h"

namespace refract::bench {
namespace {

using benchmark::Counter;
constexpr size_t kMaxBytes = 1 << 20;

const std::vector<Original>& Modules() {
  static std::vector<Original> modules;
  if (!modules.empty()) return modules;
  for (const char* name : {"nested_ifs", "fixed_point", "float_curves", "bit_tricks"}) {
    Result<LoadedModule> loaded =
        LoadModuleFile(std::string(REFRACT_SOURCE_DIR "/donors/") + name + ".frag");
    CHECK(loaded.has_value());
    Result<Original> original = MakeOriginal(std::move(loaded->words), name, nullptr, {});
    CHECK(original.has_value());
    modules.push_back(std::move(*original));
  }
  return modules;
}

// Mutations a second of a corpus of 400 files that grows and changes, as a fuzzer has it.
// Required: 2,000.
void MutateCorpus(benchmark::State& state) {
  std::vector<std::string> corpus;
  for (const Original& module : Modules()) corpus.emplace_back(BytesOf(module.words));
  Mutator mutator;
  Random random(1);
  for (auto _ : state) {
    const std::string& from = corpus[random.Below(corpus.size())];
    std::optional<std::string> made = mutator.Mutate(from, kMaxBytes, random.Next());
    if (!made) continue;
    if (corpus.size() < 400) {
      corpus.push_back(std::move(*made));
    } else {
      corpus[4 + random.Below(396)] = std::move(*made);
    }
  }
  state.counters["mutations/s"] =
      Counter(static_cast<double>(state.iterations()), Counter::kIsRate);
}
BENCHMARK(MutateCorpus)->Unit(benchmark::kMicrosecond)->MinTime(4);

// The same of plain modules that are not known: each is parsed and validated, and nothing is kept.
// Required: 2,000.
void MutateUnknown(benchmark::State& state) {
  Random random(1);
  for (auto _ : state) {
    const Original& module = Modules()[random.Below(4)];
    Mutator mutator(0);
    benchmark::DoNotOptimize(mutator.Mutate(BytesOf(module.words), kMaxBytes, random.Next()));
  }
  state.counters["mutations/s"] =
      Counter(static_cast<double>(state.iterations()), Counter::kIsRate);
}
BENCHMARK(MutateUnknown)->Unit(benchmark::kMicrosecond)->MinTime(4);

// The same with a mutator that keeps what it reads, as refract_mutate does. The generator in the
// header differs each time, so no module is known.
void MutateNew(benchmark::State& state) {
  Random random(1);
  Mutator mutator;
  uint32_t generator = 0;
  for (auto _ : state) {
    std::vector<uint32_t> words = Modules()[random.Below(4)].words;
    words[2] = ++generator;
    benchmark::DoNotOptimize(mutator.Mutate(BytesOf(words), kMaxBytes, random.Next()));
  }
  state.counters["mutations/s"] =
      Counter(static_cast<double>(state.iterations()), Counter::kIsRate);
}
BENCHMARK(MutateNew)->Unit(benchmark::kMicrosecond)->MinTime(4);

// Steps a second on modules in memory. Required: 20,000.
void StepsInMemory(benchmark::State& state) {
  FuzzOptions options;
  options.validate = false;
  options.max_steps = 200;
  uint64_t steps = 0;
  for (auto _ : state) {
    ++options.seed;
    steps += Fuzz(Modules()[options.seed % 4], options)->recording.steps.size();
  }
  state.counters["steps/s"] = Counter(static_cast<double>(steps), Counter::kIsRate);
}
BENCHMARK(StepsInMemory)->Unit(benchmark::kMillisecond)->MinTime(4);

}  // namespace
}  // namespace refract::bench
