// SPDX-License-Identifier: Apache-2.0
// The companion: another shader of a pipeline. A vertex and a fragment shader are linked for one
// draw, or two shaders of a pipeline with tessellation, a geometry shader or a mesh shader. One is
// under test and is changed; its companion is not. Both read the same inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "base/result.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

struct Companion {
  std::string file;             ///< its name in error messages
  std::vector<uint32_t> spirv;  ///< a valid module
  std::string entry;
  spv::ExecutionModel model = spv::ExecutionModel::Vertex;
  /// The resources that it declares, as (push constants or not, set, binding), and the ids of its
  /// specialisation constants. No step on the shader under test may add any of these.
  std::vector<std::tuple<bool, uint32_t, uint32_t>> places;
  std::vector<uint32_t> spec_ids;

  bool HasPlace(bool push_constant, uint32_t set, uint32_t binding) const;
  bool HasSpecId(uint32_t id) const;
};

/// A companion from `spirv`: its only entry point of the stage `model`, or the
/// one named "main" if there are several. Errors name `file`.
Result<std::shared_ptr<const Companion>> MakeCompanion(std::vector<uint32_t> spirv,
                                                       const std::string& file,
                                                       spv::ExecutionModel model);

}  // namespace input
}  // namespace refract
