// SPDX-License-Identifier: Apache-2.0
#include "cli/companion_files.h"

#include "glsl/companion_file.h"

namespace refract::inline cli {

void DeclareCompanion(Options& options, CompanionArguments* given) {
  options.Text("--vertex", "FILE", &given->vertex,
               "The vertex shader that a fragment shader is drawn with (default: for NAME.frag, "
               "NAME.frag.spv and so on NAME.vert, NAME.vert.spv or NAME.vert.spvasm, if there is "
               "one; else one triangle is drawn, and nothing handed over)");
  options.Text("--fragment", "FILE", &given->fragment,
               "The fragment shader behind a vertex shader (default: likewise NAME.frag; else one "
               "that shows what it gives)");
}

std::string CompanionFileOf(const std::string& module, const CompanionArguments& given) {
  if (!given.vertex.empty()) return given.vertex;
  return !given.fragment.empty() ? given.fragment : CompanionBeside(module);
}

Result<std::shared_ptr<const Companion>> LoadCompanion(const std::string& module,
                                                       const CompanionArguments& given,
                                                       Console& console) {
  if (!given.vertex.empty() && !given.fragment.empty()) {
    return Error{"--vertex and --fragment: MODULE is one of the two; name the other",
                 ErrorKind::kUsage};
  }
  const std::string file = CompanionFileOf(module, given);
  if (file.empty()) return std::shared_ptr<const Companion>();
  const spv::ExecutionModel model = !given.vertex.empty()     ? spv::ExecutionModel::Vertex
                                    : !given.fragment.empty() ? spv::ExecutionModel::Fragment
                                                              : StageByName(file);
  Result<LoadedCompanion> loaded = LoadCompanionFile(file, model);
  if (!loaded) return loaded.error();
  for (const std::string& warning : loaded->warnings) console.Warn(warning);
  return std::move(loaded->companion);
}

}  // namespace refract::inline cli
