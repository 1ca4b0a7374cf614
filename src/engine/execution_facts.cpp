// SPDX-License-Identifier: Apache-2.0
#include "engine/execution_facts.h"

#include <algorithm>

#include "engine/run_inputs.h"
#include "engine/self_check.h"
#include "interp/interpreter.h"

namespace refract {
inline namespace engine {
namespace {

// The interpreter takes about a second for these steps, or ten seconds if most are on floats. The
// limit is not a time, because the recording stores the result.
constexpr uint64_t kMostStepsForFacts = uint64_t{1} << 29;

std::vector<Name> Sorted(std::vector<Name> names) {
  std::sort(names.begin(), names.end());
  return names;
}

// Executes `context`. `options` has the limits and the sample. `why_none` is that of
// TakeExecutionFacts.
message::ExecutionFacts Take(const Context& context, const std::string& file,
                             const EntryPoint& entry, const Bindings& bindings, RunOptions options,
                             std::string* why_none) {
  message::ExecutionFacts taken;
  DecodeOptions decode;
  decode.find_uniform = true;
  const Result<Program> program = Program::Decode(context.module, entry, bindings, file, decode);
  if (!program) return taken;
  options.trace = true;
  const RunReport report = Run(*program, options);
  if (report.trap && why_none != nullptr) {
    const bool limit = report.trap->kind == Trap::Kind::kLimit;
    *why_none = (limit ? "" : "the original has undefined behaviour: ") + report.trap->message;
  }
  if (report.trap || report.approximate_control || report.open_coverage) return taken;
  for (const BlockCount& block : report.blocks) {
    if (block.invocations == 0) taken.never_runs.push_back(context.module.NameOf(block.label));
  }
  for (const Id value : report.uniform) taken.uniform.push_back(context.module.NameOf(value));
  taken.never_runs = Sorted(std::move(taken.never_runs));
  taken.uniform = Sorted(std::move(taken.uniform));
  return taken;
}

}  // namespace

message::ExecutionFacts TakeExecutionFacts(const Original& original, std::string* why_none) {
  const Result<RunInputs> inputs = RunInputs::Of(original.context, original.file);
  if (!inputs || inputs->HasFree(false)) return {};
  RunOptions options;
  options.limits.steps = kMostStepsForFacts;
  return Take(original.context, original.file, inputs->entry(), inputs->given(), options, why_none);
}

message::ExecutionFacts TakeExecutionFactsOn(const Context& context, const std::string& file,
                                             const std::vector<uint32_t>& sample) {
  const Result<RunSetup> setup = SetupOf(context, file);
  if (!setup) return {};
  RunOptions options;
  options.limits = SelfCheckOptions().limits;
  options.sample = sample;
  return Take(context, file, setup->entry, setup->bindings, options, nullptr);
}

void AddExecutionFacts(const message::ExecutionFacts& taken, Context* context) {
  const Module& module = context->module;
  for (const Name& name : taken.never_runs) {
    const Inst label = module.Find(name);
    if (label == Inst::kNone || module.Opcode(label) != spv::Op::OpLabel) continue;
    context->facts.SetNeverRuns(module.Result(label), {});
  }
  for (const Name& name : taken.uniform) {
    const Inst value = module.Find(name);
    if (value == Inst::kNone || module.Type(value) == Id::kNone) continue;
    context->facts.SetUniform(module.Result(value), {});
  }
}

}  // namespace engine
}  // namespace refract
