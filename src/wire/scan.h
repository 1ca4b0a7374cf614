// SPDX-License-Identifier: Apache-2.0
// A look over encoded bytes before protobuf gets them: it would allocate without bound, and keep
// what a newer version wrote without a word.
#pragma once

#include <google/protobuf/descriptor.h>

#include <string>
#include <string_view>

#include "base/result.h"

namespace refract::wire {

/// Passes if `bytes` are a message of type `recording` within the limits of wire/recording_file.h,
/// all of whose fields are known. Places in errors are bytes counted from `offset`.
Status ScanRecording(std::string_view bytes, const google::protobuf::Descriptor* recording,
                     const std::string& file, size_t offset);

}  // namespace refract::wire
