// SPDX-License-Identifier: Apache-2.0
// The pipeline in which a shader is tested.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "input/companion.h"
#include "input/inputs.h"

namespace refract {
inline namespace input {

using Companions = std::vector<std::shared_ptr<const Companion>>;

/// All other shaders of the pipeline in which `entry` is tested, without order: the companion of
/// `inputs`, the other tessellation, task or mesh shader of `module`, and shaders that are made
/// here. None for a compute shader, and for a fragment shader without a companion. Errors name
/// `file`.
Result<Companions> OtherShaders(const Module& module, const EntryPoint& entry, const Inputs& inputs,
                                const std::string& file);

}  // namespace input
}  // namespace refract
