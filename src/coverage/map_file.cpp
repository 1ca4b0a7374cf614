// SPDX-License-Identifier: Apache-2.0
#include "coverage/map_file.h"

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "folder/gzip.h"

namespace refract {
inline namespace coverage {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostBytes = uint64_t{1} << 30;

}  // namespace

Status WriteSourceMap(const std::string& file, const std::string& hash, const SourceMap& map) {
  // The files are stored as coverage data without tests.
  CoverageData sources;
  sources.files = map.files;
  Json functions = Json::array();
  for (const std::optional<uint32_t>& each : map.functions) {
    functions.push_back(each ? Json(*each) : Json());
  }
  const Json all = {{"refract_source_map", 1},
                    {"program", hash},
                    {"sources", Json::parse(CoverageText(sources))},
                    {"lines", map.lines},
                    {"functions", std::move(functions)}};
  return WriteFile(file, Compressed(all.dump()));
}

Result<SourceMap> ReadSourceMap(const std::string& file, const std::string& hash) {
  Result<std::string> bytes = ReadFile(file, kMostBytes);
  if (!bytes) return bytes.error();
  const Result<std::string> text = Decompressed(file, std::move(*bytes), kMostBytes);
  if (!text) return text.error();
  const Error wrong{format("{}: not the source map of this program", file)};
  try {
    const Json json = Json::parse(*text);
    if (json.at("refract_source_map") != 1 || json.at("program") != hash) return wrong;
    Result<CoverageData> sources = ParseCoverage(file, json.at("sources").dump());
    if (!sources) return sources.error();
    const size_t line_count = sources->line_count(), function_count = sources->function_count();
    SourceMap map;
    map.files = std::move(sources->files);
    map.lines = json.at("lines").get<std::vector<std::vector<uint32_t>>>();
    for (const Json& each : json.at("functions")) {
      map.functions.emplace_back();
      if (!each.is_null()) map.functions.back() = each.get<uint32_t>();
    }
    bool fits = map.functions.size() == map.lines.size();
    for (const std::vector<uint32_t>& lines : map.lines) {
      for (const uint32_t line : lines) fits = fits && line < line_count;
    }
    for (const auto& function : map.functions) {
      fits = fits && (!function || *function < function_count);
    }
    if (!fits) return wrong;
    return map;
  } catch (const Json::exception&) {
    return wrong;
  }
}

}  // namespace coverage
}  // namespace refract
