// SPDX-License-Identifier: Apache-2.0
// Whether a device can run a job at all. A driver that is handed what it never promised to take may
// do anything, and that would be reported as its bug.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/stage.h"

namespace refract::inline driver {

/// The little that a harness reads from a module itself.
struct ModuleHeader {
  uint32_t version = 0;                ///< the header's word
  std::vector<uint32_t> capabilities;  ///< in the module's order
  struct Entry {
    uint32_t model = 0;  ///< an execution model
    std::string name;
  };
  std::vector<Entry> entries;  ///< the entry points, in the module's order
};

/// False if `words` is not a row of instructions under a SPIR-V header.
bool ReadModuleHeader(const std::vector<uint32_t>& words, ModuleHeader* header);

/// What `device` lacks for any module of these capabilities and this version, in words; empty if
/// nothing.
std::string Missing(const Device& device, const ModuleHeader& module);
/// What it lacks beside that for this job: limits, formats, subgroups of the stage.
std::string Missing(const Device& device, const ModuleHeader& module, const Stage& stage,
                    const Job& job);

/// Whether subgroups without a gap are to be asked for: a compute shader with subgroup operations
/// whose rows of invocations are whole subgroups, on a device that can promise them. Other such
/// shaders are Missing something unless job.partial_subgroups.
bool AsksForFullSubgroups(const Device& device, const Job& job, const Stage& stage);

}  // namespace refract::inline driver
