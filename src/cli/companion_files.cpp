// SPDX-License-Identifier: Apache-2.0
#include "cli/companion_files.h"

#include "glsl/companion_file.h"

namespace refract {
inline namespace cli {

void DeclareCompanion(Options& options, CompanionArguments* given) {
  options.Text("--vertex", "FILE", &given->vertex,
               "Vertex shader to draw a fragment shader with (default: for MODULE NAME.frag or "
               "NAME.frag.*, the file NAME.vert, NAME.vert.spv or NAME.vert.spvasm if it exists; "
               "otherwise one triangle is drawn without a vertex shader)");
  options.Text("--fragment", "FILE", &given->fragment,
               "Fragment shader to draw a vertex shader with (default: NAME.frag, found in the "
               "same way; otherwise a shader that draws the outputs of the vertex shader)");
}

std::string CompanionFileOf(const std::string& module, const CompanionArguments& given) {
  if (!given.vertex.empty()) return given.vertex;
  return !given.fragment.empty() ? given.fragment : FindCompanionFile(module);
}

Result<std::shared_ptr<const Companion>> LoadCompanion(const std::string& module,
                                                       const CompanionArguments& given,
                                                       Console& console) {
  if (!given.vertex.empty() && !given.fragment.empty()) {
    return Error{"--vertex and --fragment exclude each other: MODULE is one of the two shaders",
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

}  // namespace cli
}  // namespace refract
