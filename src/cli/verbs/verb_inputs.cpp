// SPDX-License-Identifier: Apache-2.0
// refract inputs: writes shader.json for a module, with a value for everything that it uses.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/counted.h"
#include "base/file.h"
#include "cli/original_options.h"
#include "cli/paths.h"
#include "cli/verbs.h"
#include "glsl/companion_file.h"
#include "input/complete_inputs.h"
#include "input/pipeline/stages.h"
#include "input/resolve.h"
#include "interp/interpreter.h"
#include "ir/binary.h"

namespace refract {
inline namespace cli {
namespace {

struct InputsArguments {
  std::string module, inputs, output, entry;
  CompanionArguments companion;
  ValidatorArguments validator;
  std::optional<uint64_t> seed;
  bool complete = false;
  bool force = false;
};

void Declare(InputsArguments& given, Options& options) {
  options.Argument("MODULE", &given.module,
                   "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, "
                   ".rgen, .rint, .rahit, .rchit, .rmiss or .rcall file");
  options.Text("-o,--output", "FILE", &given.output,
               "The file to write (default: the name of MODULE with the extension .json, which "
               "the other verbs find; - writes to standard output)");
  options.Number("--random", &given.seed,
                 "Use random values from this seed (default: zeros). Floats are from -4 to 4, "
                 "integers from 0 to 15, and images have noise",
                 0);
  options.Flag("--complete", &given.complete,
               "If MODULE has inputs already, keep them and add the missing ones to the file");
  options.Text("--inputs", "FILE", &given.inputs,
               "Keep the inputs of this file and add the missing ones (default with --complete: "
               "the name of MODULE with the extension .json, if that file exists)");
  options.Flag("--force", &given.force, "Overwrite a file that exists");
  DeclareCompanion(options, &given.companion);
  options.Text("--entry", "NAME", &given.entry, "Entry point (default: the only one)");
  DeclareValidator(options, &given.validator);
}

// The file with the inputs to keep, and the file to write.
struct Files {
  std::string kept;  // empty: none
  std::string output;
};

Result<Files> ChooseFiles(const InputsArguments& given) {
  const std::string found = InputsFileOf(given.module, "");
  Files files;
  files.kept = !given.inputs.empty() ? given.inputs : given.complete ? found : "";
  files.output = given.output;
  if (files.output.empty() && given.module == "-") {
    return Error{"-: the module has no name from which to make the name of the file; pass -o",
                 ErrorKind::kUsage};
  }
  if (files.output.empty() && given.complete) files.output = files.kept;
  if (files.output.empty()) files.output = found;
  if (files.output.empty()) files.output = ReplaceExtension(given.module, ".json");
  const std::string companion = CompanionFileOf(given.module, given.companion);
  Status safe = CheckKeepsInputs({files.output}, {given.module, companion});
  if (!safe) return safe.error();
  if (files.output == "-" || given.force || !FileExists(files.output)) return files;
  if (given.complete && SameFile(files.output, files.kept)) return files;
  return Error{format("{}: this file exists; pass --complete to add missing inputs to it, --force "
                      "to overwrite it, or -o to name another file",
                      files.output),
               ErrorKind::kUsage};
}

// The inputs to keep. A new file gets the sections that are most often changed, with their default
// values.
Result<Inputs> StartingInputs(const Files& files, const EntryPoint& entry) {
  if (!files.kept.empty()) return LoadInputs(files.kept);
  Inputs inputs;
  inputs.has_grid =
      entry.model == spv::ExecutionModel::Vertex || entry.model == spv::ExecutionModel::Geometry;
  if (HasWorkgroups(entry.model) || IsRay(entry.model)) inputs.compute.emplace();
  return inputs;
}

// What is undefined with the inputs, if the interpreter finds it in about a second.
std::string FindUndefined(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                          const std::string& file) {
  constexpr uint64_t kMostSteps = uint64_t{1} << 27;
  const Result<ResolvedInputs> resolved = Resolve(module, entry, inputs, file);
  if (!resolved) return {};
  const Result<Program> program = Program::Decode(module, entry, resolved->bindings, file);
  if (!program) return {};
  RunOptions options;
  options.limits.steps = kMostSteps;
  const RunReport report = refract::Run(*program, options);
  return report.trap && report.trap->kind == Trap::Kind::kUndefinedBehaviour ? report.trap->message
                                                                             : std::string();
}

struct MadeInputs {
  CompletedInputs completed;
  std::string undefined;  // empty: nothing is known to be
};

Result<MadeInputs> MakeInputs(const InputsArguments& given, const Files& files, Console& console) {
  const Result<LoadedModule> loaded = LoadModuleFor(console, given.module);
  if (!loaded) return loaded.error();
  const Result<Module> module = ReadModule(loaded->words, given.module);
  if (!module) return module.error();
  const Status valid = ValidateWithin(loaded->words, UniversalEnvironment(module->version()),
                                      ValidationOf(given.validator));
  if (!valid) return Error{format("{}: {}", given.module, valid.error().message)};
  const Result<EntryPoint> entry = FindEntryPoint(*module, given.entry, given.module);
  if (!entry) return entry.error();
  Result<Inputs> inputs = StartingInputs(files, *entry);
  if (!inputs) return inputs.error();
  Result<LoadedCompanion> other = LoadCompanionOf(given.module, given.companion);
  if (!other) return other.error();
  for (const std::string& warning : other->warnings) console.Warn(warning);
  inputs->companion = std::move(other->companion);
  if (files.kept.empty() && inputs->companion == nullptr && IsOptionalRay(entry->model) &&
      !HasStage(*module, spv::ExecutionModel::RayGenerationKHR)) {
    // A ray generation shader that Refract makes then meets the whole scene.
    std::fill_n(inputs->compute->groups, 2, 16u);
  }
  const std::string& file = files.kept.empty() ? given.module : files.kept;
  Result<CompletedInputs> completed = CompleteInputs(*module, *entry, *inputs, file, given.seed);
  if (!completed) return completed.error();
  // Only now, because a given frame keeps its number of samples.
  if (files.kept.empty() && IsDrawn(entry->model)) completed->inputs.has_framebuffer = true;
  std::string undefined;
  if (!completed->added.empty()) {
    undefined = FindUndefined(*module, *entry, completed->inputs, given.module);
  }
  return MadeInputs{std::move(*completed), std::move(undefined)};
}

// Warns if the values are not good enough, and says how to get others.
void WarnOfUndefined(const InputsArguments& given, const std::string& undefined, Console& console) {
  if (undefined.empty()) return;
  console.Warn(format(
      "{}: with these inputs, the shader has undefined behaviour: {}; {}", given.module, undefined,
      given.seed ? "another seed may give better ones" : "--random SEED may give better ones"));
}

Result<ExitCode> Run(const InputsArguments& given, Console& console) {
  if (Status once = CheckOneStandardInput({given.module, given.inputs}); !once) return once.error();
  Status alone = CheckStandardOutput(given.output, console.json, "the JSON object");
  if (!alone) return alone.error();
  const Result<Files> files = ChooseFiles(given);
  if (!files) return files.error();
  const Result<MadeInputs> completed = MakeInputs(given, *files, console);
  if (!completed) return completed.error();
  const CompletedInputs* made = &completed->completed;
  const std::vector<std::string>& added = made->added;
  const std::optional<VerticesInput>& vertices = made->inputs.vertices;
  const auto sections = std::count_if(added.begin(), added.end(), [](const std::string& name) {
    return name == "$depth" || name == "$framebuffer";
  });
  const size_t kept = made->inputs.values.size() +
                      (vertices ? vertices->attributes.size() : size_t{0}) -
                      (added.size() - static_cast<size_t>(sections));
  const bool unchanged = added.empty() && !files->kept.empty() && files->output == files->kept;
  if (!unchanged) {
    Status written = WriteFile(files->output, WriteInputs(made->inputs));
    if (!written) return written.error();
  }
  WarnOfUndefined(given, completed->undefined, console);
  if (console.json) {
    const nlohmann::ordered_json json = {
        {"output", files->output}, {"added", added}, {"kept", kept}};
    console.Print(json.dump(2) + "\n");
    return kDone;
  }
  const std::string old = kept == 0 ? "" : format(", {} kept", kept);
  if (added.empty() && kept == 0) {
    console.Say(format("{}: the module reads no inputs", files->output));
    return kDone;
  }
  console.Say(unchanged
                  ? format("{}: no input is missing", files->output)
                  : format("{}: {} added{}", files->output, Counted(added.size(), "input"), old));
  return kDone;
}

}  // namespace

const Verb kInputsVerb = {
    .name = "inputs",
    .summary = "Write the inputs file of a module, with a value for everything that it uses",
    .example = "refract inputs references/column_sort.frag -o column_sort.json --random 1",
    .exit_codes = {{kTargetMissing,
                    "an input cannot be given a value (the message names it), so the module cannot "
                    "be run"}},
    .main_options = {"--output", "--random", "--complete", "--inputs", "--force", "--entry",
                     "--json"},
    .declare = DeclareVerb<InputsArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
