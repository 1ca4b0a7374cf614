// SPDX-License-Identifier: Apache-2.0
#include "coverage/formats.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/file.h"
#include "base/text.h"
#include "folder/gzip.h"
#include "signature/normalise.h"

namespace refract {
inline namespace coverage {
namespace {

constexpr uint64_t kMostCoverageBytes = uint64_t{1} << 30;  // of a file, after decompression

std::string FolderOf(const std::string& path) {
  return std::filesystem::path(path).parent_path().string();
}

bool IsInFolder(const std::string& path, const std::string& folder) {
  return folder == "/" || path.starts_with(folder + "/");
}

// A tracefile of lcov has one record on each line, and end_of_record after each file.
class LcovReader {
 public:
  LcovReader(const std::string& name, CoverageCollector& to) : name_(name), to_(to) {}

  Status Read(std::string_view text) {
    for (size_t line = 1; !text.empty(); ++line) {
      const size_t end = std::min(text.find('\n'), text.size());
      if (!Record(text.substr(0, end))) {
        return Error{format("{}:{}: not a record of lcov", name_, line)};
      }
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    if (!file_.empty()) return Error{format("{}: the last end_of_record is missing", name_)};
    return {};
  }

 private:
  bool Record(std::string_view line) {
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || line.starts_with('#')) return true;
    if (line == "end_of_record") return EndFile();
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos) return false;
    const std::string_view kind = line.substr(0, colon), rest = line.substr(colon + 1);
    if (kind == "SF") {
      file_ = rest;
      return !rest.empty();
    }
    if (kind == "DA") return Line(rest);
    if (kind == "FN") return Function(rest);
    if (kind == "FNDA") return FunctionRan(rest);
    return true;  // records about branches, sums and names of tests
  }

  bool Line(std::string_view rest) {
    const std::vector<std::string> parts = Split(std::string(rest), ',');
    uint64_t line = 0;
    if (file_.empty() || parts.size() < 2 || !ParseNumber(parts[0], &line) || line > UINT32_MAX) {
      return false;
    }
    to_.AddLine(file_, static_cast<uint32_t>(line), parts[1] != "0");
    return true;
  }

  // FN:LINE,NAME or, from lcov 2 on, FN:LINE,LAST,NAME. A name may have commas.
  bool Function(std::string_view rest) {
    uint64_t line = 0, last = 0;
    size_t comma = rest.find(',');
    if (file_.empty() || comma == std::string_view::npos) return false;
    if (!ParseNumber(std::string(rest.substr(0, comma)), &line) || line > UINT32_MAX) return false;
    rest.remove_prefix(comma + 1);
    comma = rest.find(',');
    if (comma != std::string_view::npos && ParseNumber(std::string(rest.substr(0, comma)), &last)) {
      rest.remove_prefix(comma + 1);
    }
    lines_[std::string(rest)] = static_cast<uint32_t>(line);
    return true;
  }

  bool FunctionRan(std::string_view rest) {
    const size_t comma = rest.find(',');
    if (file_.empty() || comma == std::string_view::npos) return false;
    ran_[std::string(rest.substr(comma + 1))] = rest.substr(0, comma) != "0";
    return true;
  }

  bool EndFile() {
    if (file_.empty()) return false;
    for (const auto& [name, line] : lines_) {
      const auto ran = ran_.find(name);
      to_.AddFunction(file_, {name, line}, ran != ran_.end() && ran->second);
    }
    lines_.clear();
    ran_.clear();
    file_.clear();
    return true;
  }

  const std::string& name_;
  CoverageCollector& to_;
  std::string file_;
  std::map<std::string, uint32_t> lines_;  // of functions, by name
  std::map<std::string, bool> ran_;
};

// A segment of llvm-cov: from its place to the next segment, code ran `count` times.
struct Segment {
  uint64_t line = 0, count = 0;
  bool has_count = false, begins_region = false, is_gap = false;
};

// The lines of a file. A line counts if a region with a count covers it or begins on it. It ran if
// the region that comes from the line before ran, or one that begins on it.
void AddSegments(const std::string& file, const std::vector<Segment>& segments,
                 CoverageCollector& to) {
  const Segment* open = nullptr;  // the last segment of an earlier line
  for (size_t i = 0; i < segments.size();) {
    const uint64_t line = segments[i].line;
    size_t end = i;
    size_t regions = 0;
    uint64_t most = open == nullptr ? 0 : open->count;
    for (; end < segments.size() && segments[end].line == line; ++end) {
      const Segment& each = segments[end];
      if (!each.has_count || !each.begins_region || each.is_gap) continue;
      ++regions;
      most = std::max(most, each.count);
    }
    const bool skipped = segments[i].begins_region && !segments[i].has_count;
    if (!skipped && (regions > 0 || (open != nullptr && open->has_count))) {
      to.AddLine(file, static_cast<uint32_t>(line), most > 0);
    }
    open = &segments[end - 1];
    const uint64_t next = end < segments.size() ? segments[end].line : line + 1;
    for (uint64_t between = line + 1; between < next && open->has_count; ++between) {
      to.AddLine(file, static_cast<uint32_t>(between), open->count > 0);
    }
    i = end;
  }
}

void ReadLlvm(const nlohmann::json& json, CoverageCollector& to) {
  for (const nlohmann::json& data : json.at("data")) {
    for (const nlohmann::json& file : data.at("files")) {
      std::vector<Segment> segments;
      for (const nlohmann::json& each : file.at("segments")) {
        segments.push_back({each.at(0), each.at(2), each.at(3), each.at(4),
                            each.size() > 5 && each.at(5).get<bool>()});
      }
      std::stable_sort(segments.begin(), segments.end(),
                       [](const Segment& a, const Segment& b) { return a.line < b.line; });
      AddSegments(file.at("filename"), segments, to);
    }
    if (!data.contains("functions")) continue;
    for (const nlohmann::json& each : data.at("functions")) {
      const uint32_t line =
          each.at("regions").empty() ? 0u : each.at("regions").at(0).at(0).get<uint32_t>();
      to.AddFunction(each.at("filenames").at(0), {each.at("name"), line},
                     each.at("count").get<uint64_t>() > 0);
    }
  }
}

void ReadGcov(const nlohmann::json& json, CoverageCollector& to) {
  const std::string folder = json.value("current_working_directory", std::string());
  for (const nlohmann::json& file : json.at("files")) {
    const std::filesystem::path given(file.at("file").get<std::string>());
    const std::string name =
        (given.is_absolute() || folder.empty() ? given : folder / given).lexically_normal();
    for (const nlohmann::json& line : file.at("lines")) {
      to.AddLine(name, line.at("line_number"), line.at("count").get<uint64_t>() > 0);
    }
    for (const nlohmann::json& each : file.at("functions")) {
      to.AddFunction(name, {each.at("demangled_name"), each.at("start_line")},
                     each.at("execution_count").get<uint64_t>() > 0);
    }
  }
}

// Adds a file of another tool.
Status Add(const std::string& file, const std::string& text, CoverageCollector& to) {
  const size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string::npos || text[begin] != '{') return LcovReader(file, to).Read(text);
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    if (json.contains("data")) {
      ReadLlvm(json, to);
    } else if (json.contains("gcc_version")) {
      ReadGcov(json, to);
    } else {
      return Error{format("{}: JSON of neither llvm-cov nor gcov", file)};
    }
  } catch (const nlohmann::json::exception& wrong) {
    return Error{format("{}: not coverage data: {}", file, Printable(wrong.what()))};
  }
  return {};
}

bool IsRefracts(const std::string& text) {
  return text.starts_with("{\"refract_coverage\":");
}

Result<std::string> TextOf(const std::string& file) {
  Result<std::string> bytes = ReadFile(file, kMostCoverageBytes);
  return bytes ? Decompressed(file, std::move(*bytes), kMostCoverageBytes) : bytes;
}

}  // namespace

void CoverageCollector::AddLine(const std::string& file, uint32_t line, bool ran) {
  if (line == 0) return;
  bool& before = files_[file].lines[line];
  before = before || ran;
}

void CoverageCollector::AddFunction(const std::string& file, SourceFunction function, bool ran) {
  bool& before = files_[file].functions[std::move(function)];
  before = before || ran;
}

CoverageData CoverageCollector::Take(const std::string& root) {
  std::optional<std::string> folder;
  if (!root.empty()) {
    folder = std::filesystem::path(root).lexically_normal().string();
    while (folder->size() > 1 && folder->ends_with('/')) folder->pop_back();
  } else {
    for (const auto& [name, file] : files_) {
      if (!name.starts_with('/')) {
        folder.reset();
        break;
      }
      if (!folder) folder = FolderOf(name);
      while (!IsInFolder(name, *folder)) folder = FolderOf(*folder);
    }
  }
  CoverageData data;
  TestHits hits;
  for (auto& [name, file] : files_) {
    const bool inside = folder && IsInFolder(name, *folder);
    if (!root.empty() && !inside) continue;
    const size_t skip = inside ? folder->size() + (*folder == "/" ? 0 : 1) : 0;
    SourceFile& made = data.files.emplace_back();
    made.name = name.substr(skip);
    for (const auto& [line, ran] : file.lines) {
      made.lines.push_back(line);
      hits.lines.push_back(ran);
    }
    for (const auto& [function, ran] : file.functions) {
      made.functions.push_back(function);
      hits.functions.push_back(ran);
    }
  }
  data.tests.push_back(std::move(hits));
  files_.clear();
  return data;
}

Result<CoverageData> ParseAnyCoverage(const std::string& file, const std::string& text,
                                      const std::string& root) {
  if (IsRefracts(text)) return ParseCoverage(file, text);
  CoverageCollector collector;
  const Status added = Add(file, text, collector);
  if (!added) return added.error();
  CoverageData data = collector.Take(root);
  if (data.files.empty()) return Error{format("{}: no source file in it", file)};
  return data;
}

Result<CoverageData> ReadCoverage(const std::string& path, const std::string& root) {
  struct stat info {};
  if (stat(path.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) {
    const Result<std::string> text = TextOf(path);
    if (!text) return text.error();
    return ParseAnyCoverage(path, *text, root);
  }
  const Result<std::vector<std::string>> files = ListFiles(path);
  if (!files) return files.error();
  CoverageCollector collector;
  for (const std::string& file : *files) {
    if (!file.ends_with(".gcov.json") && !file.ends_with(".gcov.json.gz")) continue;
    const Result<std::string> text = TextOf(file);
    if (!text) return text.error();
    const Status added = Add(file, *text, collector);
    if (!added) return added.error();
  }
  CoverageData data = collector.Take(root);
  if (data.files.empty()) return Error{format("{}: no .gcov.json files with sources", path)};
  return data;
}

}  // namespace coverage
}  // namespace refract
