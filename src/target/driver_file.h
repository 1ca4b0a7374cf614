// SPDX-License-Identifier: Apache-2.0
// Vulkan drivers that a user describes: an ICD file, an environment, and whether its pictures are
// worth a look. docs/targets.md is the reference of the form.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "input/json_text.h"

namespace refract::inline target {

struct DriverFile {
  std::string name;
  std::string description;
  std::string file;  ///< where it was read from
  /// The path of an ICD file, or the name of a driver of ours whose ICD file and environment it
  /// has.
  std::string icd;
  bool pipeline_only = false;
  std::vector<std::pair<std::string, std::string>> environment;  ///< in the order of the file
};

/// Whether a target file describes a driver and no commands: it has the key "icd".
bool DescribesDriver(const JsonNode& root);

/// Errors are "FILE:LINE: /pointer: what". A relative path starts in the folder of the file.
Result<DriverFile> ReadDriverFile(const std::string& file, const JsonNode& root);

}  // namespace refract::inline target
