// SPDX-License-Identifier: Apache-2.0
// Reading and writing shader.json: numbers a second, on one line and in lines.
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "input/inputs.h"

namespace refract::bench {
namespace {

Inputs LongList(size_t numbers) {
  Inputs inputs;
  InputValue& value = inputs.values.emplace_back();
  value.name = "x";
  value.count = static_cast<uint32_t>(numbers);
  for (size_t i = 0; i < numbers; ++i) value.words.push_back(i * 2654435761u % 0x100000000u);
  return inputs;
}

void Read(benchmark::State& state, ListForm form) {
  const auto numbers = static_cast<size_t>(state.range(0));
  const std::string text = WriteInputs(LongList(numbers), form);
  for (auto _ : state) {
    const auto inputs = ParseInputs("bench.json", text);
    CHECK(inputs.has_value());
    benchmark::DoNotOptimize(inputs);
  }
  state.counters["numbers/s"] = benchmark::Counter(static_cast<double>(numbers),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}
void ReadOneLine(benchmark::State& state) {
  Read(state, ListForm::kOneLine);
}
void ReadLines(benchmark::State& state) {
  Read(state, ListForm::kLines);
}
BENCHMARK(ReadOneLine)->Arg(10'000)->Arg(100'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);
BENCHMARK(ReadLines)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

void WriteLines(benchmark::State& state) {
  const auto numbers = static_cast<size_t>(state.range(0));
  const Inputs inputs = LongList(numbers);
  for (auto _ : state) benchmark::DoNotOptimize(WriteInputs(inputs));
  state.counters["numbers/s"] = benchmark::Counter(static_cast<double>(numbers),
                                                   benchmark::Counter::kIsIterationInvariantRate);
}
BENCHMARK(WriteLines)->Arg(10'000)->Arg(1'000'000)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace refract::bench
