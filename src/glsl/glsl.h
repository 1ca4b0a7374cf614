// SPDX-License-Identifier: Apache-2.0
// Compiles GLSL to SPIR-V with glslang's front end for Vulkan, in this process. Its optimiser is
// off, because spirv-opt is a target to test.
//
// Vulkan GLSL has no plain uniforms ("uniform int n;"). In the order of their declarations, they
// become members of one std140 block without instance name. The block is called `uniform_block` and
// is in set 0, at the lowest binding that no other resource has. Its members keep the names of the
// uniforms (OpMemberName), by which the values of shader.json are assigned: see input/resolve.h.
// Other bindings and locations that the source does not give are assigned by
// glsl/assign_bindings.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/block_names.h"
#include "ir/tools.h"

namespace refract {
inline namespace glsl {

enum class GlslStage : uint8_t {
  kVertex,
  kControl,
  kEvaluation,
  kGeometry,
  kTask,
  kMesh,
  kFragment,
  kCompute,
  kRayGeneration,
  kIntersection,
  kAnyHit,
  kClosestHit,
  kMiss,
  kCallable
};

struct GlslOptions {
  /// A Vulkan environment. It determines the SPIR-V version (Vulkan 1.1: SPIR-V 1.3). Stages of
  /// rays, and sources that name GL_EXT_mesh_shader, need at least SPIR-V 1.4, and get it.
  TargetEnvironment environment = TargetEnvironment::kVulkan11;
  std::string uniform_block = kPlainUniformsBlock;  ///< name of the block of plain uniforms
  bool debug_info = false;                          ///< add OpLine and the source
  /// Continue after the first error, to report all errors of a source. glslang may crash when it
  /// continues, so a separate process does this.
  bool all_errors = false;
};

/// Compiles `source`. `name` names it in errors, which are diagnostics (base/diagnostic.h). The
/// same source gives the same words. Several threads may call this at the same time.
/// glsl/version_line.h decides which versions are supported. If a version was replaced, a warning
/// ("NAME:LINE: ...") is added to `warnings`, which may be null.
Result<std::vector<uint32_t>> CompileGlsl(const std::string& name, std::string_view source,
                                          GlslStage stage, const GlslOptions& options = {},
                                          std::vector<std::string>* warnings = nullptr);

}  // namespace glsl
}  // namespace refract
