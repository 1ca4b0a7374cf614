// SPDX-License-Identifier: Apache-2.0
// What has to be known of an entry point before a pipeline can be made for it: its stage, what it
// draws to, how large its workgroups are.
#pragma once

#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <string>
#include <vector>

#include "base/result.h"
#include "driver/run.h"

namespace refract::inline driver {

/// Of a pipeline of two shaders: that under test with its companion.
struct Stage {
  spv::ExecutionModel model = spv::ExecutionModel::Fragment;  ///< of the shader under test
  bool linked = false;          ///< a vertex shader is not ours: a grid is drawn
  bool reads_position = false;  ///< that vertex shader has an input at location 0
  bool is_vertex() const { return model == spv::ExecutionModel::Vertex; }
  bool is_compute() const { return model == spv::ExecutionModel::GLCompute; }

  /// One location that a fragment shader has outputs at that it writes to.
  struct Output {
    uint32_t location = 0;
    spv::ImageFormat format = spv::ImageFormat::Rgba8;
    uint32_t components = 0;  ///< a bit for each that some output has
  };
  std::vector<Output> outputs;  ///< by location

  /// Of a workgroup; nothing if it cannot be told (OpSpecConstantOp).
  std::optional<uint32_t> local_size[3];
  bool local_size_id = false;  ///< it is said by LocalSizeId
  uint64_t shared_bytes = 0;   ///< of all workgroup variables, without padding
  bool subgroups = false;      ///< the module has a capability of subgroup operations
  bool image_atomics = false;  ///< it has OpImageTexelPointer
};

/// Reads the stage of job.entry, and of its companion. An error without file name for what is no
/// module, has no such entry point, one that no harness runs, or two shaders that cannot be linked
/// (kUnavailable).
Result<Stage> ReadStage(const Job& job);

}  // namespace refract::inline driver
