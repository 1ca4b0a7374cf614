// SPDX-License-Identifier: Apache-2.0
// What both forms of a recording have to fulfil once they are decoded.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/recording.h"

namespace refract::wire {

/// "a newer Refract (0.9.0, format 7)": who made a recording that this version does not know;
/// `tool` may be empty or any bytes.
std::string NewerRefract(std::string_view tool, uint64_t format);

/// Passes if the promises of ReadRecording hold.
Status CheckRecording(const message::Recording& recording, const std::string& file);

}  // namespace refract::wire
