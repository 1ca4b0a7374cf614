// SPDX-License-Identifier: Apache-2.0
// Loads a module from a file that a user names: a binary, assembly or GLSL.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "glsl/glsl.h"

namespace refract {
inline namespace glsl {

enum class ModuleKind : uint8_t { kBinary, kAssembly, kGlsl };

struct LoadedModule {
  std::vector<uint32_t> words;
  ModuleKind kind = ModuleKind::kBinary;
  std::vector<std::string> warnings;  ///< "FILE:LINE: ...", to show to the user
};

/// The endings of modules, as messages name them.
constexpr std::string_view kModuleEndings =
    ".spv, .spvasm, .frag, .vert, .tesc, .tese, .geom, .task, .mesh, .comp, .rgen, .rint, "
    ".rahit, .rchit, .rmiss or .rcall";
/// Whether the path has one of kModuleEndings.
bool IsModuleFile(const std::string& path);

/// Reads a file, and assembles or compiles it. Its ending determines the form. "-" is standard
/// input, which has a binary or assembly; its first bytes determine which. The SPIR-V version of
/// assembly is that of its comment "; Version: 1.3" or, without one, the newest (the default of
/// spirv-as). GLSL is compiled with `options`. For a binary, this function checks the header and
/// the lengths of instructions, so that truncated and byte-swapped files are reported as such.
/// ReadModule checks the rest.
Result<LoadedModule> LoadModuleFile(const std::string& path, const GlslOptions& options = {});

/// The same for text or bytes in memory. The ending of `name` determines the form; `name` also
/// names the module in errors.
Result<LoadedModule> LoadModuleBytes(const std::string& name, std::string_view bytes,
                                     const GlslOptions& options = {});

/// The words of a .spv file. Checks the header and the lengths of instructions.
Result<std::vector<uint32_t>> WordsFromBytes(const std::string& name, std::string_view bytes);

}  // namespace glsl
}  // namespace refract
