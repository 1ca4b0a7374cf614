// SPDX-License-Identifier: Apache-2.0
// What the readers of target files share: members of an object with what they have to be, and
// errors that say file, line and key.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/json_text.h"

namespace refract::inline target {

class TargetJson {
 public:
  /// `file` is what errors call it; it must live as long as this.
  explicit TargetJson(const std::string& file) : file_(file) {}

  /// "FILE:LINE:COLUMN: /pointer: what"
  Error Refuse(const JsonNode& node, std::string_view pointer, std::string_view what) const;
  /// Whether `node` is an object with no other keys than these.
  Status CheckKeys(const JsonNode& node, const std::string& pointer,
                   std::span<const std::string_view> known) const;
  /// One line of text; what is not there and not required leaves `*value` as it is.
  Status Text(const JsonNode& parent, const std::string& pointer, std::string_view key,
              bool required, std::string* value) const;
  Status Texts(const JsonNode& parent, const std::string& pointer, std::string_view key,
               std::vector<std::string>* values) const;
  /// From 1 to `highest`.
  Status Number(const JsonNode& parent, const std::string& pointer, std::string_view key,
                uint64_t highest, uint64_t* value) const;
  /// The members `name` and `description` of a target.
  Status Title(const JsonNode& root, bool description_required, std::string* name,
               std::string* description) const;

  const std::string& file() const { return file_; }

 private:
  const std::string& file_;
};

}  // namespace refract::inline target
