// SPDX-License-Identifier: Apache-2.0
// What both forms of a recording have to fulfil once they are decoded.
#pragma once

#include <string>

#include "base/result.h"
#include "message/recording.h"

namespace refract::wire {

/// Passes if the promises of ReadRecording hold.
Status CheckRecording(const message::Recording& recording, const std::string& file);

}  // namespace refract::wire
