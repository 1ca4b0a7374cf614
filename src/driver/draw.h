// SPDX-License-Identifier: Apache-2.0
// One job on a device: pipeline from the module and its inputs, one dispatch or one oversized
// triangle over the whole frame (two would leave partly empty groups of pixels along the diagonal,
// which some drivers mishandle), and everything read back.
#pragma once

#include "driver/device.h"
#include "driver/protocol.h"

namespace refract::inline driver {

/// Runs `job`; never crashes on account of the job itself, but the driver may.
Answer RunJob(Device& device, const Job& job);

}  // namespace refract::inline driver
