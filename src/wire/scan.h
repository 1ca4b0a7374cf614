// SPDX-License-Identifier: Apache-2.0
// Checks encoded bytes before protobuf parses them. Protobuf would allocate memory without a bound,
// and would silently keep fields of a newer version.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::wire {

/// Succeeds if `bytes` are a message of the type `recording` within the limits of
/// wire/recording_file.h, and all its fields are known. Errors name byte positions that start at
/// `offset`.
Status ScanRecording(std::string_view bytes, const google::protobuf::Descriptor* recording,
                     const std::string& file, size_t offset);

}  // namespace refract::wire
