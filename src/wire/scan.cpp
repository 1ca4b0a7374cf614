// SPDX-License-Identifier: Apache-2.0
#include "wire/scan.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/wire_format_lite.h>

#include "base/text.h"
#include "wire/check.h"
#include "wire/recording_file.h"

namespace refract::wire {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::io::CodedInputStream;
using Lite = google::protobuf::internal::WireFormatLite;

constexpr uint32_t kLongestTool = 256;  // no version of Refract has a longer name

class Scanner {
 public:
  Scanner(std::string_view bytes, const std::string& file, size_t offset)
      : in_(reinterpret_cast<const uint8_t*>(bytes.data()), static_cast<int>(bytes.size())),
        file_(file),
        offset_(offset) {
    in_.SetTotalBytesLimit(static_cast<int>(bytes.size()) + 1);
  }

  // Scans everything up to the current limit as fields of `type`.
  Status Message(const Descriptor* type, int depth) {
    if (depth > kMaxNesting) return Bad(format("nested more than {} deep", kMaxNesting));
    if (type->name() == "Step" && ++steps_ > kMaxSteps) {
      return Bad(format("more than {} steps", kMaxSteps));
    }
    while (in_.BytesUntilLimit() != 0) {
      place_ = in_.CurrentPosition();
      const uint32_t tag = in_.ReadTagNoLastTag();
      const int number = Lite::GetTagFieldNumber(tag);
      if (tag == 0 || number == 0) return Bad("damaged");
      const FieldDescriptor* field = type->FindFieldByNumber(number);
      if (field == nullptr) return Unknown(type, number);
      if (Status status = Field(field, Lite::GetTagWireType(tag), depth); !status) return status;
    }
    return {};
  }

  CodedInputStream& in() { return in_; }

 private:
  Status Field(const FieldDescriptor* field, Lite::WireType wire_type, int depth) {
    const auto declared =
        Lite::WireTypeForFieldType(static_cast<Lite::FieldType>(int{field->type()}));
    const bool packed = field->is_packable() && wire_type == Lite::WIRETYPE_LENGTH_DELIMITED;
    if (wire_type != declared && !packed) return Bad("damaged");
    if (wire_type == Lite::WIRETYPE_VARINT) {
      uint64_t value = 0;
      if (!in_.ReadVarint64(&value)) return Bad("damaged");
      if (field->is_repeated() && ++numbers_ > 4 * kMaxMessages) return TooMany();
      Note(field, value);
      return {};
    }
    if (wire_type != Lite::WIRETYPE_LENGTH_DELIMITED) return Bad("damaged");
    uint32_t size = 0;
    if (!in_.ReadVarint32(&size) || size > static_cast<uint32_t>(in_.BytesUntilLimit())) {
      return Bad("damaged");
    }
    if (packed) return Packed(static_cast<int>(size));
    if (++messages_ > kMaxMessages) return TooMany();
    if (field->message_type() == nullptr) {
      if (field->name() == "tool" && size <= kLongestTool) {
        return in_.ReadString(&tool_, static_cast<int>(size)) ? Status() : Bad("damaged");
      }
      return in_.Skip(static_cast<int>(size)) ? Status() : Bad("damaged");
    }
    const auto limit = in_.PushLimit(static_cast<int>(size));
    Status status = Message(field->message_type(), depth + 1);
    in_.PopLimit(limit);
    return status;
  }

  Status Packed(int size) {
    const auto limit = in_.PushLimit(size);
    while (in_.BytesUntilLimit() > 0) {
      uint64_t value = 0;
      if (!in_.ReadVarint64(&value)) return Bad("damaged");
      if (++numbers_ > 4 * kMaxMessages) return TooMany();
    }
    in_.PopLimit(limit);
    return {};
  }

  // Keeps what later errors mention: the number of the step and the format of the file.
  void Note(const FieldDescriptor* field, uint64_t value) {
    const std::string& owner = field->containing_type()->name();
    if (owner == "Step" && field->name() == "number") step_ = value;
    if (owner == "Recording" && field->name() == "format") format_ = value;
  }

  Status Bad(std::string_view what) const {
    return Error{format("{}: byte {}: {}{}", file_, offset_ + static_cast<size_t>(place_), what,
                        what == "damaged" ? " or truncated recording" : "")};
  }

  Status TooMany() const {
    return Bad(
        format("more than {} messages and strings, or too many numbers in lists", kMaxMessages));
  }

  Status Unknown(const Descriptor* type, int number) const {
    const std::string what =
        type->name() == "Transformation" ? format("unknown transformation number {}", number)
        : type->name() == "Recording"    ? format("unknown field {}", number)
                                         : format("unknown field {} of {}", number, type->name());
    const std::string where = steps_ > 0 ? format(" in step {}", step_) : "";
    return Bad(format("made by {}: {}{}", NewerRefract(tool_, format_), what, where));
  }

  CodedInputStream in_;
  const std::string& file_;
  size_t offset_;
  int place_ = 0;        // of the field that is being read
  size_t messages_ = 0;  // messages and strings
  size_t numbers_ = 0;   // numbers in lists
  size_t steps_ = 0;
  uint64_t step_ = 0;
  uint64_t format_ = 0;
  std::string tool_;
};

}  // namespace

Status ScanRecording(std::string_view bytes, const Descriptor* recording, const std::string& file,
                     size_t offset) {
  Scanner scanner(bytes, file, offset);
  const auto limit = scanner.in().PushLimit(static_cast<int>(bytes.size()));
  Status status = scanner.Message(recording, 1);
  scanner.in().PopLimit(limit);
  return status;
}

}  // namespace refract::wire
