// SPDX-License-Identifier: Apache-2.0
// Runs one job on a device. It makes the pipeline from the module and its inputs, runs one dispatch
// or draws one triangle that covers the whole frame, and reads everything back. Two triangles would
// leave incomplete quads along the diagonal, which some drivers handle wrongly.
#pragma once

#include "driver/device.h"
#include "driver/protocol.h"

namespace refract {
inline namespace driver {

/// Runs `job`. The driver may crash, but no job can crash the code of this function.
Answer RunJob(Device& device, const Job& job);

}  // namespace driver
}  // namespace refract
