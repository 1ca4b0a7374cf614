// SPDX-License-Identifier: Apache-2.0
#include "cli/companion_files.h"

#include "base/file.h"
#include "base/text.h"
#include "cli/original_options.h"

namespace refract {
namespace {

constexpr std::string_view kForms[] = {"", ".spv", ".spvasm"};

// "a/b.vert" of "a/b.vert.spvasm".
std::string WithoutForm(const std::string& file) {
  const std::string_view form = Extension(file);
  return form == ".spv" || form == ".spvasm" ? ReplaceExtension(file, "") : file;
}

// ".vert" of it.
std::string StageOf(const std::string& file) {
  return std::string(Extension(WithoutForm(file)));
}

}  // namespace

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
  if (!given.fragment.empty()) return given.fragment;
  const std::string staged = WithoutForm(module), stage = StageOf(module);
  if (stage != ".vert" && stage != ".frag") return {};
  const std::string other = ReplaceExtension(staged, stage == ".vert" ? ".frag" : ".vert");
  const std::string same = other + module.substr(staged.size());
  if (FileExists(same)) return same;
  for (const std::string_view any : kForms) {
    if (std::string file = other + std::string(any); FileExists(file)) return file;
  }
  return {};
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
  Result<LoadedModule> loaded = LoadModuleFor(console, file);
  if (!loaded) return loaded.error();
  const bool is_vertex =
      given.fragment.empty() && (!given.vertex.empty() || StageOf(file) == ".vert");
  return MakeCompanion(std::move(loaded->words), file,
                       is_vertex ? spv::ExecutionModel::Vertex : spv::ExecutionModel::Fragment);
}

}  // namespace refract
