// SPDX-License-Identifier: Apache-2.0
#include "wire/text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/text_format.h>

#include <algorithm>

#include "base/text.h"
#include "wire/check.h"
#include "wire/convert.h"
#include "wire/recording_file.h"

namespace refract {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;

constexpr size_t kLineLength = 90;

std::string OneLine(const Message& message) {
  TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.SetUseShortRepeatedPrimitives(true);
  std::string text;
  CHECK(printer.PrintToString(message, &text));
  return std::string(Trim(text));
}

// Returns the message on one line if that is short enough, else an empty string.
std::string ShortText(const Message& message) {
  // Text is rarely shorter than the bytes, which are cheaper to count.
  if (message.ByteSizeLong() > kLineLength) return {};
  std::string text = OneLine(message);
  return text.size() <= kLineLength ? text : std::string();
}

// Prints short messages, such as steps and names, on one line.
class LinePrinter : public TextFormat::FastFieldValuePrinter {
 public:
  void PrintMessageStart(const Message& message, int, int, bool,
                         TextFormat::BaseTextGenerator* out) const override {
    out->PrintString(ShortText(message).empty() ? " {\n" : " { ");
  }
  bool PrintMessageContent(const Message& message, int, int, bool,
                           TextFormat::BaseTextGenerator* out) const override {
    const std::string text = ShortText(message);
    if (text.empty()) return false;
    out->PrintString(text + " ");
    return true;
  }
  void PrintMessageEnd(const Message&, int, int, bool,
                       TextFormat::BaseTextGenerator* out) const override {
    out->PrintString("}\n");
  }
};

// Keeps the first error in the form FILE:LINE:COLUMN.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  FirstError(const std::string& file, int line) : file_(file), line_(line) {}
  void AddError(int line, int column, const std::string& what) override {
    if (!text_.empty()) return;
    text_ = format("{}:{}:{}: {}", file_, line_ + std::max(line, 0), column + 1, what);
    // Remove the package from the names of messages. To users, a transformation is not a field.
    Replace("refract.wire.", "");
    Replace("Message type \"Transformation\" has no field named", "unknown transformation");
    Replace("Message type ", "");
  }
  void AddWarning(int, int, const std::string&) override {}
  const std::string& text() const { return text_; }

 private:
  void Replace(std::string_view what, std::string_view by) {
    for (size_t at; (at = text_.find(what)) != std::string::npos;) {
      text_.replace(at, what.size(), by);
    }
  }

  const std::string& file_;
  int line_;
  std::string text_;
};

Status Parse(std::string_view text, const std::string& file, int line, Message* to) {
  if (text.size() > kMaxRecordingBytes) {
    return Error{format("{}: larger than {} bytes", file, kMaxRecordingBytes)};
  }
  // Each message opens a bracket, and each string has two quotes.
  size_t brackets = 0;
  size_t quotes = 0;
  for (const char c : text) {
    brackets += c == '{' || c == '<' ? 1 : 0;
    quotes += c == '"' || c == '\'' ? 1 : 0;
  }
  if (brackets + quotes / 2 > kMaxMessages) {
    return Error{format("{}: more than {} messages and strings", file, kMaxMessages)};
  }
  google::protobuf::io::ArrayInputStream in(text.data(), static_cast<int>(text.size()));
  FirstError error(file, line);
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(kMaxNesting);
  if (!parser.Parse(&in, to)) {
    CHECK(!error.text().empty());
    return Error{error.text()};
  }
  return {};
}

// Refuses a recording of a newer version for its format, not for a field that is unknown here.
Status CheckFormatInText(std::string_view text, const std::string& file) {
  std::string_view tool;
  uint64_t number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = Trim(text.substr(begin, end - begin));
    begin = end + 1;
    if (line.starts_with("steps")) break;  // ToText writes both keys before the steps
    if (line.starts_with("tool: \"") && line.ends_with('"')) tool = line.substr(7, line.size() - 8);
    if (line.starts_with("format: ")) ParseNumber(line.substr(8), &number);
  }
  if (number <= kRecordingFormat) return {};
  return Error{format("{}: made by {}; this version reads formats up to {}", file,
                      wire::NewerRefract(tool, number), kRecordingFormat)};
}

}  // namespace

std::string ToText(const message::Recording& recording) {
  wire::Recording encoded;
  wire::ToWire(recording, &encoded);
  encoded.set_format(kRecordingFormat);
  TextFormat::Printer printer;
  printer.SetUseShortRepeatedPrimitives(true);
  printer.SetDefaultFieldValuePrinter(new LinePrinter);  // owned by `printer`
  std::string text;
  CHECK(printer.PrintToString(encoded, &text));
  return format("{}\n{}", kTextHeading, text);
}

std::string ToText(const AnyMessage& transformation) {
  wire::Transformation encoded;
  wire::ToWire(transformation, &encoded);
  return OneLine(encoded);
}

Result<message::Recording> RecordingFromText(std::string_view text, const std::string& file) {
  if (Status status = CheckFormatInText(text, file); !status) return status.error();
  wire::Recording parsed;
  if (Status status = Parse(text, file, 1, &parsed); !status) return status.error();
  message::Recording recording = wire::FromWire(parsed);
  if (Status status = wire::CheckRecording(recording, file); !status) return status.error();
  return recording;
}

Result<AnyMessage> TransformationFromText(std::string_view text, const std::string& file,
                                          int line) {
  wire::Transformation parsed;
  if (Status status = Parse(text, file, line, &parsed); !status) return status.error();
  AnyMessage transformation = wire::FromWire(parsed);
  if (transformation.kind == 0) {
    return Error{
        format("{}:{}: expected a transformation such as split_block {{ ... }}", file, line)};
  }
  return transformation;
}

}  // namespace refract
