// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_files.h"

#include "base/file.h"
#include "mutate/mutated_file.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace cli {

Result<message::Recording> LoadRecording(const std::string& file) {
  const Result<std::string> bytes = ReadFile(file, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  const std::optional<MutatedFile> mutated = SplitMutated(*bytes);
  return ReadRecording(mutated ? mutated->recording : *bytes, file);
}

}  // namespace cli
}  // namespace refract
