// SPDX-License-Identifier: Apache-2.0
// Vulkan drivers that a user describes in a file: an ICD file, environment variables, and whether
// the driver can draw images. docs/targets.md is the reference of the format.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "input/json_text.h"
#include "target/root.h"

namespace refract {
inline namespace target {

struct DriverFile {
  std::string name;
  std::string description;
  std::string file;  ///< where it was read from
  /// The path of an ICD file, or the name of a driver that Refract knows, from which the ICD file
  /// and the environment are taken.
  std::string icd;
  bool pipeline_only = false;
  Root root = {};  ///< the system with whose libraries the driver runs
  std::vector<std::pair<std::string, std::string>> environment;  ///< in the order of the file
};

/// Whether a target file describes a driver (it has the key "icd") and not commands.
bool DescribesDriver(const JsonNode& root);

/// Errors have the form "FILE:LINE: /pointer: message". Relative paths start at the folder of the
/// file.
Result<DriverFile> ReadDriverFile(const std::string& file, const JsonNode& root);

}  // namespace target
}  // namespace refract
