// SPDX-License-Identifier: Apache-2.0
// GLSL to SPIR-V, in process, by glslang's front end for Vulkan. Its optimiser stays off: what
// spirv-opt makes of a module is a question of its own.
//
// Plain uniforms ("uniform int n;") are not Vulkan GLSL. They are gathered, in the order they are
// declared, into one std140 block called `uniform_block` without instance name, in set 0 at the
// lowest binding no other resource of the module has. The block's members keep the uniforms' names
// (OpMemberName), and that is how shader.json's values find them: see input/resolve.h. Bindings and
// locations that the source leaves open are given by glsl/assign_places.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "ir/tools.h"

namespace refract::inline glsl {

enum class GlslStage : uint8_t { kVertex, kFragment, kCompute };

struct GlslOptions {
  /// Of Vulkan; it fixes the module's version (Vulkan 1.1: SPIR-V 1.3).
  TargetEnvironment environment = TargetEnvironment::kVulkan11;
  std::string uniform_block = "plain_uniforms";  ///< name of the type of the gathered block
  bool debug_info = false;                       ///< OpLine and the source
  /// Go on after the first error, for all the errors of a source. glslang may crash while it does,
  /// so a process of its own does that.
  bool all_errors = false;
};

/// Compiles `source`; `name` is what errors call it; they are diagnostics (base/diagnostic.h). The
/// same source gives the same words. May be called from several threads at once. Versions:
/// glsl/version_line.h; what had to be replaced is added to `warnings` ("NAME:LINE: ..."), which
/// may be null.
Result<std::vector<uint32_t>> CompileGlsl(const std::string& name, std::string_view source,
                                          GlslStage stage, const GlslOptions& options = {},
                                          std::vector<std::string>* warnings = nullptr);

/// The version of glslang in this executable.
std::string GlslangVersion();

}  // namespace refract::inline glsl
