// SPDX-License-Identifier: Apache-2.0
// Recordings and single transformations as text that can be read back (protobuf's text format), and
// as JSON for other programs.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "message/any.h"
#include "message/recording.h"

namespace refract {

/// The first line of the text form, by which ReadRecording knows it.
inline constexpr std::string_view kTextHeading = "# Refract recording";

/// Small messages, most steps among them, are one line each.
std::string ToText(const message::Recording& recording);
/// `split_block { before { local: 12 } }`, one line without a newline.
std::string ToText(const AnyMessage& transformation);

/// Bounded like ReadRecording and with the same promises; errors are FILE:LINE:COLUMN.
Result<message::Recording> RecordingFromText(std::string_view text, const std::string& file);
/// The opposite of ToText; `line` is where in `file` the text begins. Unknown fields are refused.
Result<AnyMessage> TransformationFromText(std::string_view text, const std::string& file,
                                          int line = 1);

/// {version, format, module, inputs, result, entry, ..., seed, steps[{number, type, needs,
/// message}]}, without a final newline. Keys are those of the proto; all of them are always there.
std::string ToJson(const message::Recording& recording);

}  // namespace refract
