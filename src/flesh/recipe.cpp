// SPDX-License-Identifier: Apache-2.0
#include "flesh/recipe.h"

#include <bit>

#include "base/text.h"
#include "cfg/sampler.h"
#include "ir/tools.h"

namespace refract::flesh {
namespace {

constexpr int kTries = 1000;

// One for each thread, because its tables take time to compute and are the same for all recipes.
cfg::Sampler& SamplerOfThread() {
  thread_local cfg::Sampler sampler(cfg::Grammar(), kMostDrawn);
  return sampler;
}

FleshOptions DrawOptions(Random* random) {
  FleshOptions options;
  options.mode = static_cast<Mode>(random->Below(static_cast<uint64_t>(Mode::kCount)));
  options.stage = random->Percent(25) ? Stage::kFragment : Stage::kCompute;
  options.walks = static_cast<uint32_t>(random->Between(1, 5));
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

cfg::Graph GraphOf(const Recipe& recipe) {
  return cfg::InModuleOrder(cfg::MakeGraph(recipe.tree));
}

Result<Program> MakeProgram(const Recipe& recipe) {
  Random random(recipe.seed);
  const cfg::Graph graph = GraphOf(recipe);
  Result<Program> program = recipe.plan ? Flesh(graph, recipe.options, *recipe.plan, &random)
                                        : Flesh(graph, recipe.options, &random);
  if (!program) return program;
  const Status valid = Validate(program->words, TargetEnvironment::kUniversal13);
  if (!valid) return Error{format("spirv-val refuses the program: {}", valid.error().message)};
  return program;
}

Result<Recipe> DrawRecipe(uint64_t seed, bool ends) {
  Random random(Mix(seed, 1));
  Recipe recipe;
  recipe.seed = seed;
  recipe.options = DrawOptions(&random);
  recipe.options.fuel |= ends;
  recipe.options.payload.barriers &= !ends;
  recipe.options.payload.subgroups &= !ends;
  const uint32_t blocks = static_cast<uint32_t>(random.Between(kLeastDrawn, kMostDrawn));
  Error last;
  for (int tries = 0; tries < kTries; ++tries) {
    SamplerOfThread().Draw(blocks, &random, &recipe.tree);
    const Result<Program> program = MakeProgram(recipe);
    if (program) return recipe;
    last = program.error();
  }
  return last;
}

std::string CommandOf(const Recipe& recipe) {
  const FleshOptions& options = recipe.options;
  std::string text = format("refract flesh '{}' --mode {} --stage {} --paths {} --visits {}",
                            cfg::GraphText(GraphOf(recipe)), ModeName(options.mode),
                            StageName(options.stage), options.walks, options.most_visits);
  text += format(" --payload {}", options.payload.operations);
  if (options.stage == Stage::kCompute) {
    text += format(" --workgroup {} --groups {}", options.workgroup, options.groups);
  }
  if (options.payload.barriers) text += " --barriers";
  if (options.payload.subgroups) text += " --subgroups";
  if (options.fuel) text += " --fuel";
  if (options.functions) text += " --functions";
  return text + format(" --seed {}", recipe.seed);
}

std::string Describe(const Recipe& recipe, const Program& program) {
  const FleshOptions& options = recipe.options;
  const uint32_t invocations = static_cast<uint32_t>(program.plan.walk_of.size());
  std::string text = format("graph: {}\n", cfg::GraphText(GraphOf(recipe)));
  text += format("{} blocks, block N is %N+{}; {}, {}\n", recipe.tree.size(), kFirstLabel,
                 StageName(options.stage), ModeName(options.mode));
  for (size_t i = 0; i < program.plan.walks.size(); ++i) {
    text += format("path {}:", i);
    for (const uint32_t block : program.plan.walks[i].blocks) text += format(" {}", block);
    text += "\n";
  }
  text += options.stage == Stage::kCompute ? "paths of invocations:" : "paths of tiles:";
  for (const uint32_t walk : program.plan.walk_of) text += format(" {}", walk);
  text += "\n";
  if (options.stage == Stage::kFragment || !program.inputs.expected ||
      program.inputs.expected->buffers.empty()) {
    return text;
  }
  const size_t row = program.inputs.expected->buffers.front().words.size() / invocations;
  return text + format(
                    "word W of the buffer: visit W % {} of invocation W / {}; its value is the "
                    "block number plus 1, and after the last visit the hash\n",
                    row, row);
}

}  // namespace refract::flesh
