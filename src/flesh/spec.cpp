// SPDX-License-Identifier: Apache-2.0
#include "flesh/spec.h"

#include <bit>

#include "base/text.h"
#include "cfg/sampler.h"
#include "ir/tools.h"

namespace refract::flesh {
namespace {

constexpr int kMostDraws = 1000;

// One for each thread, because its tables take time to compute and are the same for all specs.
cfg::Sampler& SamplerOfThread() {
  thread_local cfg::Sampler sampler(cfg::Grammar(), kMostDrawn);
  return sampler;
}

FleshOptions DrawOptions(Random* random) {
  FleshOptions options;
  options.mode = static_cast<Mode>(random->Below(static_cast<uint64_t>(Mode::kCount)));
  options.stage = random->Percent(25) ? Stage::kFragment : Stage::kCompute;
  options.paths = static_cast<uint32_t>(random->Between(1, 5));
  options.payload.operations = static_cast<uint32_t>(random->Between(0, 5));
  options.fuel = random->Percent(10);
  options.functions = random->Percent(20);
  if (options.stage == Stage::kFragment) return options;
  options.groups = static_cast<uint32_t>(random->Between(1, 2));
  if (random->Percent(20)) options.workgroup = static_cast<uint32_t>(random->Between(1, 63));
  options.payload.barriers = random->Percent(30);
  const bool whole = options.workgroup % kWholeSubgroups == 0;
  options.payload.subgroups = whole && random->Percent(20);
  return options;
}

}  // namespace

cfg::Graph GraphOf(const ProgramSpec& spec) {
  return cfg::InModuleOrder(cfg::MakeGraph(spec.tree));
}

Result<Program> MakeProgram(const ProgramSpec& spec) {
  Random random(spec.seed);
  const cfg::Graph graph = GraphOf(spec);
  Result<Program> program = spec.plan ? Flesh(graph, spec.options, *spec.plan, &random)
                                      : Flesh(graph, spec.options, &random);
  if (!program) return program;
  const Status valid = Validate(program->words, TargetEnvironment::kUniversal13);
  if (!valid) return Error{format("spirv-val refuses the program: {}", valid.error().message)};
  return program;
}

Result<ProgramSpec> DrawProgramSpec(uint64_t seed, bool ends) {
  Random random(Mix(seed, 1));
  ProgramSpec spec;
  spec.seed = seed;
  spec.options = DrawOptions(&random);
  spec.options.fuel |= ends;
  spec.options.payload.barriers &= !ends;
  spec.options.payload.subgroups &= !ends;
  const uint32_t blocks = static_cast<uint32_t>(random.Between(kLeastDrawn, kMostDrawn));
  Error last;
  for (int tries = 0; tries < kMostDraws; ++tries) {
    SamplerOfThread().Draw(blocks, &random, &spec.tree);
    const Result<Program> program = MakeProgram(spec);
    if (program) return spec;
    last = program.error();
  }
  return last;
}

std::string CommandOf(const ProgramSpec& spec) {
  const FleshOptions& options = spec.options;
  std::string text = format("refract flesh '{}' --mode {} --stage {} --paths {} --visits {}",
                            cfg::GraphText(GraphOf(spec)), ModeName(options.mode),
                            StageName(options.stage), options.paths, options.most_visits);
  text += format(" --payload {}", options.payload.operations);
  if (options.stage == Stage::kCompute) {
    text += format(" --workgroup {} --groups {}", options.workgroup, options.groups);
  }
  if (options.payload.barriers) text += " --barriers";
  if (options.payload.subgroups) text += " --subgroups";
  if (options.fuel) text += " --fuel";
  if (options.functions) text += " --functions";
  return text + format(" --seed {}", spec.seed);
}

std::string Describe(const ProgramSpec& spec, const Program& program) {
  const FleshOptions& options = spec.options;
  const uint32_t invocations = static_cast<uint32_t>(program.plan.path_of.size());
  std::string text = format("graph: {}\n", cfg::GraphText(GraphOf(spec)));
  text += format("{} blocks, block N is %N+{}; {}, {}\n", spec.tree.size(), kFirstLabel,
                 StageName(options.stage), ModeName(options.mode));
  for (size_t i = 0; i < program.plan.paths.size(); ++i) {
    text += format("path {}:", i);
    for (const uint32_t block : program.plan.paths[i].blocks) text += format(" {}", block);
    text += "\n";
  }
  text += options.stage == Stage::kCompute ? "paths of invocations:" : "paths of tiles:";
  for (const uint32_t path : program.plan.path_of) text += format(" {}", path);
  text += "\n";
  if (options.stage == Stage::kFragment || !program.inputs.expected ||
      program.inputs.expected->buffers.empty()) {
    return text;
  }
  return text +
         format(
             "each invocation has {} words in the buffer: one word for each block that it "
             "visits (the block number plus 1), then the hash of what the invocation computed\n",
             program.inputs.expected->buffers.front().words.size() / invocations);
}

}  // namespace refract::flesh
