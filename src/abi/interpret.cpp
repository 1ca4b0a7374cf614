// SPDX-License-Identifier: Apache-2.0
// The interpreter.
#include <bit>
#include <memory>

#include "abi/boundary.h"
#include "input/outputs.h"
#include "input/resolve.h"
#include "interp/interpreter.h"

using namespace refract;

struct refract_run {
  RunReport report;
  std::string trap_text;
  std::vector<refract_output> outputs;  // point into the report
};

namespace {

const uint8_t* BytesIn(const std::string& bytes) {
  return reinterpret_cast<const uint8_t*>(bytes.data());
}

// The shadows of output `index`; lists may be shorter if all are exact.
void SetShadows(const std::vector<std::string>& shadows, size_t index, refract_output* output) {
  if (index >= shadows.size() || shadows[index].empty()) return;
  output->shadows = BytesIn(shadows[index]);
  output->shadow_count = shadows[index].size();
}

void ListOutputs(refract_run* run) {
  const RunReport& report = run->report;
  for (size_t i = 0; i < report.outputs.targets.size(); ++i) {
    const ColourTarget& target = report.outputs.targets[i];
    refract_output output = {};
    output.kind = REFRACT_OUTPUT_TARGET;
    output.binding = target.location;
    output.format = static_cast<uint32_t>(target.format);
    output.width = target.width, output.height = target.height;
    output.depth = output.layers = 1;
    output.bytes = BytesIn(target.texels), output.size = target.texels.size();
    SetShadows(report.target_shadows, i, &output);
    run->outputs.push_back(output);
  }
  for (size_t i = 0; i < report.outputs.buffers.size(); ++i) {
    const BoundBuffer& buffer = report.outputs.buffers[i];
    refract_output output = {};
    output.kind = REFRACT_OUTPUT_BUFFER;
    output.set = buffer.set, output.binding = buffer.binding;
    output.bytes = BytesIn(buffer.bytes), output.size = buffer.bytes.size();
    SetShadows(report.buffer_shadows, i, &output);
    run->outputs.push_back(output);
  }
  for (size_t i = 0; i < report.outputs.images.size(); ++i) {
    const BoundImage& image = report.outputs.images[i];
    refract_output output = {};
    output.kind = REFRACT_OUTPUT_IMAGE;
    output.set = image.set, output.binding = image.binding;
    output.format = static_cast<uint32_t>(image.format);
    output.width = image.width, output.height = image.height;
    output.depth = image.depth, output.layers = image.layers;
    output.bytes = BytesIn(image.texels), output.size = image.texels.size();
    SetShadows(report.image_shadows, i, &output);
    run->outputs.push_back(output);
  }
}

Result<RunOptions> RunOptionsOf(const refract_run_options& given) {
  RunOptions options;
  if (given.max_steps != 0) options.limits.steps = given.max_steps;
  if (given.max_memory != 0) options.limits.memory = given.max_memory;
  if (given.shuffle_seed != 0) {
    options.schedule.order = Schedule::Order::kShuffled;
    options.schedule.seed = given.shuffle_seed;
  }
  options.perturb = given.perturb_seed;
  if (given.subgroup_size != 0) {
    if (!std::has_single_bit(given.subgroup_size) || given.subgroup_size < 4 ||
        given.subgroup_size > 128) {
      return Error{"options: subgroup_size is not a power of two from 4 to 128", ErrorKind::kUsage};
    }
    options.schedule.subgroup_size = given.subgroup_size;
  }
  if (given.seconds != 0) options.deadline = Deadline::In(given.seconds);
  return options;
}

Result<std::unique_ptr<refract_run>> Interpret(const Original& original,
                                               const refract_run_options& given) {
  const Result<RunOptions> options = RunOptionsOf(given);
  if (!options) return options.error();
  const Module& module = original.context.module;
  const Result<EntryPoint> entry = FindEntryPoint(module, original.context.entry, original.file);
  if (!entry) return entry.error();
  const Inputs none;
  const Inputs* inputs = original.context.inputs.get();
  const Result<ResolvedInputs> resolved =
      Resolve(module, *entry, inputs == nullptr ? none : *inputs, original.file,
              {.zero_inputs = given.zero_inputs != 0});
  if (!resolved) return resolved.error();
  const Result<Program> program =
      Program::Decode(module, *entry, resolved->bindings, original.file);
  if (!program) return program.error();
  auto run = std::make_unique<refract_run>();
  run->report = Run(*program, *options);
  if (run->report.trap) run->trap_text = run->report.trap->message;
  ListOutputs(run.get());
  return run;
}

}  // namespace

refract_status refract_interpret(const refract_module* module, const refract_run_options* options,
                                 refract_run** run, char** message) {
  return Guarded(message, [&]() -> refract_status {
    if (run != nullptr) *run = nullptr;
    if (module == nullptr || run == nullptr) return BadArgument("null argument", message);
    refract_run_options given;
    if (!ReadStruct(options, &given)) return BadArgument("options: wrong struct_size", message);
    Result<std::unique_ptr<refract_run>> made = Interpret(module->original, given);
    if (!made) return Fail(made.error(), message);
    *run = made->release();
    return REFRACT_OK;
  });
}

void refract_run_free(refract_run* run) {
  delete run;
}

refract_trap refract_run_trap(const refract_run* run) {
  if (run == nullptr || !run->report.trap) return REFRACT_TRAP_NONE;
  switch (run->report.trap->kind) {
    case Trap::Kind::kUndefinedBehaviour:
      return REFRACT_TRAP_UNDEFINED;
    case Trap::Kind::kRace:
      return REFRACT_TRAP_RACE;
    case Trap::Kind::kLimit:
    case Trap::Kind::kAudit:  // there is no audit
      break;
  }
  return REFRACT_TRAP_LIMIT;
}

const char* refract_run_trap_text(const refract_run* run) {
  return run == nullptr ? "" : run->trap_text.c_str();
}

int refract_run_defined(const refract_run* run) {
  return run != nullptr && !run->report.trap && run->report.OutputsDefined() ? 1 : 0;
}

int refract_run_exact(const refract_run* run) {
  return run != nullptr && !run->report.trap && run->report.Exact() ? 1 : 0;
}

uint64_t refract_run_steps(const refract_run* run) {
  return run == nullptr ? 0 : run->report.steps;
}

size_t refract_run_output_count(const refract_run* run) {
  return run == nullptr ? 0 : run->outputs.size();
}

refract_status refract_run_output(const refract_run* run, size_t index, refract_output* output) {
  if (run == nullptr || output == nullptr || index >= run->outputs.size()) {
    return REFRACT_BAD_ARGUMENT;
  }
  return refract::WriteStruct(run->outputs[index], output) ? REFRACT_OK : REFRACT_BAD_ARGUMENT;
}
