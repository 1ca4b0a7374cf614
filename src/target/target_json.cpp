// SPDX-License-Identifier: Apache-2.0
#include "target/target_json.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/suggest.h"
#include "base/text.h"

namespace refract {
inline namespace target {
namespace {

using Kind = JsonNode::Kind;

constexpr size_t kMaxNameBytes = 64;

}  // namespace

Error TargetJson::Refuse(const JsonNode& node, std::string_view pointer,
                         std::string_view what) const {
  return Error{format("{}:{}:{}: {}: {}", file_, node.line, node.column,
                      pointer.empty() ? "/" : pointer, what)};
}

Status TargetJson::CheckKeys(const JsonNode& node, const std::string& pointer,
                             std::span<const std::string_view> known) const {
  if (node.kind != Kind::kObject) return Refuse(node, pointer, "expected an object");
  for (const auto& [key, value] : node.members) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    std::string names;
    for (const std::string_view name : known) {
      names += format("{}{}", names.empty() ? "" : ", ", name);
    }
    return Refuse(value, JsonPointer(pointer, key),
                  format("unknown key; known keys: {}{}", names, DidYouMean(key, known)));
  }
  return {};
}

Status TargetJson::Text(const JsonNode& parent, const std::string& pointer, std::string_view key,
                        bool required, std::string* value) const {
  const JsonNode* node = parent.Find(key);
  const std::string at = JsonPointer(pointer, key);
  if (node == nullptr) {
    return required ? Status(Refuse(parent, at, "missing; expected a string")) : Status();
  }
  if (node->kind != Kind::kString) return Refuse(*node, at, "expected a string");
  const bool plain = std::none_of(node->text.begin(), node->text.end(),
                                  [](unsigned char c) { return c < 0x20 || c == 0x7f; });
  if (node->text.empty() || !plain) return Refuse(*node, at, "expected one line of text");
  *value = node->text;
  return {};
}

Status TargetJson::Texts(const JsonNode& parent, const std::string& pointer, std::string_view key,
                         std::vector<std::string>* values) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return {};
  const std::string at = JsonPointer(pointer, key);
  if (node->kind != Kind::kArray) return Refuse(*node, at, "expected a list of strings");
  values->clear();
  for (size_t i = 0; i < node->items.size(); ++i) {
    const JsonNode& item = node->items[i];
    if (item.kind != Kind::kString || item.text.find('\0') != std::string::npos) {
      return Refuse(item, format("{}/{}", at, i), "expected a string");
    }
    values->push_back(item.text);
  }
  return {};
}

Status TargetJson::Number(const JsonNode& parent, const std::string& pointer, std::string_view key,
                          uint64_t highest, uint64_t* value) const {
  const JsonNode* node = parent.Find(key);
  if (node == nullptr) return {};
  if (node->kind != Kind::kInteger || node->integer == 0 || node->integer > highest) {
    return Refuse(*node, JsonPointer(pointer, key),
                  format("expected a whole number from 1 to {}", highest));
  }
  *value = node->integer;
  return {};
}

Status TargetJson::ReadRoot(const JsonNode& parent, const std::string& pointer, Root* root) const {
  std::string folder;
  if (Status read = Text(parent, pointer, "root", false, &folder); !read) return read;
  if (folder.empty()) return {};
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path = fs::absolute(fs::path(file_).parent_path() / folder, error);
  folder = path.lexically_normal().string();
  while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
  *root = OpenRoot(folder);
  return {};
}

Status TargetJson::Title(const JsonNode& root, bool description_required, std::string* name,
                         std::string* description) const {
  if (Status read = Text(root, "", "name", true, name); !read) return read;
  // Names are used in file names and in lists separated by commas. X.json is the path of an ICD
  // file.
  const bool fits = std::all_of(name->begin(), name->end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.' || c == '+';
  });
  if (!fits || name->front() == '-' || name->front() == '.' || name->size() > kMaxNameBytes ||
      name->ends_with(".json")) {
    return Refuse(*root.Find("name"), "/name",
                  "expected at most 64 letters, digits and _ - . +, with no .json at the end");
  }
  return Text(root, "", "description", description_required, description);
}

}  // namespace target
}  // namespace refract
