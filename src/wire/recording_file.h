// SPDX-License-Identifier: Apache-2.0
// Reads and writes recordings as files. Reading is bounded and total: any bytes give a recording
// that can be replayed on its module, or an error that names the file and the place.
// docs/recording-format.md describes the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "message/recording.h"

namespace refract {

/// The format that this version writes. It reads this format and older ones.
inline constexpr uint32_t kRecordingFormat = 1;
inline constexpr uint64_t kMaxRecordingBytes = uint64_t{256} << 20;
inline constexpr size_t kMaxSteps = 1'000'000;
/// The limit on messages and strings in one recording. An empty one takes two bytes in the file,
/// but a hundred in memory. Numbers in lists may be four times as many.
inline constexpr size_t kMaxMessages = 8'000'000;
inline constexpr int kMaxNesting = 100;

/// Reads the binary or the text form. Ensures that step numbers ascend and are at least 1, and that
/// each step has a transformation and depends only on earlier steps, listed in ascending order.
Result<message::Recording> ReadRecording(std::string_view bytes, const std::string& file);
/// Returns the binary form, with `format` set. The same recording gives the same bytes on every
/// machine.
std::string WriteRecording(const message::Recording& recording);
/// Adds the magic number and the checksum to an encoded recording. WriteRecording ends with this.
/// Fuzzing uses it to get past the checksum.
std::string SealRecording(std::string_view encoded);

}  // namespace refract
