// SPDX-License-Identifier: Apache-2.0
// refract flesh SKELETON|--blocks N -o DIR: makes control-flow programs, which record their paths,
// and their inputs with the expected outputs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.h"
#include "base/file.h"
#include "cfg/generate.h"
#include "cfg/parse.h"
#include "cli/graph_folder.h"
#include "cli/program_reduce.h"
#include "cli/skeletons.h"
#include "cli/target_options.h"
#include "cli/verbs.h"
#include "flesh/program.h"
#include "ir/tools.h"

namespace refract {
inline namespace cli {
namespace {

using Json = nlohmann::ordered_json;

struct FleshArguments {
  std::string skeleton;
  GrammarArguments grammar;
  std::string mode = "basic", stage = "compute", output;
  uint64_t paths = 3, visits = 900, count = 1, workgroup = 64, groups = 1, operations = 3;
  std::optional<uint64_t> seed;
  ProgramReduction reduction;
  bool barriers = false, subgroups = false, fuel = false, functions = false;
};

void Declare(FleshArguments& given, Options& options) {
  options.OptionalArgument(
      "SKELETON", &given.skeleton,
      "Source of the control-flow graphs: a module, graphs.json of `refract cfg generate`, or a "
      "line of graph text (default: random graphs with --blocks)");
  DeclareGrammar(options, &given.grammar, cfg::kMostGenerated);
  options.Choice(
      "--mode", &given.mode, {"basic", "phi", "independent"},
      "basic: each block passes values to the next block in memory. phi: it passes them in phis. "
      "independent: every invocation takes its own path through the graph (default basic)");
  options.Choice("--stage", &given.stage, {"compute", "fragment"},
                 "compute: the program writes the blocks that it visits to a buffer. fragment: the "
                 "program draws whether it visited the correct blocks (default compute)");
  options.Number("--paths", &given.paths,
                 "Maximum number of different paths through the graph (default 3)", 1, 4096);
  options.Number("--visits", &given.visits,
                 "Approximate number of blocks that a path visits before it takes the shortest way "
                 "to an end (default 900)",
                 1, 16000);
  options.Number("--payload", &given.operations,
                 "Maximum number of operations of a block, in addition to those that record the "
                 "path (default 3)",
                 0, 32);
  options.Number("--workgroup", &given.workgroup,
                 "Number of invocations of a workgroup (default 64); if it is not a multiple of "
                 "the subgroup size, one subgroup is partly filled",
                 1, 128);
  options.Number("--groups", &given.groups, "Number of workgroups (default 1)", 1, 64);
  options.Flag("--barriers", &given.barriers,
               "Add barriers with an exchange of values to blocks that all invocations of a "
               "workgroup execute together");
  options.Flag("--subgroups", &given.subgroups,
               "Add subgroup operations to blocks that all invocations of a workgroup execute "
               "together; requires workgroups of 64 or 128");
  options.Flag("--functions", &given.functions,
               "Move some constructs to separate functions (only if blocks pass values in memory)");
  options.Flag("--fuel", &given.fuel,
               "Limit loops to 65,536 iterations, so that a program that would hang ends");
  options.Number("--count", &given.count,
                 "Number of programs for each graph of SKELETON, or in all (default 1)", 1,
                 10'000'000);
  options.Number("--seed", &given.seed,
                 "Seed; the same seed gives the same files (default: random)");
  DeclareTarget(
      options, "--reduce,--target,--targets", &given.reduction.target,
      "Reduce one program, given by its graph as text and --seed, as long as it fails in "
      "the same way on this target, and write a test folder (docs/test-folder.md) instead");
  DeclareTargetFiles(options, &given.reduction.target_files,
                     "Descriptions of your own drivers and tools (docs/targets.md)");
  options.Number("--timeout,--time-limit", &given.reduction.time_limit,
                 "Time limit in seconds for each run that --reduce makes of the program; a longer "
                 "run counts as a hang (default 10)",
                 1, 86400);
  options.RequiredText("-o,--output", "DIR", &given.output,
                       "Output folder: program_000001.spv, and program_000001.json with its inputs "
                       "and expected output, and so on; programs.json describes all programs");
}

flesh::FleshOptions OptionsOf(const FleshArguments& given) {
  flesh::FleshOptions options;
  while (ModeName(options.mode) != given.mode) {
    options.mode = static_cast<flesh::Mode>(static_cast<uint8_t>(options.mode) + 1);
  }
  if (given.stage == StageName(flesh::Stage::kFragment)) options.stage = flesh::Stage::kFragment;
  options.paths = static_cast<uint32_t>(given.paths);
  options.most_visits = static_cast<uint32_t>(given.visits);
  options.workgroup = static_cast<uint32_t>(given.workgroup);
  options.groups = static_cast<uint32_t>(given.groups);
  options.payload.operations = static_cast<uint32_t>(given.operations);
  options.payload.barriers = given.barriers;
  options.payload.subgroups = given.subgroups;
  options.fuel = given.fuel;
  options.functions = given.functions;
  return options;
}

// Writes the programs, and programs.json, which describes them.
class ProgramFolder {
 public:
  ProgramFolder(const FleshArguments& given, uint64_t seed)
      : folder_(given.output), mode_(given.mode), stage_(given.stage), seed_(seed) {}

  /// The seed of the next program. The first program has the given seed, so that each program can
  /// be made alone.
  uint64_t NextSeed() const {
    return programs_.empty() ? seed_ : Mix(Mix(seed_, 1), programs_.size()) >> 32;
  }
  Status Add(const cfg::Graph& graph, const std::string& from, uint64_t seed,
             const flesh::Program& program) {
    if (Status made = MakeFolder(folder_); !made) return made;
    const std::string name = format("program_{:06}", programs_.size() + 1);
    const std::string_view bytes(reinterpret_cast<const char*>(program.words.data()),
                                 4 * program.words.size());
    Status written = WriteFile(folder_ + "/" + name + ".spv", bytes);
    if (written) {
      written = WriteFile(folder_ + "/" + name + ".json", WriteInputs(program.inputs));
    }
    Json json = {{"file", name + ".spv"}};
    if (!from.empty()) json["from"] = from;
    json["seed"] = seed;
    json.update(GraphJson(graph, nullptr));
    for (const flesh::Path& path : program.plan.paths) json["ways"].push_back(path.blocks);
    programs_.push_back(std::move(json));
    return written;
  }
  bool empty() const { return programs_.empty(); }
  Status Finish(Console& console) {
    const Json all = {
        {"seed", seed_}, {"mode", mode_}, {"stage", stage_}, {"programs", std::move(programs_)}};
    const size_t count = all["programs"].size();
    const Status written = WriteFile(folder_ + "/programs.json", all.dump(1) + "\n");
    if (written) console.Say(format("{} in {}", Counted(count, "program"), folder_));
    if (console.json) console.Print(all.dump(2) + "\n");
    return written;
  }

 private:
  const std::string folder_, mode_, stage_;
  const uint64_t seed_;
  Json programs_ = Json::array();
};

Result<flesh::Program> MakeProgram(const cfg::Graph& graph, const flesh::FleshOptions& options,
                                   Random* random) {
  Result<flesh::Program> program = flesh::Flesh(graph, options, random);
  if (!program) return program;
  const Status valid = Validate(program->words, TargetEnvironment::kUniversal13);
  if (!valid) return Error{format("spirv-val refuses the program: {}", valid.error().message)};
  return program;
}

// Draws graphs until one has an end and spirv-val accepts its program too (docs/graphs.md).
Status FleshDrawn(const FleshArguments& given, ProgramFolder* folder) {
  constexpr int kTries = 1000;
  Result<cfg::GenerateOptions> wanted = GenerateOptionsOf(given.grammar);
  if (!wanted) return wanted.error();
  Result<cfg::Generator> generator = cfg::Generator::Make(*wanted);
  if (!generator) return generator.error();
  const flesh::FleshOptions options = OptionsOf(given);
  for (uint64_t i = 0; i < given.count; ++i) {
    const uint64_t seed = folder->NextSeed();
    Random shapes(Mix(seed, 1));
    cfg::Tree tree;
    cfg::Graph graph;
    Result<flesh::Program> program = Error{"no graph was found"};
    for (int tries = 0; tries < kTries && !program; ++tries) {
      if (!generator->Draw(&shapes, &tree, &graph)) break;
      graph = cfg::InModuleOrder(graph);  // the order of a graph that is read from its text
      Random random(seed);
      program = MakeProgram(graph, options, &random);
      if (!program && program.error().kind == ErrorKind::kUsage) return program.error();
    }
    if (!program) {
      return Error{format("no program could be made from a graph of {} blocks: {}",
                          given.grammar.blocks, program.error().message),
                   ErrorKind::kUnavailable};
    }
    if (Status added = folder->Add(graph, "", seed, *program); !added) return added;
  }
  return {};
}

// Makes programs from the given graphs. Reports graphs of which no program can be made, and skips
// them. Fails if there is no other graph.
Status FleshGiven(const FleshArguments& given, ProgramFolder* folder, Console& console) {
  const Result<std::vector<Skeleton>> skeletons = LoadSkeletons(given.skeleton, console);
  if (!skeletons) return skeletons.error();
  Error last;
  for (const Skeleton& skeleton : *skeletons) {
    for (uint64_t i = 0; i < given.count; ++i) {
      const uint64_t seed = folder->NextSeed();
      Random random(seed);
      const Result<flesh::Program> program = MakeProgram(skeleton.graph, OptionsOf(given), &random);
      if (!program) {
        if (program.error().kind == ErrorKind::kUsage) return program.error();
        if (!last.message.empty()) console.Warn(last.message);
        last = {format("{}: {}", skeleton.from, program.error().message)};
        break;
      }
      const Status added = folder->Add(skeleton.graph, skeleton.from, seed, *program);
      if (!added) return added;
    }
  }
  if (folder->empty()) return last;
  if (!last.message.empty()) console.Warn(last.message);
  return {};
}

Result<ExitCode> Reduce(const FleshArguments& given, Console& console) {
  if (given.skeleton.find('>') == std::string::npos || given.count != 1 || !given.seed) {
    return Error{
        "--reduce requires one program: pass its graph as text and its --seed (programs.json has "
        "both)",
        ErrorKind::kUsage};
  }
  const Result<std::vector<Skeleton>> skeletons = LoadSkeletons(given.skeleton, console);
  if (!skeletons) return skeletons.error();
  const Result<cfg::ParsedGraph> parsed = cfg::ParseGraph(skeletons->front().graph);
  if (!parsed) return Error{format("graph: {}", parsed.error().message)};
  flesh::ProgramSpec spec;
  spec.tree = parsed->tree;
  spec.options = OptionsOf(given);
  spec.seed = *given.seed;
  Result<flesh::Program> made = flesh::MakeProgram(spec);
  if (!made) return made.error();
  const auto program = TestProgramOf(std::move(spec), std::move(*made));
  if (!program) return program.error();
  const auto write = [&](const FailingProgram& test, const ReducedTestProgram& reduced,
                         Harness& harness) {
    const Result<TestRecord> written = WriteFailingProgram(given.output, test, &reduced, harness);
    if (written) console.Say(format("wrote {}", given.output));
    return written ? Status() : Status(written.error());
  };
  return ReduceOnTarget(**program, given.reduction, write, console);
}

Result<ExitCode> Run(const FleshArguments& given, Console& console) {
  if (given.skeleton.empty() == (given.grammar.blocks == 0)) {
    return Error{"pass either SKELETON or --blocks", ErrorKind::kUsage};
  }
  const bool compute = given.stage == StageName(flesh::Stage::kCompute);
  if ((given.barriers || given.subgroups) && !compute) {
    return Error{"--barriers and --subgroups require --stage compute", ErrorKind::kUsage};
  }
  if (given.subgroups && given.workgroup % flesh::kWholeSubgroups != 0) {
    return Error{format("--subgroups: a workgroup of {} may leave a subgroup partly filled; pass "
                        "--workgroup 64 or 128",
                        given.workgroup),
                 ErrorKind::kUsage};
  }
  if (!given.reduction.target.empty()) return Reduce(given, console);
  const uint64_t seed = given.seed ? *given.seed : DrawSeed();
  if (!given.seed) console.Say(format("--seed {}", seed));
  ProgramFolder folder(given, seed);
  const Status done =
      given.skeleton.empty() ? FleshDrawn(given, &folder) : FleshGiven(given, &folder, console);
  if (!done) return done.error();
  if (Status written = folder.Finish(console); !written) return written.error();
  return kDone;
}

}  // namespace

const Verb kFleshVerb = {
    .name = "flesh",
    .summary = "Build self-checking programs from control-flow graphs",
    .example = "refract flesh --blocks 12 --count 100 --seed 1 -o programs",
    .exit_codes = {{kFinding,
                    "--reduce: the program fails on the target, and a test folder was written"},
                   {kNotInteresting,
                    "--reduce: the program computes the expected output on the target"},
                   {kTargetMissing,
                    "no program could be made from a graph with this number of blocks; or the "
                    "target of --reduce is not on this machine, or stopped working after a hang"}},
    .main_options = {"--blocks", "--output", "--count", "--seed", "--mode", "--fuel", "--reduce"},
    .declare = DeclareVerb<FleshArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
