// SPDX-License-Identifier: Apache-2.0
// Checks that both forms of a recording share, after they are decoded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/recording.h"

namespace refract::wire {

/// Describes the version that made a recording of an unknown format: "a newer Refract (0.9.0,
/// format 7)". `tool` may be empty or contain any bytes.
std::string NewerRefract(std::string_view tool, uint64_t format);

/// Checks what ReadRecording ensures.
Status CheckRecording(const message::Recording& recording, const std::string& file);

}  // namespace refract::wire
