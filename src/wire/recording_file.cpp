// SPDX-License-Identifier: Apache-2.0
// A recording file is one protobuf message. Its first two fields, a magic number and a checksum of
// the rest, are written here by hand, so that general protobuf tools can decode the whole file.
#include "wire/recording_file.h"

#include <google/protobuf/arena.h>

#include <algorithm>

#include "base/hash.h"
#include "base/text.h"
#include "wire/check.h"
#include "wire/convert.h"
#include "wire/scan.h"
#include "wire/text.h"

namespace refract {
namespace {

// Field 1, fixed 64 bits: the magic number. Field 2, also fixed 64 bits: Hash64 of all bytes after
// it.
constexpr std::string_view kMagic = "\x09REFRACT\n";
constexpr char kChecksumTag = 0x11;
constexpr size_t kHeaderBytes = kMagic.size() + 1 + 8;

std::string Header(std::string_view body) {
  std::string header(kMagic);
  header += kChecksumTag;
  const uint64_t checksum = Hash64(body);
  for (int i = 0; i < 8; ++i) header += static_cast<char>(checksum >> (8 * i));
  return header;
}

}  // namespace

namespace wire {

std::string NewerRefract(std::string_view tool, uint64_t number) {
  constexpr size_t kLongest = 40;
  std::string version;
  for (const char c : tool.substr(0, kLongest)) version += c > ' ' && c < 127 ? c : ' ';
  if (!version.empty()) version += ", ";
  return format("a newer Refract ({}format {})", version, number);
}

Status CheckRecording(const message::Recording& recording, const std::string& file) {
  if (recording.format == 0) return Error{format("{}: has no format number", file)};
  if (recording.format > kRecordingFormat) {
    return Error{format("{}: made by {}; this version reads formats up to {}", file,
                        NewerRefract(recording.tool, recording.format), kRecordingFormat)};
  }
  if (recording.steps.size() > kMaxSteps) {
    return Error{format("{}: more than {} steps", file, kMaxSteps)};
  }
  uint32_t last = 0;
  for (const message::Step& step : recording.steps) {
    if (step.number <= last || step.number >= refract::Name::kDeclaredStep) {
      return Error{
          format("{}: step {} follows step {}: step numbers must ascend", file, step.number, last)};
    }
    last = step.number;
    if (step.transformation.kind == 0) {
      return Error{format("{}: step {} has no transformation", file, step.number)};
    }
    uint32_t last_need = 0;
    for (const uint32_t need : step.needs) {
      if (need <= last_need || need >= step.number) {
        return Error{
            format("{}: step {} cannot depend on step {}: list earlier steps, in ascending order",
                   file, step.number, need)};
      }
      last_need = need;
    }
  }
  return {};
}

}  // namespace wire

Result<message::Recording> ReadRecording(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with(kTextHeading)) return RecordingFromText(bytes, file);
  if (bytes.empty()) return Error{format("{}: empty file, not a recording", file)};
  if (bytes.size() > kMaxRecordingBytes) {
    return Error{format("{}: larger than {} bytes", file, kMaxRecordingBytes)};
  }
  const size_t common = std::min(bytes.size(), kMagic.size());
  if (bytes.substr(0, common) != kMagic.substr(0, common)) {
    return Error{
        format("{}: byte 0: not a recording (a recording starts with REFRACT or, as text, "
               "with '{}')",
               file, kTextHeading)};
  }
  const std::string_view body = bytes.substr(std::min(bytes.size(), kHeaderBytes));
  if (bytes.size() < kHeaderBytes || bytes.substr(0, kHeaderBytes) != Header(body)) {
    return Error{
        format("{}: byte {}: truncated or damaged (the checksum differs)", file, kMagic.size())};
  }
  if (Status status = wire::ScanRecording(body, wire::Recording::descriptor(), file, kHeaderBytes);
      !status) {
    return status.error();
  }
  google::protobuf::Arena arena;
  auto* parsed = google::protobuf::Arena::CreateMessage<wire::Recording>(&arena);
  // The scan has checked everything that protobuf could refuse.
  CHECK(parsed->ParseFromArray(body.data(), static_cast<int>(body.size())));
  message::Recording recording = wire::FromWire(*parsed);
  if (Status status = wire::CheckRecording(recording, file); !status) return status.error();
  return recording;
}

std::string WriteRecording(const message::Recording& recording) {
  google::protobuf::Arena arena;  // frees tens of thousands of small messages at once
  auto* encoded = google::protobuf::Arena::CreateMessage<wire::Recording>(&arena);
  wire::ToWire(recording, encoded);
  encoded->set_format(kRecordingFormat);
  return SealRecording(encoded->SerializeAsString());
}

std::string SealRecording(std::string_view encoded) {
  return Header(encoded) + std::string(encoded);
}

}  // namespace refract
