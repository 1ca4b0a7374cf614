// SPDX-License-Identifier: Apache-2.0
#include "engine/execution_facts.h"

#include <algorithm>

#include "engine/run_inputs.h"
#include "interp/interpreter.h"

namespace refract {
namespace {

// About a second of work, ten of what is mostly floats. Not by the clock: the recording keeps what
// is found.
constexpr uint64_t kMostSteps = uint64_t{1} << 29;

std::vector<Name> Sorted(std::vector<Name> names) {
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

message::ExecutionFacts TakeExecutionFacts(const Original& original, std::string* too_long) {
  message::ExecutionFacts taken;
  const Context& context = original.context;
  const Result<RunInputs> inputs = RunInputs::Of(context, original.file);
  if (!inputs || inputs->HasFree(false)) return taken;
  DecodeOptions decode;
  decode.find_uniform = true;
  const Result<Program> program =
      Program::Decode(context.module, inputs->entry(), inputs->given(), original.file, decode);
  if (!program) return taken;
  RunOptions options;
  options.trace = true;
  options.limits.steps = kMostSteps;
  const RunReport report = Run(*program, options);
  const bool limit = report.trap && report.trap->kind == Trap::Kind::kLimit;
  if (limit && too_long != nullptr) *too_long = report.trap->message;
  if (report.trap || report.approximate_control || report.open_coverage) return taken;
  for (const BlockCount& block : report.blocks) {
    if (block.invocations == 0) taken.never_runs.push_back(context.module.NameOf(block.label));
  }
  for (const Id value : report.uniform) taken.uniform.push_back(context.module.NameOf(value));
  taken.never_runs = Sorted(std::move(taken.never_runs));
  taken.uniform = Sorted(std::move(taken.uniform));
  return taken;
}

void PutExecutionFacts(const message::ExecutionFacts& taken, Context* context) {
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

}  // namespace refract
