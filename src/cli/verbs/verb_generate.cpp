// SPDX-License-Identifier: Apache-2.0
// refract generate -o OUT.spv: makes whole shader programs from nothing, with inputs and the
// expected output.
#include <array>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/file.h"
#include "base/random.h"
#include "base/text.h"
#include "cli/program_reduce.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "generate/program.h"
#include "ir/tools.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;
using generate::GeneratedProgram;
using generate::GenerateOptions;
using generate::ProgramRecipe;

struct GenerateArguments {
  std::array<uint64_t, generate::kNumberOptions.size()> numbers = {};
  std::string stage = "compute", floats = "exact", output, folder;
  uint64_t count = 1;
  std::optional<uint64_t> seed;
  std::vector<std::string> types;
  ProgramReduction reduction;
};

void Declare(GenerateArguments& given, Options& options) {
  options.RequiredText("-o,--output", "OUT", &given.output,
                       "Output module, such as OUT.spv; OUT.json gets the inputs and the expected "
                       "output. With --count, a folder: program_000001.spv and "
                       "program_000001.json and so on; programs.json lists all programs");
  options.Number("--seed", &given.seed,
                 "Seed; the same seed gives the same files (default: random)");
  options.Number("--count", &given.count, "Number of programs (default 1)", 1, 10'000'000);
  options.Choice("--stage", &given.stage, {"compute", "fragment", "vertex"},
                 "compute: the program writes a hash of each variable to a buffer. fragment: it "
                 "draws a hash of all variables. vertex: it gives such a hash to its triangles as "
                 "their colour (default compute)");
  options.Choice("--floats", &given.floats, {"exact", "bounded", "none"},
                 "exact: floats, only with operations that have one correct result. bounded: also "
                 "divisions, roots, sines and so on, whose error the specification bounds; the "
                 "program rounds their results. none: no floats (default exact)");
  options.List("--types", "TYPE[,TYPE...]", &given.types,
               "Types that not all devices have: int16 and int64 (signed and unsigned integers), "
               "float16, float64 (default: none)",
               [](const std::string& name) {
                 if (generate::OptionalType(name) != 0) return std::string();
                 return format("{} is not int16, int64, float16 or float64", name);
               });
  DeclareTarget(options, "--reduce,--target,--targets", &given.reduction.target,
                "Reduce the program of --seed as long as it fails in the same way on this target: "
                "OUT.spv and OUT.json get the smallest program with its expected output");
  DeclareTargetFiles(options, &given.reduction.target_files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.Number("--timeout,--time-limit", &given.reduction.time_limit,
                 "Time limit in seconds for each run that --reduce makes of the program; a longer "
                 "run counts as a hang (default 10)",
                 1, 86400);
  options.Text("--folder", "DIR", &given.folder,
               "With --reduce: also write a test folder (docs/test-folder.md)");
  const GenerateOptions usual;
  for (size_t i = 0; i < generate::kNumberOptions.size(); ++i) {
    const generate::NumberOption& one = generate::kNumberOptions[i];
    given.numbers[i] = usual.*one.value;
    options.Number(one.option, &given.numbers[i], one.help, one.low, one.high);
  }
}

GenerateOptions OptionsOf(const GenerateArguments& given) {
  GenerateOptions options;
  for (size_t i = 0; i < generate::kNumberOptions.size(); ++i) {
    options.*generate::kNumberOptions[i].value = static_cast<uint32_t>(given.numbers[i]);
  }
  for (const auto stage : {generate::Stage::kFragment, generate::Stage::kVertex}) {
    if (given.stage == NameOf(stage)) options.stage = stage;
  }
  using generate::Floats;
  for (const Floats floats : {Floats::kNone, Floats::kBounded}) {
    if (given.floats == NameOf(floats)) options.floats = floats;
  }
  for (const std::string& name : given.types) options.types |= generate::OptionalType(name);
  return options;
}

Result<GeneratedProgram> Make(const ProgramRecipe& recipe) {
  Result<GeneratedProgram> program = generate::MakeProgram(recipe);
  if (!program) return program;
  const Status valid = Validate(program->words, TargetEnvironment::kVulkan11);
  if (valid) return program;
  return Error{format("fault: spirv-val refuses the program: {}", valid.error().message),
               ErrorKind::kFailed};
}

// Writes BASE.spv and BASE.json. `module` is the name of the first.
Status Write(const std::string& module, const std::vector<uint32_t>& words, const Inputs& inputs) {
  const std::string_view bytes(reinterpret_cast<const char*>(words.data()), 4 * words.size());
  const Status written = WriteFile(module, bytes);
  if (!written) return written;
  return WriteFile(ReplaceExtension(module, ".json"), WriteInputs(inputs));
}

Json JsonOf(const ProgramRecipe& recipe, const GeneratedProgram& program) {
  return {{"seed", recipe.seed},
          {"statements", CountStatements(recipe.tree)},
          {"words", program.words.size()},
          {"command", CommandOf(recipe)}};
}

Result<ExitCode> WriteMany(const GenerateArguments& given, uint64_t seed, Console& console) {
  if (Status made = MakeFolder(given.output); !made) return made.error();
  Json all = {{"programs", Json::array()}};
  for (uint64_t i = 0; i < given.count; ++i) {
    // The first program has the given seed, so that each program can be made alone.
    const Result<ProgramRecipe> recipe =
        generate::DrawRecipe(OptionsOf(given), i == 0 ? seed : Mix(Mix(seed, 1), i) >> 32);
    if (!recipe) return recipe.error();
    const Result<GeneratedProgram> program = Make(*recipe);
    if (!program) return program.error();
    const std::string name = format("program_{:06}.spv", i + 1);
    Json entry = {{"file", name}};
    entry.update(JsonOf(*recipe, *program));
    all["programs"].push_back(std::move(entry));
    const Status written = Write(given.output + "/" + name, program->words, program->inputs);
    if (!written) return written.error();
  }
  const Status written = WriteFile(given.output + "/programs.json", all.dump(1) + "\n");
  if (!written) return written.error();
  console.Say(format("{} in {}", Counted(given.count, "program"), given.output));
  if (console.json) console.Print(all.dump(2) + "\n");
  return kDone;
}

Result<ExitCode> Reduce(const GenerateArguments& given, Console& console) {
  if (given.count != 1 || !given.seed) {
    return Error{"--reduce requires one program: pass its --seed (programs.json has the command)",
                 ErrorKind::kUsage};
  }
  Result<ProgramRecipe> recipe = generate::DrawRecipe(OptionsOf(given), *given.seed);
  if (!recipe) return recipe.error();
  Result<GeneratedProgram> made = generate::MakeProgram(*recipe);
  if (!made) return made.error();
  const auto program = TestProgramOf(std::move(*recipe), std::move(*made));
  if (!program) return program.error();
  const auto write = [&](const FailingProgram& test, const ReducedTestProgram& reduced,
                         Harness& harness) -> Status {
    const Original& smallest = reduced.program->original();
    Status written = Write(given.output, smallest.words, *smallest.context.inputs);
    if (!written) return written;
    console.Say(format("wrote {}", given.output));
    if (given.folder.empty()) return {};
    const Result<TestRecord> record = WriteFailingProgram(given.folder, test, &reduced, harness);
    if (!record) return record.error();
    console.Say(format("wrote {}", given.folder));
    return {};
  };
  return ReduceOnTarget(**program, given.reduction, write, console);
}

Result<ExitCode> Run(const GenerateArguments& given, Console& console) {
  if (!given.reduction.target.empty()) return Reduce(given, console);
  if (!given.folder.empty()) return Error{"--folder requires --reduce", ErrorKind::kUsage};
  const uint64_t seed = given.seed ? *given.seed : DrawSeed();
  if (!given.seed) console.Say(format("--seed {}", seed));
  if (given.count > 1) return WriteMany(given, seed, console);
  const Result<ProgramRecipe> recipe = generate::DrawRecipe(OptionsOf(given), seed);
  if (!recipe) return recipe.error();
  const Result<GeneratedProgram> program = Make(*recipe);
  if (!program) return program.error();
  const Status written = Write(given.output, program->words, program->inputs);
  if (!written) return written.error();
  console.Say(format("seed {}: {}, {} words, in {}", seed,
                     Counted(CountStatements(recipe->tree), "statement"), program->words.size(),
                     given.output));
  if (console.json) console.Print(JsonOf(*recipe, *program).dump(2) + "\n");
  return kDone;
}

}  // namespace

const Verb kGenerateVerb = {
    .name = "generate",
    .summary = "Make whole shader programs with known output, uniform and divergent by design",
    .example = "refract generate -o program.spv --seed 1",
    .exit_codes = {{kFinding,
                    "--reduce: the program fails on the target; the smallest one was "
                    "written"},
                   {kNotInteresting,
                    "--reduce: the program computes the expected output on the target"},
                   {kTargetMissing,
                    "--reduce: the target is not on this machine, or stopped working"}},
    .main_options = {"--output", "--seed", "--count", "--stage", "--floats", "--types",
                     "--divergent", "--reduce"},
    .declare = DeclareVerb<GenerateArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
