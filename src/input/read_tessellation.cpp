// SPDX-License-Identifier: Apache-2.0
// Reads the section "$tessellation" of shader.json.
#include <span>

#include "base/text.h"
#include "input/input_func.h"
#include "input/json_fields.h"

namespace refract {
inline namespace input {
namespace {

// Every device with tessellation supports these (Vulkan 1.3, "Required Limits").
constexpr uint32_t kMaxPatchVertices = 32;
constexpr float kMaxLevel = 64;

Status ReadLevels(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                  std::string_view key, std::span<float> levels) {
  const JsonNode* list = node.Find(key);
  if (list == nullptr) return {};
  const std::string where = JsonPointer(pointer, key);
  if (list->kind != JsonNode::Kind::kArray || list->items.size() != levels.size()) {
    return fields.Refuse(*list, where, format("expected a list of {} numbers", levels.size()));
  }
  for (size_t i = 0; i < levels.size(); ++i) {
    const std::string place = JsonPointer(where, format("{}", i));
    Status read = fields.Float(list->items[i], place, 0, kMaxLevel, &levels[i]);
    if (!read) return read;
  }
  return {};
}

}  // namespace

Status ReadTessellation(const JsonFields& fields, const JsonNode& node, const std::string& pointer,
                        TessellationInput* tessellation) {
  Status status = fields.Object(node, pointer, {"patch_vertices", "domain", "outer", "inner"});
  if (status) {
    status = fields.Member(node, pointer, "patch_vertices", 1, kMaxPatchVertices,
                           &tessellation->patch_vertices);
  }
  if (!status) return status;
  if (const JsonNode* domain = node.Find("domain")) {
    if (domain->kind != JsonNode::Kind::kString ||
        !ParseDomain(domain->text, &tessellation->domain)) {
      return fields.Refuse(*domain, JsonPointer(pointer, "domain"),
                           "expected \"triangles\", \"quads\" or \"isolines\"");
    }
  }
  status = ReadLevels(fields, node, pointer, "outer", tessellation->outer);
  return status ? ReadLevels(fields, node, pointer, "inner", tessellation->inner) : status;
}

}  // namespace input
}  // namespace refract
