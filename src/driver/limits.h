// SPDX-License-Identifier: Apache-2.0
// Checks a job against the limits and formats of a device.
#pragma once

#include <string>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/stage.h"

namespace refract {
inline namespace driver {

/// The first limit of `device` that the job exceeds, or format that it lacks, as a text; empty if
/// not found.
std::string MissingLimit(const Device& device, const EntryPointInfo& stage, const Job& job);

}  // namespace driver
}  // namespace refract
