// SPDX-License-Identifier: Apache-2.0
// Reads the recordings that a user names.
#pragma once

#include <string>

#include "base/result.h"
#include "message/recording.h"

namespace refract {
inline namespace cli {

/// Reads a .refract file, binary or text, or the recording in a file of the mutator
/// (mutate/mutated_file.h). "-" is standard input.
Result<message::Recording> LoadRecording(const std::string& file);

}  // namespace cli
}  // namespace refract
