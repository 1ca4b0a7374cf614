// SPDX-License-Identifier: Apache-2.0
#include "input/expected.h"

#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint32_t kMaxBinding = 0xffff, kMaxSet = 31, kMaxTile = 16384;

// Reads a list of integers from 0 to 2^32 - 1.
Status ReadWords(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 std::string_view key, std::vector<uint32_t>* words) {
  const JsonNode* list = node.Find(key);
  if (list == nullptr) return fields.Refuse(node, pointer, format("\"{}\" is missing", key));
  InputValue value;
  value.scalar = InputValue::kUint;
  if (Status read = fields.Scalars(*list, JsonPointer(pointer, key), &value); !read) return read;
  words->assign(value.words.begin(), value.words.end());
  return {};
}

Status ReadBuffer(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  ExpectedBuffer* buffer) {
  Status status = fields.Object(node, pointer, {"binding", "set", "words"});
  if (status) status = fields.Member(node, pointer, "binding", 0, kMaxBinding, &buffer->binding);
  if (status && node.Find("set") != nullptr) {
    status = fields.Member(node, pointer, "set", 0, kMaxSet, &buffer->set);
  }
  return status ? ReadWords(fields, node, pointer, "words", &buffer->words) : status;
}

std::string WordList(const std::vector<uint32_t>& words, ListForm form) {
  std::string list = "[";
  for (size_t i = 0; i < words.size(); ++i) {
    list += format("{}{}", ListSeparator(i, words.size(), form), words[i]);
  }
  return list + "]";
}

}  // namespace

Status ReadExpected(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    ExpectedOutputs* expected) {
  if (Status known = fields.Object(node, pointer, {"buffers", "picture"}); !known) return known;
  if (const JsonNode* buffers = node.Find("buffers")) {
    const std::string where = JsonPointer(pointer, "buffers");
    if (buffers->kind != JsonNode::Kind::kArray) {
      return fields.Refuse(*buffers, where, "expected a list of buffers");
    }
    for (size_t i = 0; i < buffers->items.size(); ++i) {
      const Status read = ReadBuffer(fields, buffers->items[i], JsonPointer(where, format("{}", i)),
                                     &expected->buffers.emplace_back());
      if (!read) return read;
    }
  }
  const JsonNode* picture = node.Find("picture");
  if (picture == nullptr) return {};
  const std::string where = JsonPointer(pointer, "picture");
  ExpectedPicture& tiles = expected->picture.emplace();
  Status status = fields.Object(*picture, where, {"tile", "colours"});
  if (status) status = fields.Member(*picture, where, "tile", 1, kMaxTile, &tiles.tile);
  return status ? ReadWords(fields, *picture, where, "colours", &tiles.colours) : status;
}

std::string ExpectedText(const ExpectedOutputs& expected, ListForm form) {
  std::string text;
  for (const ExpectedBuffer& buffer : expected.buffers) {
    text += text.empty() ? "{\"buffers\": [" : ",";
    text += format("\n    {{\"binding\": {}", buffer.binding);
    if (buffer.set != 0) text += format(", \"set\": {}", buffer.set);
    text += format(", \"words\": {}}}", WordList(buffer.words, form));
  }
  if (!text.empty()) text += "]";
  if (expected.picture) {
    text += format("{}\"picture\": {{\"tile\": {}, \"colours\": {}}}", text.empty() ? "{" : ", ",
                   expected.picture->tile, WordList(expected.picture->colours, form));
  }
  return text.empty() ? "{}" : text + "}";
}

}  // namespace input
}  // namespace refract
