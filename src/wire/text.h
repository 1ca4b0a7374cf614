// SPDX-License-Identifier: Apache-2.0
// Converts recordings and single transformations to text that can be read back (the text format of
// protobuf), and to JSON for other programs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "message/any.h"
#include "message/recording.h"

namespace refract {

/// The first line of the text form. ReadRecording recognises the form by it.
inline constexpr std::string_view kTextHeading = "# Refract recording";

/// Writes small messages, which most steps are, on one line each.
std::string ToText(const message::Recording& recording);
/// Returns `split_block { before { local: 12 } }`: one line, without a newline.
std::string ToText(const AnyMessage& transformation);

/// Has the limits of ReadRecording and ensures the same. Errors have the form FILE:LINE:COLUMN.
Result<message::Recording> RecordingFromText(std::string_view text, const std::string& file);
/// Reads the output of ToText. `line` is the line of `file` in which the text begins. Refuses
/// unknown fields.
Result<AnyMessage> TransformationFromText(std::string_view text, const std::string& file,
                                          int line = 1);

/// Returns {version, format, module, inputs, result, entry, ..., seed, steps[{number, type, needs,
/// message}]} without a final newline. The keys are those of the proto, and all of them are always
/// present.
std::string ToJson(const message::Recording& recording);

}  // namespace refract
