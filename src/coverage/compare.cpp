// SPDX-License-Identifier: Apache-2.0
#include "coverage/compare.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "base/text.h"

namespace refract {
inline namespace coverage {
namespace {

using Json = nlohmann::ordered_json;

// The lines and functions of all files, with what ran.
struct Marked {
  std::map<uint32_t, uint8_t> lines;
  std::map<SourceFunction, uint8_t> functions;
};

void AddTo(const CoverageData& data, uint8_t side, std::map<std::string, Marked>* files) {
  const TestHits all = data.All();
  size_t line = 0, function = 0;
  for (const SourceFile& file : data.files) {
    Marked& marked = (*files)[file.name];
    for (const uint32_t number : file.lines) {
      marked.lines[number] |= all.lines[line++] ? side : uint8_t{0};
    }
    for (const SourceFunction& each : file.functions) {
      marked.functions[each] |= all.functions[function++] ? side : uint8_t{0};
    }
  }
}

CoverageCounts Count(const std::vector<Ran>& ran) {
  CoverageCounts counts;
  for (const Ran each : ran) {
    ++counts.all;
    counts.a += (each & kRanInA) != 0;
    counts.b += (each & kRanInB) != 0;
    counts.only_a += each == kRanInA;
    counts.only_b += each == kRanInB;
  }
  return counts;
}

std::string CoveredPercent(size_t part, size_t all) {
  return all == 0 ? "-" : format("{:.1f} %", 100.0 * static_cast<double>(part) / all);
}

std::string Row(const FileCounts& row, size_t width) {
  const CoverageCounts& lines = row.lines;
  return format("{:<{}} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", row.name, width, lines.all,
                CoveredPercent(lines.a, lines.all), CoveredPercent(lines.b, lines.all),
                lines.only_a, lines.only_b, row.functions.only_a, row.functions.only_b);
}

Json ToJson(const CoverageCounts& counts) {
  return {{"all", counts.all},
          {"a", counts.a},
          {"b", counts.b},
          {"only_a", counts.only_a},
          {"only_b", counts.only_b}};
}

Json LinesThat(const ComparedFile& file, Ran ran) {
  Json lines = Json::array();
  for (size_t i = 0; i < file.lines.size(); ++i) {
    if (file.line_ran[i] == ran) lines.push_back(file.lines[i]);
  }
  return lines;
}

Json FunctionsThat(const ComparedFile& file, Ran ran) {
  Json functions = Json::array();
  for (size_t i = 0; i < file.functions.size(); ++i) {
    if (file.function_ran[i] != ran) continue;
    functions.push_back({{"name", file.functions[i].name}, {"line", file.functions[i].line}});
  }
  return functions;
}

}  // namespace

CoverageCounts& CoverageCounts::operator+=(const CoverageCounts& other) {
  all += other.all;
  a += other.a;
  b += other.b;
  only_a += other.only_a;
  only_b += other.only_b;
  return *this;
}

FileCounts CoverageComparison::CountsOf(const ComparedFile& file) const {
  return {file.name, Count(file.line_ran), Count(file.function_ran)};
}

FileCounts CoverageComparison::total() const {
  FileCounts sum{"all", {}, {}};
  for (const ComparedFile& file : files) {
    const FileCounts counts = CountsOf(file);
    sum.lines += counts.lines;
    sum.functions += counts.functions;
  }
  return sum;
}

std::vector<FileCounts> CoverageComparison::ByFolder() const {
  std::map<std::string, FileCounts> folders;
  for (const ComparedFile& file : files) {
    const size_t slash = file.name.rfind('/');
    const std::string name = slash == std::string::npos ? "." : file.name.substr(0, slash);
    const FileCounts counts = CountsOf(file);
    FileCounts& sum = folders[name];
    sum.name = name;
    sum.lines += counts.lines;
    sum.functions += counts.functions;
  }
  std::vector<FileCounts> rows;
  for (auto& [name, row] : folders) rows.push_back(std::move(row));
  return rows;
}

CoverageComparison CompareCoverage(const CoverageData& a, const CoverageData& b) {
  std::map<std::string, Marked> files;
  AddTo(a, kRanInA, &files);
  AddTo(b, kRanInB, &files);
  CoverageComparison comparison;
  for (const auto& [name, marked] : files) {
    ComparedFile& file = comparison.files.emplace_back();
    file.name = name;
    for (const auto& [line, ran] : marked.lines) {
      file.lines.push_back(line);
      file.line_ran.push_back(static_cast<Ran>(ran));
    }
    for (const auto& [function, ran] : marked.functions) {
      file.functions.push_back(function);
      file.function_ran.push_back(static_cast<Ran>(ran));
    }
  }
  return comparison;
}

std::string ComparisonText(const CoverageComparison& comparison) {
  std::vector<FileCounts> folders = comparison.ByFolder(), files;
  for (const ComparedFile& file : comparison.files) {
    const FileCounts counts = comparison.CountsOf(file);
    const bool differs = counts.lines.only_a + counts.lines.only_b + counts.functions.only_a +
                             counts.functions.only_b >
                         0;
    if (differs) files.push_back(counts);
  }
  std::stable_sort(files.begin(), files.end(), [](const FileCounts& x, const FileCounts& y) {
    return x.lines.only_b > y.lines.only_b;
  });
  size_t width = 20;
  for (const auto* rows : {&folders, &files}) {
    for (const FileCounts& row : *rows) width = std::max(width, row.name.size());
  }
  std::string text = format("{:<{}} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8}\n", "", width,
                            "lines", "A", "B", "only A", "only B", "fn. A", "fn. B") +
                     Row(comparison.total(), width);
  if (folders.size() > 1) {
    text += "\nfolders\n";
    for (const FileCounts& row : folders) text += Row(row, width);
  }
  text += files.empty() ? "\nno file differs\n" : "\nfiles that differ\n";
  for (const FileCounts& row : files) text += Row(row, width);
  return text;
}

std::string ComparisonJson(const CoverageComparison& comparison) {
  Json files = Json::array();
  for (const ComparedFile& file : comparison.files) {
    const FileCounts counts = comparison.CountsOf(file);
    files.push_back({{"name", file.name},
                     {"lines", ToJson(counts.lines)},
                     {"functions", ToJson(counts.functions)},
                     {"lines_only_a", LinesThat(file, kRanInA)},
                     {"lines_only_b", LinesThat(file, kRanInB)},
                     {"functions_only_a", FunctionsThat(file, kRanInA)},
                     {"functions_only_b", FunctionsThat(file, kRanInB)}});
  }
  const FileCounts total = comparison.total();
  const Json all = {{"lines", ToJson(total.lines)},
                    {"functions", ToJson(total.functions)},
                    {"files", std::move(files)}};
  return all.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace coverage
}  // namespace refract
