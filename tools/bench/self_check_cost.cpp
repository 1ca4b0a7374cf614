// SPDX-License-Identifier: Apache-2.0
// Measures the cost of self-checks in a fuzz run, as a multiple of runs of the original on the same
// sampled pixels. `self_check_cost [--seeds N] FILE...` prints both in CPU time for each module,
// then the median and the maximum of all. Frames have 16 x 16 pixels.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "base/text.h"
#include "engine/fuzz.h"
#include "engine/run_inputs.h"
#include "glsl/load.h"
#include "interp/interpreter.h"

namespace refract {
namespace {

double CpuSeconds() {
  timespec time = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

struct Cost {
  double original = 0, plain = 0, checked = 0;
  double Ratio() const { return (checked - plain) / original; }
};

Result<Cost> Measure(const std::string& file, uint64_t seed) {
  Result<LoadedModule> loaded = LoadModuleFile(file);
  if (!loaded) return loaded.error();
  auto inputs = std::make_shared<Inputs>();
  const std::string json = std::filesystem::path(file).replace_extension(".json");
  if (std::filesystem::exists(json)) {
    Result<Inputs> read = LoadInputs(json);
    if (!read) return read.error();
    *inputs = std::move(*read);
  }
  inputs->has_framebuffer = true;
  inputs->width = inputs->height = 16;
  const Result<Original> original = MakeOriginal(std::move(loaded->words), file, inputs, {});
  if (!original) return original.error();
  const Result<RunSetup> setup = SetupOf(original->context, file);
  if (!setup) return setup.error();
  Cost cost;
  constexpr int kTimes = 3;
  const double start = CpuSeconds();
  for (int i = 0; i < kTimes; ++i) {
    DecodeOptions decode;
    decode.made_up_inputs = 1;
    const Result<Program> program =
        Program::Decode(original->context.module, setup->entry, setup->bindings, file, decode);
    if (!program) return program.error();
    RunOptions options;
    options.limits.steps = uint64_t{1} << 28;
    if (const RunReport report = Run(*program, options); report.trap) {
      return Error{report.trap->message};
    }
  }
  cost.original = (CpuSeconds() - start) / kTimes;
  for (const bool checked : {false, true}) {
    FuzzOptions options;
    options.seed = seed;
    options.self_check = checked;
    const double before = CpuSeconds();
    const Result<FuzzResult> fuzzed = Fuzz(*original, options);
    if (!fuzzed) return fuzzed.error();
    (checked ? cost.checked : cost.plain) = CpuSeconds() - before;
  }
  return cost;
}

}  // namespace
}  // namespace refract

int main(int argc, char** argv) {
  uint64_t seeds = 1;
  std::vector<double> ratios;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seeds") == 0 && i + 1 < argc) {
      seeds = static_cast<uint64_t>(std::atoi(argv[++i]));
      continue;
    }
    for (uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto cost = refract::Measure(argv[i], seed);
      if (!cost) {
        std::printf("%s: %s\n", argv[i], cost.error().message.c_str());
        break;
      }
      ratios.push_back(cost->Ratio());
      std::printf("%s: seed %d: original %.1f ms, run %.1f ms, checked %.1f ms, ratio %.1f\n",
                  argv[i], static_cast<int>(seed), 1e3 * cost->original, 1e3 * cost->plain,
                  1e3 * cost->checked, cost->Ratio());
      std::fflush(stdout);
    }
  }
  if (ratios.empty()) return 1;
  std::sort(ratios.begin(), ratios.end());
  std::printf("%zu runs: median %.1f, worst %.1f\n", ratios.size(), ratios[ratios.size() / 2],
              ratios.back());
}
