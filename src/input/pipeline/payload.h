// SPDX-License-Identifier: Apache-2.0
// The payload that a task shader passes to the mesh shaders that it starts (SPV_EXT_mesh_shader,
// storage class TaskPayloadWorkgroupEXT).
#pragma once

#include <string>

#include "ir/call_graph.h"
#include "ir/module.h"

namespace refract {
inline namespace input {

/// The payload variable that the functions of the entry point use; kNone without one. An entry
/// point has at most one (Vulkan 1.3, "TaskEXT" in "Standalone SPIR-V Validation").
Id PayloadOf(const Module& module, const EntryPoint& entry);

/// The reason why the mesh shader cannot get its payload from the task shader: that passes none, or
/// one of another type. Empty if it can, or reads none.
std::string PayloadProblem(const Module& task, const EntryPoint& task_entry, const Module& mesh,
                           const EntryPoint& mesh_entry);

}  // namespace input
}  // namespace refract
