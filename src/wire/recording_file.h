// SPDX-License-Identifier: Apache-2.0
// Recordings as files. Reading is bounded and total: any bytes give a recording that can be
// replayed against its module, or an error that names file and place; docs/recording-format.md has
// the form.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/recording.h"

namespace refract {

/// The format that this version writes; it reads this one and older ones.
inline constexpr uint32_t kRecordingFormat = 1;
inline constexpr uint64_t kMaxRecordingBytes = uint64_t{256} << 20;
inline constexpr size_t kMaxSteps = 1'000'000;
/// Messages and strings in one recording, of all kinds: an empty one takes two bytes in the file,
/// but a hundred in memory. Numbers in lists may be four times as many.
inline constexpr size_t kMaxMessages = 8'000'000;
inline constexpr int kMaxNesting = 100;

/// Reads either form, binary or text. Ensures that steps are numbered upwards from 1 or more, have
/// a transformation, and need only earlier numbers, in ascending order.
Result<message::Recording> ReadRecording(std::string_view bytes, const std::string& file);
/// The binary form; the same recording gives the same bytes on every machine. Sets `format`.
std::string WriteRecording(const message::Recording& recording);
/// The file around an encoded recording: magic and checksum. WriteRecording's last step, and the
/// way for fuzzing to reach what is behind the checksum.
std::string SealRecording(std::string_view encoded);

}  // namespace refract
