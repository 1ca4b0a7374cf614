// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/text.h"
#include "folder/file_names.h"
#include "folder/test_folder.h"
#include "folder/test_json.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace folder {

Result<TestRecord> ReadTestRecord(const std::string& folder) {
  const std::string file = format("{}/{}", folder, kTestJson);
  const Result<std::string> text = ReadFile(file, kMaxTestJson);
  if (!text) {
    return Error{format("{}; every test folder must have this file", text.error().message),
                 text.error().kind};
  }
  return ParseTestJson(file, *text);
}

Result<message::Recording> ReadTestRecording(const std::string& folder) {
  std::string file = format("{}/reduced.refract", folder);
  if (!FileExists(file)) file = format("{}/variant.refract", folder);
  const Result<std::string> bytes = ReadFile(file, kMaxRecordingBytes);
  if (!bytes) return bytes.error();
  return ReadRecording(*bytes, file);
}

}  // namespace folder
}  // namespace refract
