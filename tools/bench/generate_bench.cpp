// SPDX-License-Identifier: Apache-2.0
// How many generated programs of about 200 statements a second are drawn and written, and how many
// with the expected output.
#include <benchmark/benchmark.h>

#include "generate/program.h"

namespace refract::bench {
namespace {

constexpr uint64_t kPrograms = 32;

// Recipes of programs with 150 to 200 statements. Drawing one takes several tries.
std::vector<generate::ProgramRecipe> Large() {
  generate::GenerateOptions options;
  options.least = 150;
  std::vector<generate::ProgramRecipe> recipes;
  for (uint64_t seed = 0; seed < kPrograms; ++seed) {
    recipes.push_back(*generate::DrawRecipe(options, seed));
  }
  return recipes;
}

void GenerateDraw(benchmark::State& state) {
  uint64_t seed = 0;
  int64_t statements = 0;
  for (auto _ : state) {
    statements += CountStatements(generate::DrawRecipe({}, seed++)->tree);
  }
  state.SetItemsProcessed(state.iterations());
  state.counters["statements"] =
      benchmark::Counter(static_cast<double>(statements), benchmark::Counter::kAvgIterations);
}
BENCHMARK(GenerateDraw);

void GenerateWrite(benchmark::State& state) {
  const std::vector<generate::ProgramRecipe> recipes = Large();
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(MakeModule(recipes[next++ % kPrograms]));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(GenerateWrite);

void GenerateExpect(benchmark::State& state) {
  const std::vector<generate::ProgramRecipe> recipes = Large();
  size_t next = 0;
  for (auto _ : state) benchmark::DoNotOptimize(MakeProgram(recipes[next++ % kPrograms]));
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(GenerateExpect);

}  // namespace
}  // namespace refract::bench
