// SPDX-License-Identifier: Apache-2.0
// Copies of contexts, reading and writing, analyses and facts.
#include <benchmark/benchmark.h>

#include "base/check.h"
#include "base/text.h"
#include "bench_data.h"
#include "ir/binary.h"
#include "ir/edit/editor.h"
#include "ir/tools.h"

namespace refract::bench {
namespace {

using benchmark::Counter;

size_t InstructionsOf(const Module& module) {
  return module.instruction_slots() - 1;
}

// Copies that are kept, as snapshots are. Excludes the cost of freeing them.
void CopyContext(benchmark::State& state) {
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  constexpr size_t kKept = 1000;
  std::vector<Context> kept;
  kept.reserve(kKept);
  for (auto _ : state) {
    if (kept.size() == kKept) {
      state.PauseTiming();
      kept.clear();
      state.ResumeTiming();
    }
    kept.push_back(context);
  }
  state.counters["instructions"] = static_cast<double>(InstructionsOf(context.module));
}
BENCHMARK(CopyContext)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

// A copy with one write. This adds the cost of copying the page that is written.
void CopyAndWrite(benchmark::State& state) {
  const Context context = SizedContext(static_cast<size_t>(state.range(0)));
  Id value = Id::kNone;
  for (size_t i = 1; i < context.module.id_slots() && value == Id::kNone; ++i) {
    if (context.module.OpcodeOf(static_cast<Id>(i)) == spv::Op::OpIMul) value = static_cast<Id>(i);
  }
  const Inst inst = context.module.Definition(value);
  for (auto _ : state) {
    Context copy = context;
    Editor editor(copy.module, 1);
    benchmark::DoNotOptimize(editor.InsertValue(inst, spv::Op::OpCopyObject, copy.module.Type(inst),
                                                editor.Made(1), {copy.module.IdAt(inst, 0)}));
  }
}
BENCHMARK(CopyAndWrite)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void Read(benchmark::State& state) {
  const Original original = SizedModule(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(ReadModule(original.words, "sized.spv"));
  state.counters["instructions/s"] =
      Counter(static_cast<double>(InstructionsOf(original.context.module)) *
                  static_cast<double>(state.iterations()),
              Counter::kIsRate);
}
BENCHMARK(Read)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void Write(benchmark::State& state) {
  const Original original = SizedModule(static_cast<size_t>(state.range(0)));
  for (auto _ : state) benchmark::DoNotOptimize(WriteModule(original.context.module));
  state.counters["instructions/s"] =
      Counter(static_cast<double>(InstructionsOf(original.context.module)) *
                  static_cast<double>(state.iterations()),
              Counter::kIsRate);
}
BENCHMARK(Write)->Arg(1000)->Arg(10000)->Arg(100000)->Unit(benchmark::kMicrosecond);

void SynonymsOf(benchmark::State& state) {
  const Context context = SizedContext(10000);
  std::vector<Id> values;
  for (size_t i = 1; i < context.module.id_slots(); ++i) {
    const Id id = static_cast<Id>(i);
    if (context.module.OpcodeOf(id) == spv::Op::OpIAdd) values.push_back(id);
  }
  size_t next = 0;
  for (auto _ : state) {
    const Part part(values[next++ % values.size()]);
    benchmark::DoNotOptimize(
        context.facts.SynonymsOf(context.module, part, static_cast<size_t>(state.range(0))));
  }
}
BENCHMARK(SynonymsOf)->Arg(8)->Arg(32)->Arg(500)->Unit(benchmark::kMicrosecond);

// Vectors made from one another's components, in this number. The query has no result.
void SynonymousWholes(benchmark::State& state) {
  std::string text =
      "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpTypeFloat 32\n"
      "%2 = OpTypeVector %1 4\n";
  const auto vectors = static_cast<uint32_t>(state.range(0));
  for (uint32_t i = 0; i <= vectors; ++i) text += format("%{} = OpUndef %2\n", 10 + i);
  const auto words = Assemble(text, TargetEnvironment::kUniversal13);
  CHECK(words.has_value());
  const Result<Module> module = ReadModule(*words, "wholes");
  CHECK(module.has_value());
  const auto vector = [&](uint32_t i) { return Part(module->FindId(Name{0, 10 + i})); };
  Facts facts;
  for (uint32_t i = 1; i < vectors; ++i) {
    for (uint32_t j = 0; j < 4; ++j) {
      facts.AddSynonym(*vector(0).Component(j), *vector(i).Component(j), {i});
    }
  }
  facts.AddSynonym(*vector(0).Component(0), *vector(vectors).Component(0), {1});
  for (auto _ : state) {
    benchmark::DoNotOptimize(facts.Synonymous(*module, vector(0), vector(vectors)));
  }
}
BENCHMARK(SynonymousWholes)->Arg(4)->Arg(16)->Arg(64)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace refract::bench
