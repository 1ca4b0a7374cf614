// SPDX-License-Identifier: Apache-2.0
// One shader of an AmberScript: its assembly, and how a pipeline attaches it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/bindings.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace folder {

/// A shader, ready to be written.
struct AmberShader {
  std::string name;  ///< in the script: "variant_shader"
  std::string file;  ///< the name of the module in errors
  Module module;
  EntryPoint entry;
  std::vector<BoundConstant> constants;
  std::string assembly;
  bool several_stages = false;  ///< the module also has entry points of other stages
};

/// Reads a module. An error names what AmberScript cannot express.
Result<AmberShader> MakeAmberShader(std::string name, const std::string& file,
                                    const std::vector<uint32_t>& words,
                                    const std::string& entry_name,
                                    std::vector<BoundConstant> constants);

/// The stage in AmberScript: "vertex", "fragment", "compute".
std::string_view AmberStage(spv::ExecutionModel model);

/// The declaration of a shader: "SHADER ... END".
std::string ShaderText(const AmberShader& shader);
/// The line "ATTACH ..." of a pipeline.
std::string AttachText(const AmberShader& shader);

}  // namespace folder
}  // namespace refract
