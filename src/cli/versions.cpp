// SPDX-License-Identifier: Apache-2.0
#include "cli/versions.h"

#include <glslang/build_info.h>
#include <png.h>
#include <spirv-tools/libspirv.h>
#include <vulkan/vulkan_core.h>
#include <zlib.h>

#include <CLI/Version.hpp>
#include <array>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "base/text.h"
#include "base/version.h"

namespace refract {
inline namespace cli {
namespace {

std::string Dotted(int major, int minor, int patch) {
  return format("{}.{}.{}", major, minor, patch);
}

/// "SPIRV-Tools v2023.1 unknown hash, 2023-01-21T12:00:00" is "2023.1".
std::string SpirvToolsVersion() {
  std::string_view text = spvSoftwareVersionString();
  if (text.starts_with('v')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find(' ')));
}

std::array<std::pair<const char*, std::string>, 9> Libraries() {
  return {{
      {"SPIRV-Tools", SpirvToolsVersion()},
      {"glslang", Dotted(GLSLANG_VERSION_MAJOR, GLSLANG_VERSION_MINOR, GLSLANG_VERSION_PATCH)},
      // CMake gives this version: only wire/ includes the headers of protobuf.
      {"protobuf", REFRACT_PROTOBUF_VERSION},
      {"Vulkan headers", Dotted(VK_VERSION_MAJOR(VK_HEADER_VERSION_COMPLETE),
                                VK_VERSION_MINOR(VK_HEADER_VERSION_COMPLETE), VK_HEADER_VERSION)},
      {"fmt", Dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"CLI11", CLI11_VERSION},
      {"nlohmann-json", Dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                               NLOHMANN_JSON_VERSION_PATCH)},
      {"libpng", PNG_LIBPNG_VER_STRING},
      {"zlib", ZLIB_VERSION},
  }};
}

}  // namespace

std::string VersionText(bool json) {
  if (json) {
    nlohmann::ordered_json object = {{"version", ToolVersion()},
                                     {"commit", ToolCommit()},
                                     {"build", ToolBuildType()},
                                     {"libraries", nlohmann::ordered_json::object()}};
    for (const auto& [name, version] : Libraries()) object["libraries"][name] = version;
    return object.dump(2) + "\n";
  }
  std::string text = format("refract {}\n{:<16}{}\n{:<16}{}\n", ToolVersion(), "commit",
                            ToolCommit(), "build", ToolBuildType());
  for (const auto& [name, version] : Libraries()) text += format("{:<16}{}\n", name, version);
  return text;
}

}  // namespace cli
}  // namespace refract
