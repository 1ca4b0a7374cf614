// SPDX-License-Identifier: Apache-2.0
#include "planted/sample.h"

#include "base/random.h"
#include "engine/compare_runs.h"
#include "input/resolve.h"
#include "ir/binary.h"

namespace refract::planted {
namespace {

constexpr uint32_t kQuads = 64, kGroups = 2;

// `count` of `all` numbers at equal distances, with an offset that differs from row to row.
std::vector<uint32_t> Spread(uint64_t all, uint32_t count) {
  if (all <= count) return {};
  std::vector<uint32_t> chosen;
  Random random(all);
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t begin = all * i / count, end = all * (i + 1) / count;
    chosen.push_back(static_cast<uint32_t>(begin + random.Below(end - begin)));
  }
  return chosen;
}

}  // namespace

Result<RunReport> RunSample(const std::vector<uint32_t>& words, const Context& context,
                            const std::string& name) {
  const Result<Module> module = ReadModule(words, name);
  if (!module) return module.error();
  const Result<EntryPoint> entry = FindEntryPoint(*module, context.entry, name);
  if (!entry) return entry.error();
  Result<ResolvedInputs> resolved = Resolve(*module, *entry, *context.inputs, name);
  if (!resolved) return resolved.error();
  Bindings& bindings = resolved->bindings;
  bindings.float_target = spv::ImageFormat::Rgba32f;  // keeps every bit
  const Result<Program> program = Program::Decode(*module, *entry, bindings, name);
  if (!program) return program.error();
  RunOptions options;
  options.ignore_approximate_control = true;  // optimised code may compare in another way
  options.limits.steps_per_invocation = uint64_t{1} << 21;
  options.limits.steps = uint64_t{1} << 27;
  if (entry->model == spv::ExecutionModel::GLCompute) {
    const auto& groups = bindings.groups;
    options.sample = Spread(uint64_t{groups[0]} * groups[1] * groups[2], kGroups);
  } else {
    options.sample =
        Spread(uint64_t{(bindings.width + 1) / 2} * ((bindings.height + 1) / 2), kQuads);
  }
  return Run(*program, options);
}

std::string FindFault(const std::vector<uint32_t>& words, const RunReport& before,
                      const Original& original, const Context& context) {
  const auto invalid = FindInvalid(words, original.environment, original.validation);
  if (invalid) return "invalid: " + OneLine(*invalid);
  const Result<RunReport> after = RunSample(words, context, original.file);
  if (!after) return after.error().message;
  return FindDifference(before, *after).value_or("");
}

}  // namespace refract::planted
