// SPDX-License-Identifier: Apache-2.0
#include "coverage/data.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "base/text.h"
#include "folder/gzip.h"
#include "signature/normalise.h"

namespace refract {
inline namespace coverage {
namespace {

using Json = nlohmann::ordered_json;

constexpr uint64_t kMostElements = 100'000'000;  // lines or functions of a file that we read

Json RunsOf(const std::vector<bool>& hits) {
  Json runs = Json::array();
  size_t begin = 0;
  bool value = false;
  for (size_t i = 0; i <= hits.size(); ++i) {
    if (i < hits.size() && hits[i] == value) continue;
    runs.push_back(i - begin);
    begin = i;
    value = !value;
  }
  return runs;
}

// Makes hits from lengths of runs. False if the sum is not `count`.
bool FromRuns(const Json& runs, size_t count, std::vector<bool>* hits) {
  hits->assign(count, false);
  size_t at = 0;
  bool value = false;
  for (const Json& run : runs) {
    const auto length = run.get<uint64_t>();
    if (length > count - at) return false;
    if (value) std::fill_n(hits->begin() + static_cast<ptrdiff_t>(at), length, true);
    at += length;
    value = !value;
  }
  return at == count;
}

Json ToJson(const SourceFile& file) {
  Json lines = Json::array(), functions = Json::array();
  uint32_t before = 0;
  for (const uint32_t line : file.lines) {
    lines.push_back(line - before);
    before = line;
  }
  for (const SourceFunction& each : file.functions) {
    functions.push_back(Json::array({each.name, each.line}));
  }
  return {{"name", file.name}, {"lines", std::move(lines)}, {"functions", std::move(functions)}};
}

Status ReadFileRow(const Json& json, SourceFile* file) {
  file->name = json.at("name").get<std::string>();
  uint64_t line = 0;
  for (const Json& step : json.at("lines")) {
    line += step.get<uint32_t>();
    if (step.get<uint32_t>() == 0 || line > UINT32_MAX) return Error{"lines must ascend"};
    file->lines.push_back(static_cast<uint32_t>(line));
  }
  for (const Json& each : json.at("functions")) {
    file->functions.push_back({each.at(0).get<std::string>(), each.at(1).get<uint32_t>()});
  }
  return {};
}

Status Read(const Json& json, CoverageData* data) {
  if (json.at("refract_coverage") != 1) return Error{"made by another version of Refract"};
  data->target = json.at("target").get<std::string>();
  data->program = json.at("program").get<std::string>();
  for (const Json& each : json.at("files")) {
    const Status read = ReadFileRow(each, &data->files.emplace_back());
    if (!read) return read;
  }
  const auto by_name = [](const SourceFile& a, const SourceFile& b) { return a.name < b.name; };
  if (!std::is_sorted(data->files.begin(), data->files.end(), by_name)) {
    return Error{"the files are not sorted"};
  }
  const size_t lines = data->line_count(), functions = data->function_count();
  if (lines + functions > kMostElements) return Error{"too many lines"};
  for (const Json& each : json.at("tests")) {
    TestHits& test = data->tests.emplace_back();
    test.name = each.at("name").get<std::string>();
    if (!FromRuns(each.at("lines"), lines, &test.lines) ||
        !FromRuns(each.at("functions"), functions, &test.functions)) {
      return Error{format("test '{}': the lengths do not fit the files", Printable(test.name))};
    }
  }
  return {};
}

void AddTo(const std::vector<bool>& hits, std::vector<bool>* all) {
  for (size_t i = 0; i < hits.size(); ++i) {
    if (hits[i]) (*all)[i] = true;
  }
}

}  // namespace

size_t CoverageData::line_count() const {
  size_t count = 0;
  for (const SourceFile& file : files) count += file.lines.size();
  return count;
}

size_t CoverageData::function_count() const {
  size_t count = 0;
  for (const SourceFile& file : files) count += file.functions.size();
  return count;
}

TestHits CoverageData::All() const {
  TestHits all{"", std::vector<bool>(line_count()), std::vector<bool>(function_count())};
  for (const TestHits& test : tests) {
    AddTo(test.lines, &all.lines);
    AddTo(test.functions, &all.functions);
  }
  return all;
}

std::string CoverageText(const CoverageData& data) {
  Json files = Json::array(), tests = Json::array();
  for (const SourceFile& file : data.files) files.push_back(ToJson(file));
  for (const TestHits& test : data.tests) {
    tests.push_back({{"name", test.name},
                     {"lines", RunsOf(test.lines)},
                     {"functions", RunsOf(test.functions)}});
  }
  const Json all = {{"refract_coverage", 1},
                    {"target", data.target},
                    {"program", data.program},
                    {"files", std::move(files)},
                    {"tests", std::move(tests)}};
  return all.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Status WriteCoverage(const std::string& file, const CoverageData& data) {
  return WriteFile(file, Compressed(CoverageText(data)));
}

Result<CoverageData> ParseCoverage(const std::string& file, const std::string& text) {
  CoverageData data;
  try {
    const Status read = Read(Json::parse(text), &data);
    if (!read) return Error{format("{}: {}", file, read.error().message)};
  } catch (const Json::exception& wrong) {
    return Error{format("{}: not coverage data: {}", file, Printable(wrong.what()))};
  }
  return data;
}

}  // namespace coverage
}  // namespace refract
