// SPDX-License-Identifier: Apache-2.0
// The other shader of a pipeline. A vertex and a fragment shader are linked for one draw; one of
// them is under test and changes, its companion stays. Both read the same inputs.
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

namespace refract::inline input {

struct Companion {
  std::string file;             ///< what errors call it
  std::vector<uint32_t> spirv;  ///< a valid module
  std::string entry;
  spv::ExecutionModel model = spv::ExecutionModel::Vertex;
  /// What of the pipeline's it has: (push constants or not, set, binding), and ids of
  /// specialisation constants. A step on the shader under test leaves these alone.
  std::vector<std::tuple<bool, uint32_t, uint32_t>> places;
  std::vector<uint32_t> spec_ids;

  bool HasPlace(bool push_constant, uint32_t set, uint32_t binding) const;
  bool HasSpecId(uint32_t id) const;
};

/// A companion of `spirv`, whose only entry point of the stage `model` (Vertex or Fragment) it is;
/// if there are several, the one called "main".
Result<std::shared_ptr<const Companion>> MakeCompanion(std::vector<uint32_t> spirv,
                                                       const std::string& file,
                                                       spv::ExecutionModel model);

/// A fragment shader that shows what the vertex shader `entry` gives: its outputs at the locations
/// 0 to 3 that are scalars or vectors of 32 bits, each drawn to its own location as it comes; white
/// where there is none of them. `file` is what errors call the vertex shader's module.
Result<std::shared_ptr<const Companion>> ShowingCompanion(const Module& module,
                                                          const EntryPoint& entry,
                                                          const std::string& file);

}  // namespace refract::inline input
