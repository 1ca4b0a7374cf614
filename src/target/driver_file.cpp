// SPDX-License-Identifier: Apache-2.0
#include "target/driver_file.h"

#include <algorithm>
#include <filesystem>

#include "base/text.h"
#include "target/target_json.h"

namespace refract {
inline namespace target {
namespace {

namespace fs = std::filesystem;
using Kind = JsonNode::Kind;

// The variables that select the driver. The harness sets them from "icd".
constexpr std::string_view kOurs[] = {"VK_ICD_FILENAMES", "VK_DRIVER_FILES", "VK_ADD_DRIVER_FILES"};

Status ReadEnvironment(const TargetJson& json, const JsonNode& root, DriverFile* driver) {
  const JsonNode* node = root.Find("environment");
  if (node == nullptr) return {};
  if (node->kind != Kind::kObject) {
    return json.Refuse(*node, "/environment", "expected an object with variables and their values");
  }
  for (const auto& [name, value] : node->members) {
    const std::string at = JsonPointer("/environment", name);
    if (name.empty() || name.find('=') != std::string::npos ||
        name.find('\0') != std::string::npos) {
      return json.Refuse(value, at, "not a valid name of an environment variable");
    }
    if (std::find(std::begin(kOurs), std::end(kOurs), name) != std::end(kOurs)) {
      return json.Refuse(value, at, "not allowed: \"icd\" selects the driver");
    }
    if (value.kind != Kind::kString || value.text.find('\0') != std::string::npos) {
      return json.Refuse(value, at, "expected a string");
    }
    driver->environment.emplace_back(name, value.text);
  }
  return {};
}

}  // namespace

bool DescribesDriver(const JsonNode& root) {
  return root.kind == Kind::kObject && root.Find("icd") != nullptr;
}

Result<DriverFile> ReadDriverFile(const std::string& file, const JsonNode& root) {
  constexpr std::string_view kKeys[] = {"name",        "description", "icd",
                                        "environment", "kind",        "root"};
  const TargetJson json(file);
  DriverFile driver;
  driver.file = file;
  if (Status keys = json.CheckKeys(root, "", kKeys); !keys) return keys.error();
  if (Status read = json.Title(root, false, &driver.name, &driver.description); !read) {
    return read.error();
  }
  if (Status read = json.Text(root, "", "icd", true, &driver.icd); !read) return read.error();
  std::string kind = "render";
  if (Status read = json.Text(root, "", "kind", false, &kind); !read) return read.error();
  if (kind != "render" && kind != "pipeline") {
    return json.Refuse(*root.Find("kind"), "/kind", "expected \"render\" or \"pipeline\"");
  }
  driver.pipeline_only = kind == "pipeline";
  if (Status read = ReadEnvironment(json, root, &driver); !read) return read.error();
  if (Status read = json.ReadRoot(root, "", &driver.root); !read) return read.error();
  if (driver.root.is_set() && !driver.icd.ends_with(".json")) {
    return json.Refuse(*root.Find("icd"), "/icd",
                       "expected the path of a .json file, because the driver has a root");
  }
  if (driver.icd.ends_with(".json")) {
    std::error_code error;
    const fs::path path = fs::path(file).parent_path() / driver.icd;
    driver.icd = fs::absolute(path, error).lexically_normal().string();
  }
  return driver;
}

}  // namespace target
}  // namespace refract
