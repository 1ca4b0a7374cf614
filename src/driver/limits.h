// SPDX-License-Identifier: Apache-2.0
// Whether a job keeps within the limits and formats of a device.
#pragma once

#include <string>

#include "driver/device.h"
#include "driver/run.h"
#include "driver/stage.h"

namespace refract::inline driver {

/// The first thing that is too much for `device`, in words; empty if nothing is.
std::string MissingLimit(const Device& device, const Stage& stage, const Job& job);

}  // namespace refract::inline driver
