// SPDX-License-Identifier: Apache-2.0
#include "input/expected.h"

#include <limits>

#include "base/text.h"

namespace refract {
inline namespace input {
namespace {

constexpr uint32_t kHighestBinding = 0xffff, kHighestSet = 31, kMaxTile = 16384;

Status ReadBuffer(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  ExpectedBuffer* buffer) {
  Status status = fields.Object(node, pointer, {"binding", "set", "element", "first", "words"});
  if (status)
    status = fields.Member(node, pointer, "binding", 0, kHighestBinding, &buffer->binding);
  if (status && node.Find("set") != nullptr) {
    status = fields.Member(node, pointer, "set", 0, kHighestSet, &buffer->set);
  }
  if (status && node.Find("element") != nullptr) {
    status = fields.Member(node, pointer, "element", 0, kMaxDescriptors - 1, &buffer->element);
  }
  if (status && node.Find("first") != nullptr) {
    status =
        fields.Member(node, pointer, "first", 0, kMaxBufferBytes / 4, &buffer->first.emplace());
  }
  return status ? fields.Words(node, pointer, "words", &buffer->words) : status;
}

Status ReadRegion(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  ExpectedRegion* region) {
  Status status = fields.Object(node, pointer, {"x", "y", "width", "height", "colour", "channels"});
  if (status) status = fields.Member(node, pointer, "x", 0, kMaxTile - 1, &region->x);
  if (status) status = fields.Member(node, pointer, "y", 0, kMaxTile - 1, &region->y);
  if (status) status = fields.Member(node, pointer, "width", 1, kMaxTile, &region->width);
  if (status) status = fields.Member(node, pointer, "height", 1, kMaxTile, &region->height);
  if (status) {
    status = fields.Member(node, pointer, "colour", 0, std::numeric_limits<uint32_t>::max(),
                           &region->colour);
  }
  if (status && node.Find("channels") != nullptr) {
    status = fields.Member(node, pointer, "channels", 1, 4, &region->channels);
  }
  return status;
}

// Reads the items of the list at `key`, if there is one.
template <class Item>
Status ReadItems(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                 std::string_view key,
                 Status (*read)(const JsonFields&, const JsonNode&, const std::string&, Item*),
                 std::vector<Item>* items) {
  const JsonNode* list = node.Find(key);
  if (list == nullptr) return {};
  const std::string where = JsonPointer(pointer, key);
  if (list->kind != JsonNode::Kind::kArray) {
    return fields.Refuse(*list, where, format("expected a list of {}", key));
  }
  for (size_t i = 0; i < list->items.size(); ++i) {
    const std::string item = JsonPointer(where, format("{}", i));
    if (Status done = read(fields, list->items[i], item, &items->emplace_back()); !done)
      return done;
  }
  return {};
}

}  // namespace

Status ReadExpected(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    ExpectedOutputs* expected) {
  Status known = fields.Object(node, pointer, {"buffers", "picture", "regions"});
  if (known) known = ReadItems(fields, node, pointer, "buffers", ReadBuffer, &expected->buffers);
  if (known) known = ReadItems(fields, node, pointer, "regions", ReadRegion, &expected->regions);
  if (!known) return known;
  const JsonNode* picture = node.Find("picture");
  if (picture == nullptr) return {};
  const std::string where = JsonPointer(pointer, "picture");
  ExpectedPicture& tiles = expected->picture.emplace();
  Status status = fields.Object(*picture, where, {"tile", "colours"});
  if (status) status = fields.Member(*picture, where, "tile", 1, kMaxTile, &tiles.tile);
  return status ? fields.Words(*picture, where, "colours", &tiles.colours) : status;
}

std::string ExpectedText(const ExpectedOutputs& expected, ListForm form) {
  std::string text;
  for (const ExpectedBuffer& buffer : expected.buffers) {
    text += text.empty() ? "{\"buffers\": [" : ",";
    text += format("\n    {{\"binding\": {}", buffer.binding);
    if (buffer.set != 0) text += format(", \"set\": {}", buffer.set);
    if (buffer.element != 0) text += format(", \"element\": {}", buffer.element);
    if (buffer.first) text += format(", \"first\": {}", *buffer.first);
    text += format(", \"words\": {}}}", WordList(buffer.words, form));
  }
  if (!text.empty()) text += "]";
  if (expected.picture) {
    text += format("{}\"picture\": {{\"tile\": {}, \"colours\": {}}}", text.empty() ? "{" : ", ",
                   expected.picture->tile, WordList(expected.picture->colours, form));
  }
  std::string regions;
  for (const ExpectedRegion& region : expected.regions) {
    regions += format(
        "{}\n    {{\"x\": {}, \"y\": {}, \"width\": {}, \"height\": {}, \"colour\": {}",
        regions.empty() ? "" : ",", region.x, region.y, region.width, region.height, region.colour);
    regions += region.channels == 4 ? "}" : format(", \"channels\": {}}}", region.channels);
  }
  if (!regions.empty()) text += format("{}\"regions\": [{}]", text.empty() ? "{" : ", ", regions);
  return text.empty() ? "{}" : text + "}";
}

}  // namespace input
}  // namespace refract
