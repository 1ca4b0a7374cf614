// SPDX-License-Identifier: Apache-2.0
#include "base/file.h"
#include "base/text.h"
#include "folder/file_names.h"
#include "folder/test_folder.h"
#include "folder/test_json.h"
#include "image/level_bounds.h"
#include "image/png.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace folder {
namespace {

// The bounds are only read if they are needed. A folder may have been sent without them.
Status ReadBounds(const std::string& folder, TestRecord* record) {
  const std::string file = format("{}/{}", folder, kBounds);
  if (record->rule.kind != CompareRule::kBounded || record->bounded_targets == 0 ||
      !FileExists(file)) {
    return {};
  }
  const Result<std::string> bytes = ReadFile(file);
  if (!bytes) return bytes.error();
  const Result<Image> image = DecodePng(*bytes, file);
  if (!image) return image.error();
  Result<std::vector<LevelBounds>> bounds = BoundsOfImage(*image, record->bounded_targets, file);
  if (!bounds) return bounds.error();
  record->rule.bounds = std::make_shared<const std::vector<LevelBounds>>(std::move(*bounds));
  return {};
}

}  // namespace

Result<TestRecord> ReadTestRecord(const std::string& folder) {
  const std::string file = format("{}/{}", folder, kTestJson);
  const Result<std::string> text = ReadFile(file, kMaxTestJson);
  if (!text) {
    return Error{format("{}; every test folder must have this file", text.error().message),
                 text.error().kind};
  }
  Result<TestRecord> record = ParseTestJson(file, *text);
  if (!record) return record;
  if (Status read = ReadBounds(folder, &*record); !read) return read.error();
  return record;
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
