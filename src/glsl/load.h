// SPDX-License-Identifier: Apache-2.0
// A module from whatever a user calls a module: .spv, .spvasm, .frag, .vert or .comp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "glsl/glsl.h"

namespace refract::inline glsl {

enum class ModuleKind : uint8_t { kBinary, kAssembly, kGlsl };

struct LoadedModule {
  std::vector<uint32_t> words;
  ModuleKind kind = ModuleKind::kBinary;
  std::vector<std::string> warnings;  ///< "FILE:LINE: ...", for the user to see
};

/// Whether the ending is one of those above.
bool IsModuleFile(const std::string& path);

/// Reads, and assembles or compiles, the file. The ending says what it is. "-" is standard input,
/// which holds a binary or assembly: its first bytes tell. Assembly is of the version in its
/// "; Version: 1.3" comment or, without one, of the newest (what spirv-as takes it for). GLSL is
/// compiled with `options`. Of a binary the header and the chain of instructions are checked here,
/// so that a truncated or byte-swapped file is refused by that name; the rest is ReadModule's.
Result<LoadedModule> LoadModuleFile(const std::string& path, const GlslOptions& options = {});

/// The same for text or bytes in memory; `name` decides by its ending and is what errors call it.
Result<LoadedModule> LoadModuleBytes(const std::string& name, std::string_view bytes,
                                     const GlslOptions& options = {});

/// The words of a .spv file, header and chain of instructions checked.
Result<std::vector<uint32_t>> WordsFromBytes(const std::string& name, std::string_view bytes);

}  // namespace refract::inline glsl
