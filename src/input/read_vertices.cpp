// SPDX-License-Identifier: Apache-2.0
// Reads the section "$vertices" of shader.json.
#include <set>

#include "base/text.h"
#include "input/grid.h"
#include "input/input_func.h"
#include "input/json_fields.h"

namespace refract {
inline namespace input {
namespace {

using Kind = JsonNode::Kind;

constexpr uint32_t kMaxLocation = 31;  // more than devices have, which is 16 to 32

// Reads whether the attribute has a value for each vertex, which is the default, or instance.
Status ReadRate(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                AttributeInput* attribute) {
  const JsonNode* rate = node.Find("rate");
  if (rate == nullptr) return {};
  if (rate->kind != Kind::kString || (rate->text != "vertex" && rate->text != "instance")) {
    return fields.Refuse(*rate, JsonPointer(pointer, "rate"),
                         "expected \"vertex\" or \"instance\"");
  }
  attribute->per_instance = rate->text == "instance";
  return {};
}

Status ReadAttribute(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                     AttributeInput* attribute) {
  Status status = fields.Object(node, pointer, {"location", "func", "args", "count", "rate"});
  if (status) {
    status = fields.Member(node, pointer, "location", 0, kMaxLocation, &attribute->location);
  }
  if (status) status = ReadRate(fields, node, pointer, attribute);
  if (!status) return status;
  const JsonNode* func = node.Find("func");
  if (func == nullptr) return fields.Refuse(node, pointer, "\"func\" is missing");
  InputValue& value = attribute->value;
  bool is_array = false;
  if (func->kind != Kind::kString || !ParseInputFunc(func->text, &value, &is_array) ||
      value.image || value.scalar == InputValue::kAddress || (!is_array && value.columns == 1)) {
    return fields.Refuse(*func, JsonPointer(pointer, "func"),
                         "expected a name such as glUniform2fv or glUniformMatrix2fv");
  }
  if (value.columns > 1 && node.Find("count") == nullptr) {
    return fields.Refuse(node, pointer, "a matrix needs \"count\"");
  }
  return fields.Elements(node, pointer, is_array, &value);
}

// Reads the attributes. Without "count", the first one for vertices gives the number of vertices.
Status ReadAttributes(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                      VerticesInput* vertices) {
  if (node.kind != Kind::kArray) {
    return fields.Refuse(node, pointer, "expected a list of attributes");
  }
  std::set<uint32_t> taken;
  size_t scalars = 0;
  for (size_t i = 0; i < node.items.size(); ++i) {
    const std::string where = JsonPointer(pointer, format("{}", i));
    AttributeInput& attribute = vertices->attributes.emplace_back();
    if (Status read = ReadAttribute(fields, node.items[i], where, &attribute); !read) return read;
    for (uint32_t column = 0; column < LocationsOf(attribute.value); ++column) {
      if (taken.insert(attribute.location + column).second) continue;
      return fields.Refuse(node.items[i], where,
                           format("location {} has two attributes", attribute.location + column));
    }
    scalars += attribute.value.words.size();
    if (scalars > kMaxInputScalars) {
      return fields.Refuse(node.items[i], where,
                           format("the attributes have more than {} scalars", kMaxInputScalars));
    }
    uint32_t& wanted = attribute.per_instance ? vertices->instances : vertices->count;
    if (wanted == 0) wanted = attribute.value.count;
    if (attribute.value.count == wanted) continue;
    return fields.Refuse(
        node.items[i], where,
        format("the attribute has {} elements, but there are {} {}", attribute.value.count, wanted,
               attribute.per_instance ? "instances" : "vertices"));
  }
  return {};
}

Status ReadIndices(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                   VerticesInput* vertices) {
  const JsonNode* list = node.Find("indices");
  if (list == nullptr) return {};
  if (Status read = fields.Words(node, pointer, "indices", &vertices->indices); !read) return read;
  const std::string where = JsonPointer(pointer, "indices");
  if (vertices->indices.empty()) return fields.Refuse(*list, where, "expected at least one index");
  for (size_t i = 0; i < vertices->indices.size(); ++i) {
    if (vertices->indices[i] < vertices->count) continue;
    return fields.Refuse(list->items[i], JsonPointer(where, format("{}", i)),
                         format("there are only {} vertices", vertices->count));
  }
  return {};
}

}  // namespace

Status ReadVertices(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                    VerticesInput* vertices) {
  Status status =
      fields.Object(node, pointer, {"topology", "count", "instances", "indices", "attributes"});
  if (!status) return status;
  if (const JsonNode* topology = node.Find("topology")) {
    if (topology->kind != Kind::kString || !ParseTopology(topology->text, &vertices->topology)) {
      return fields.Refuse(*topology, JsonPointer(pointer, "topology"),
                           "expected \"triangle_list\", \"triangle_strip\" or \"triangle_fan\"");
    }
  }
  constexpr auto kMost = static_cast<uint32_t>(kMaxGridVertices);
  if (node.Find("count") != nullptr) {
    status = fields.Member(node, pointer, "count", 1, kMost, &vertices->count);
  }
  if (status && node.Find("instances") != nullptr) {
    status = fields.Member(node, pointer, "instances", 1, kMost, &vertices->instances);
  }
  if (!status) return status;
  if (const JsonNode* attributes = node.Find("attributes")) {
    status = ReadAttributes(fields, *attributes, JsonPointer(pointer, "attributes"), vertices);
  }
  if (status && vertices->count == 0) {
    return fields.Refuse(node, pointer, "without an attribute for vertices, \"count\" is needed");
  }
  return status ? ReadIndices(fields, node, pointer, vertices) : status;
}

}  // namespace input
}  // namespace refract
