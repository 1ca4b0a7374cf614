// SPDX-License-Identifier: Apache-2.0
#include "coverage/html.h"

#include <map>
#include <string_view>
#include <vector>

#include "base/escape_html.h"
#include "base/file.h"
#include "base/text.h"

namespace refract {
inline namespace coverage {
namespace {

constexpr uint64_t kMostSource = uint64_t{64} << 20;  // bytes of a source file

std::string Head(const std::string& title) {
  return format(
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta "
      "charset=\"utf-8\"><title>{}</title>\n<style>\n"
      "body {{ font-family: sans-serif; }} td, th {{ padding: 1px 8px; text-align: right; }}\n"
      "td:first-child, th:first-child {{ text-align: left; }}\n"
      "pre {{ font-size: 90%; margin: 0; }} .a {{ background: #f8c8c8; }} .b {{ background: "
      "#b8e8b8; }}\n"
      ".ab {{ background: #e4ecf8; }} .no {{ color: #888; }}\n"
      "@media (prefers-color-scheme: dark) {{ body {{ background: #222; color: #ddd; }}\n"
      ".a {{ background: #602828; }} .b {{ background: #205828; }} .ab {{ background: #283850; }} "
      "a {{ color: #8cf; }} }}\n"
      "</style></head><body>\n<h1>{}</h1>\n",
      EscapeHtml(title), EscapeHtml(title));
}

std::string Legend(const std::pair<std::string, std::string>& names) {
  return format(
      "<p>A: {}<br>B: {}</p>\n<p><span class=\"b\">only B ran this line</span> <span "
      "class=\"a\">only A</span> <span class=\"ab\">both</span> <span "
      "class=\"no\">neither</span></p>"
      "\n",
      EscapeHtml(names.first), EscapeHtml(names.second));
}

std::string Percent(size_t part, size_t all) {
  return all == 0 ? "" : format("{:.1f} %", 100.0 * static_cast<double>(part) / all);
}

std::string Row(const std::string& name, const FileCounts& counts) {
  const CoverageCounts& lines = counts.lines;
  return format(
      "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>"
      "<td>{}</td></tr>\n",
      name, lines.all, Percent(lines.a, lines.all), Percent(lines.b, lines.all), lines.only_a,
      lines.only_b, counts.functions.only_a, counts.functions.only_b);
}

constexpr std::string_view kTable =
    "<table>\n<tr><th></th><th>lines</th><th>A</th><th>B</th><th>only A</th><th>only B</th>"
    "<th>functions only A</th><th>functions only B</th></tr>\n";

std::vector<std::string> LinesOf(const std::string& file) {
  const Result<std::string> text = ReadFile(file, kMostSource);
  return text ? Split(*text, '\n') : std::vector<std::string>();
}

// The page of a file: its source or, without it, only the lines with code.
std::string FilePage(const ComparedFile& file, const std::string& source,
                     const std::pair<std::string, std::string>& names) {
  std::map<size_t, Ran> ran;
  for (size_t i = 0; i < file.lines.size(); ++i) ran[file.lines[i]] = file.line_ran[i];
  const std::vector<std::string> lines =
      source.empty() ? std::vector<std::string>() : LinesOf(source + "/" + file.name);
  const auto line_of = [&](size_t number, std::string_view kind) {
    const std::string text = number <= lines.size() ? lines[number - 1] : std::string();
    return format("<span{} id=\"l{}\">{:>6}  {}</span>\n",
                  kind.empty() ? "" : format(" class=\"{}\"", kind), number, number,
                  EscapeHtml(text));
  };
  std::string page =
      Head(file.name) + "<p><a href=\"index.html\">all files</a></p>\n" + Legend(names) + "<pre>\n";
  size_t number = 1;
  for (const auto& [line, what] : ran) {
    for (; number < line && number <= lines.size(); ++number) page += line_of(number, "");
    number = line + 1;
    page += line_of(line, what == kRanInBoth ? "ab"
                          : what == kRanInA  ? "a"
                          : what == kRanInB  ? "b"
                                             : "no");
  }
  for (; number <= lines.size(); ++number) page += line_of(number, "");
  return page + "</pre>\n</body></html>\n";
}

}  // namespace

Status WriteComparisonPages(const CoverageComparison& comparison, const std::string& source,
                            const std::pair<std::string, std::string>& names,
                            const std::string& folder) {
  Status done = MakeFolder(folder);
  if (!done) return done;
  std::string index = Head("Coverage of A and B") + Legend(names) + std::string(kTable) +
                      Row("all", comparison.total());
  for (const FileCounts& counts : comparison.ByFolder()) {
    index += Row(EscapeHtml(counts.name) + "/", counts);
  }
  index += "</table>\n<h2>Files</h2>\n" + std::string(kTable);
  OutputSet pages;
  for (size_t i = 0; i < comparison.files.size(); ++i) {
    const ComparedFile& file = comparison.files[i];
    const FileCounts counts = comparison.CountsOf(file);
    if (counts.lines.only_a + counts.lines.only_b == 0) {
      index += Row(EscapeHtml(file.name), counts);
      continue;
    }
    const std::string page = format("file_{}.html", i + 1);
    index += Row(format("<a href=\"{}\">{}</a>", page, EscapeHtml(file.name)), counts);
    done = pages.Add(folder + "/" + page, FilePage(file, source, names));
    if (!done) return done;
  }
  done = pages.Add(folder + "/index.html", index + "</table>\n</body></html>\n");
  return done ? pages.Commit() : done;
}

}  // namespace coverage
}  // namespace refract
