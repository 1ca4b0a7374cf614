// SPDX-License-Identifier: Apache-2.0
#include "cli/original_options.h"

#include <utility>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"
#include "mutate/mutated_file.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace cli {
namespace {

constexpr std::pair<const char*, const char*> kLayoutFlags[] = {
    {"--relax-block-layout", "Allow VK_KHR_relaxed_block_layout"},
    {"--uniform-buffer-standard-layout", "Allow VK_KHR_uniform_buffer_standard_layout"},
    {"--scalar-block-layout", "Allow VK_EXT_scalar_block_layout"},
    {"--workgroup-scalar-block-layout", "Allow scalar layout in workgroup memory"},
    {"--skip-block-layout", "Do not check the layout of blocks"},
    {"--relax-struct-store", "Allow stores between struct types that differ only in layout"},
    {"--relax-logical-pointer",
     "Allow variables of pointer type and functions that return pointers, in logical addressing"},
    {"--before-hlsl-legalization",
     "Allow code that the HLSL legalization of spirv-opt repairs later"},
    {"--allow-localsizeid", "Allow the execution mode LocalSizeId"},
};

}  // namespace

void DeclareLayout(Options& options, ValidatorArguments* given) {
  options.Group("Layout options of spirv-val");
  for (size_t i = 0; i < std::size(kLayoutFlags); ++i) {
    options.Flag(kLayoutFlags[i].first, &given->flags[i], kLayoutFlags[i].second);
  }
  options.Group(nullptr);
}

void DeclareValidator(Options& options, ValidatorArguments* given) {
  DeclareLayout(options, given);
  DeclareValidatorLimit(options, &given->limit);
}

void DeclareValidatorLimit(Options& options, uint64_t* limit) {
  options.Number(
      "--validator-limit", limit,
      "Time limit of spirv-val for one module, in seconds (default 60; its memory limit is 2 GiB)",
      1, 86400);
}

ValidationOptions ValidationOf(const ValidatorArguments& given) {
  ValidationOptions options;
  options.seconds = static_cast<uint32_t>(given.limit);
  for (size_t i = 0; i < std::size(kLayoutFlags); ++i) {
    if (!given.flags[i]) continue;
    CHECK(SetValidationOption(std::string_view(kLayoutFlags[i].first).substr(2), &options));
  }
  return options;
}

void DeclareCompanion(Options& options, CompanionArguments* given) {
  options.Text(
      "--vertex", "FILE", &given->vertex,
      "If MODULE is a fragment shader: the vertex shader to draw with it (default: for MODULE "
      "NAME.frag or NAME.frag.*, the file NAME.vert, NAME.vert.spv or NAME.vert.spvasm if it "
      "exists; otherwise one triangle is drawn without a vertex shader)");
  options.Text(
      "--fragment", "FILE", &given->fragment,
      "If MODULE is a vertex shader: the fragment shader to draw with it (default: for MODULE "
      "NAME.vert or NAME.vert.*, the file NAME.frag, NAME.frag.spv or NAME.frag.spvasm if it "
      "exists; otherwise a shader that draws the outputs of the vertex shader)");
  options.Text(
      "--control", "FILE", &given->control,
      "If MODULE is a tessellation evaluation shader: the tessellation control shader to draw with "
      "it (default: for MODULE NAME.tese or NAME.tese.*, the file NAME.tesc, NAME.tesc.spv or "
      "NAME.tesc.spvasm if it exists; otherwise a shader that passes its inputs and sets the "
      "levels of $tessellation)");
  options.Text(
      "--evaluation", "FILE", &given->evaluation,
      "If MODULE is a tessellation control shader: the tessellation evaluation shader to draw with "
      "it (default: for MODULE NAME.tesc or NAME.tesc.*, the file NAME.tese, NAME.tese.spv or "
      "NAME.tese.spvasm if it exists; otherwise a shader that interpolates its inputs)");
  options.Text("--task", "FILE", &given->task,
               "If MODULE is a mesh shader: the task shader to draw with it (default: for MODULE "
               "NAME.mesh or NAME.mesh.*, the file NAME.task, NAME.task.spv or NAME.task.spvasm if "
               "it exists; otherwise the mesh shader is drawn without a task shader)");
  options.Text(
      "--mesh", "FILE", &given->mesh,
      "If MODULE is a task shader: the mesh shader to draw with it (default: for MODULE NAME.task "
      "or NAME.task.*, the file NAME.mesh, NAME.mesh.spv or NAME.mesh.spvasm if it exists; "
      "otherwise a shader that draws a cell of the frame for each workgroup)");
  options.Text(
      "--ray-generation", "FILE", &given->ray_generation,
      "If MODULE is another shader for rays: the ray generation shader that traces rays or calls "
      "it (default: for MODULE NAME.rchit, NAME.rmiss and the like, the file NAME.rgen, "
      "NAME.rgen.spv or NAME.rgen.spvasm if it exists; otherwise, for an any-hit, intersection or "
      "callable shader, one that stores payloads or data)");
  options.Text(
      "--closest-hit", "FILE", &given->closest_hit,
      "If MODULE is a ray generation shader: the closest hit shader of its rays (default: "
      "for MODULE NAME.rgen or NAME.rgen.*, the file NAME.rchit, NAME.rchit.spv or "
      "NAME.rchit.spvasm if it exists; otherwise a shader that stores the distance, or that "
      "does nothing if there is an any-hit, miss or callable shader)");
  options.Text("--any-hit", "FILE", &given->any_hit,
               "If MODULE is a ray generation shader: the any-hit shader of its rays (default: the "
               "file NAME.rahit or NAME.rahit.* if it exists and NAME.rchit does not)");
  options.Text("--intersection", "FILE", &given->intersection,
               "If MODULE is a ray generation shader: the intersection shader for boxes (default: "
               "the file NAME.rint or NAME.rint.* if it exists and none of the above does; "
               "otherwise rays meet boxes at their lowest side)");
  options.Text("--callable", "FILE", &given->callable,
               "If MODULE is a ray generation shader: the callable shader (default: the file "
               "NAME.rcall or NAME.rcall.* if it exists and none of the above does; otherwise a "
               "shader that does nothing)");
}

void DeclareOriginal(Options& options, OriginalArguments* given, bool choices) {
  options.Argument("MODULE", &given->module,
                   choices
                       ? "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, "
                         ".comp, .rgen, .rint, .rahit, .rchit, .rmiss or .rcall file; - reads a "
                         "binary or assembly from standard input"
                       : "A .spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, "
                         ".comp, .rgen, .rint, .rahit, .rchit, .rmiss or .rcall file, or a mutated "
                         "file; - reads a binary or assembly from standard input");
  options.Text("--inputs", "FILE", &given->inputs,
               "File with the inputs (default: the name of MODULE with the extension .json, if "
               "that file exists)");
  DeclareCompanion(options, &given->companion);
  if (!choices) return DeclareValidatorLimit(options, &given->validator.limit);
  options.Text("--entry", "NAME", &given->entry, "Entry point under test (default: the only one)");
  options.Text("--target-env", "ENV", &given->environment,
               "Environment that the module must be valid for, such as vulkan1.1 or spv1.3 "
               "(default: follows from the SPIR-V version of the module)");
  options.Choice("--shapes", &given->shapes, {"validated", "latest"},
                 "Control flow that steps may make. validated: only what spirv-val 2023.1 accepts. "
                 "latest: also valid control flow that spirv-val 2023.1 wrongly rejects");
  DeclareValidator(options, &given->validator);
}

std::vector<std::string> InputFilesOf(const OriginalArguments& arguments) {
  std::vector<std::string> files = {arguments.module};
  const std::string inputs = InputsFileOf(arguments.module, arguments.inputs);
  if (!inputs.empty()) files.push_back(inputs);
  const std::string companion = CompanionFileOf(arguments.module, arguments.companion);
  if (!companion.empty()) files.push_back(companion);
  return files;
}

Result<LoadedModule> LoadModuleFor(Console& console, const std::string& path) {
  Result<LoadedModule> loaded = LoadModuleFile(path);
  if (loaded) {
    for (const std::string& warning : loaded->warnings) console.Warn(warning);
  }
  return loaded;
}

namespace {

// Loads a module. A file of the mutator, whose name has no ending of a module, stands for its
// original.
Result<LoadedModule> LoadOriginalModule(Console& console, const std::string& path) {
  if (path == "-" || IsModuleFile(path)) return LoadModuleFor(console, path);
  const Result<std::string> bytes = ReadFile(path, kMaxRecordingBytes);
  const std::optional<MutatedFile> mutated = bytes ? SplitMutated(*bytes) : std::nullopt;
  if (!mutated) return LoadModuleFor(console, path);
  Result<std::vector<uint32_t>> words = WordsFromBytes(path, mutated->original);
  if (!words) return words.error();
  LoadedModule loaded;
  loaded.words = std::move(*words);
  return loaded;
}

}  // namespace

Result<Original> LoadOriginal(const OriginalArguments& arguments, const OriginalOptions* fixed,
                              Console& console) {
  Result<LoadedModule> loaded = LoadOriginalModule(console, arguments.module);
  if (!loaded) return loaded.error();
  Result<LoadedInputs> inputs =
      LoadInputsOf(arguments.module, arguments.inputs, arguments.companion);
  if (!inputs) return inputs.error();
  for (const std::string& warning : inputs->warnings) console.Warn(warning);
  OriginalOptions options;
  if (fixed != nullptr) {
    options = *fixed;
  } else {
    options.entry = arguments.entry;
    options.latest_shapes = arguments.shapes == "latest";
    if (!arguments.environment.empty()) {
      const Result<TargetEnvironment> environment = ParseTargetEnvironment(arguments.environment);
      if (!environment) return Error{environment.error().message, ErrorKind::kUsage};
      options.environment = *environment;
    }
    options.validation = ValidationOf(arguments.validator);
  }
  options.cache_validation = true;
  // The recording does not have the time limit of spirv-val.
  options.validation.seconds = static_cast<uint32_t>(arguments.validator.limit);
  return MakeOriginal(std::move(loaded->words), arguments.module, std::move(inputs->inputs),
                      options);
}

}  // namespace cli
}  // namespace refract
