// SPDX-License-Identifier: Apache-2.0
// Reads members of JSON objects in target files, and reports errors with file, line and key.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "input/json_text.h"
#include "target/root.h"

namespace refract {
inline namespace target {

class TargetJson {
 public:
  /// `file` names the file in errors. It must outlive this object.
  explicit TargetJson(const std::string& file) : file_(file) {}

  /// "FILE:LINE:COLUMN: /pointer: what"
  Error Refuse(const JsonNode& node, std::string_view pointer, std::string_view what) const;
  /// An error unless `node` is an object with only these keys.
  Status CheckKeys(const JsonNode& node, const std::string& pointer,
                   std::span<const std::string_view> known) const;
  /// Reads one line of text. If it is missing and not required, `*value` stays as it is.
  Status Text(const JsonNode& parent, const std::string& pointer, std::string_view key,
              bool required, std::string* value) const;
  Status Texts(const JsonNode& parent, const std::string& pointer, std::string_view key,
               std::vector<std::string>* values) const;
  /// Reads a whole number from 1 to `highest`.
  Status Number(const JsonNode& parent, const std::string& pointer, std::string_view key,
                uint64_t highest, uint64_t* value) const;
  /// Reads the member `root`, a folder relative to that of the file. If it is missing, `*root`
  /// stays as it is.
  Status ReadRoot(const JsonNode& parent, const std::string& pointer, Root* root) const;
  /// Reads the members `name` and `description` of a target.
  Status Title(const JsonNode& root, bool description_required, std::string* name,
               std::string* description) const;

  const std::string& file() const { return file_; }

 private:
  const std::string& file_;
};

}  // namespace target
}  // namespace refract
