// SPDX-License-Identifier: Apache-2.0
// Checks whether a device can run a job. A driver may do anything with a module that it does not
// support, and that must not be reported as its bug.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/stage.h"

namespace refract {
inline namespace driver {

/// The parts of a module that the harness reads itself.
struct ModuleHeader {
  uint32_t version = 0;                ///< as in the header
  std::vector<uint32_t> capabilities;  ///< in the module's order
  struct Entry {
    uint32_t model = 0;  ///< an execution model
    std::string name;
  };
  std::vector<Entry> entries;  ///< the entry points, in the module's order
};

/// False if `words` is not a sequence of instructions after a SPIR-V header.
bool ReadModuleHeader(const std::vector<uint32_t>& words, ModuleHeader* header);

/// What `device` lacks for modules of these capabilities and this version, as a text; empty if
/// nothing.
std::string MissingRequirement(const Device& device, const ModuleHeader& module);
/// What it lacks in addition for this job: limits, formats, subgroup operations in the stage.
std::string MissingRequirement(const Device& device, const ModuleHeader& module,
                               const EntryPointInfo& stage, const Job& job);

/// Whether to require full subgroups for a stage. `groups`: its workgroups; null if it has none.
/// True if the module has subgroup operations and the workgroup size in x is a multiple of the
/// subgroup size, on a device that supports it. For other workgroups with subgroup operations,
/// MissingRequirement() returns a reason unless job.partial_subgroups is set.
bool RequiresFullSubgroups(const Device& device, uint32_t spirv_version, const Workgroups* groups);

}  // namespace driver
}  // namespace refract
