// SPDX-License-Identifier: Apache-2.0
// The workgroups of a compute, task or mesh shader, and the size of variables.
#pragma once

#include <cstdint>
#include <optional>
#include <spirv/unified1/spirv.hpp11>
#include <vector>

#include "input/bindings.h"
#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace driver {

struct Workgroups {
  spv::ExecutionModel model = spv::ExecutionModel::GLCompute;
  /// The size of a workgroup; nothing if it is not known here (OpSpecConstantOp).
  std::optional<uint32_t> local_size[3];
  bool local_size_id = false;  ///< LocalSizeId gives the size
  uint64_t shared_bytes = 0;   ///< bytes of all workgroup variables, without padding
  uint64_t payload_bytes = 0;  ///< of a task or mesh shader: bytes of the payload, without padding
  bool subgroups = false;      ///< the module has a capability of subgroup operations
};

/// The bytes of all variables of the entry point in the storage class, without padding.
/// `constants`: the values of specialisation constants.
uint64_t BytesOfVariables(const Module& module, const EntryPoint& entry,
                          const std::vector<BoundConstant>& constants, spv::StorageClass storage);

/// Reads the workgroups of an entry point, without `subgroups`. `constants`: the values of
/// specialisation constants.
Workgroups ReadWorkgroups(const Module& module, const EntryPoint& entry,
                          const std::vector<BoundConstant>& constants);

}  // namespace driver
}  // namespace refract
