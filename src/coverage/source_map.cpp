// SPDX-License-Identifier: Apache-2.0
#include "coverage/source_map.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>

#include "base/file.h"
#include "base/subprocess.h"
#include "base/temporary_folder.h"
#include "base/text.h"
#include "signature/normalise.h"

namespace refract {
inline namespace coverage {
namespace {

constexpr uint64_t kMostOutput = uint64_t{4} << 30;  // bytes of objdump
constexpr double kMostSeconds = 1200;

// Calls `use` for each line of the text.
template <class Use>
void ForEachLine(std::string_view text, Use use) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    use(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

std::string_view TakeWord(std::string_view* text) {
  const size_t begin = std::min(text->find_first_not_of(" \t"), text->size());
  const size_t end = std::min(text->find_first_of(" \t", begin), text->size());
  const std::string_view word = text->substr(begin, end - begin);
  text->remove_prefix(end);
  return word;
}

bool ParseAddress(std::string_view word, uint64_t* address) {
  if (word.starts_with("0x")) word.remove_prefix(2);
  const auto [end, wrong] = std::from_chars(word.data(), word.data() + word.size(), *address, 16);
  return wrong == std::errc() && end == word.data() + word.size();
}

// The path of a heading like "/src/a.cpp:", "CU: a.cpp:" or "./a.h:[++]"; empty for other lines. It
// may be the folder of the compilation, a slash, and an absolute name: "/build//src/a.cpp:".
std::string_view HeadingOf(std::string_view line) {
  if (line.ends_with(":[++]")) {
    line.remove_suffix(5);
  } else if (line.ends_with(':') && !line.starts_with("Contents of")) {
    line.remove_suffix(1);
  } else {
    return {};
  }
  if (line.starts_with("CU: ")) line.remove_prefix(4);
  const size_t absolute = line.find("//");
  return absolute == std::string_view::npos ? line : line.substr(absolute + 1);
}

// Reads a row "NAME LINE ADDRESS [VIEW] [x]". NAME may have blanks, so the row is read from the
// first word that is an address.
bool ParseRow(std::string_view line, LineRow* row) {
  std::string_view before;
  for (std::string_view rest = line; !rest.empty();) {
    const std::string_view word = TakeWord(&rest);
    if (!before.empty() && (word.starts_with("0x") || word == "0") &&
        ParseAddress(word, &row->address)) {
      row->line = 0;  // the line is "-" at the end of a sequence
      if (before == "-") return true;
      const auto [end, wrong] =
          std::from_chars(before.data(), before.data() + before.size(), row->line);
      if (wrong == std::errc() && end == before.data() + before.size()) return true;
    }
    before = word;
  }
  return false;
}

std::string Normalised(const std::string& path, const std::string& build) {
  const std::filesystem::path given(path);
  const auto whole = given.is_absolute() ? given : std::filesystem::path(build) / given;
  return whole.lexically_normal().string();
}

// Collects lines and functions by file name, and then numbers them.
class SourceMapMaker {
 public:
  SourceMapMaker(const LineTable& table, const std::vector<BlockAddress>& blocks,
                 const std::string& source, const std::string& build)
      : table_(table), blocks_(blocks) {
    for (const std::string& file : table.files) {
      const std::string path = Normalised(file, build);
      const bool inside = path.starts_with(source + "/");
      names_.push_back(inside ? path.substr(source.size() + 1) : std::string());
    }
  }

  SourceMap Make(const std::vector<Symbol>& symbols) {
    std::vector<size_t> order(blocks_.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return blocks_[a].address < blocks_[b].address; });
    places_.resize(blocks_.size());
    entries_.resize(blocks_.size());
    auto symbol = symbols.begin();
    for (size_t i = 0; i < order.size(); ++i) {
      const uint64_t begin = blocks_[order[i]].address;
      const uint64_t end = i + 1 < order.size() ? blocks_[order[i + 1]].address : UINT64_MAX;
      AddLines(order[i], begin, end);
      if (!blocks_[order[i]].is_entry) continue;
      while (symbol != symbols.end() && symbol->address < begin) ++symbol;
      if (symbol != symbols.end() && symbol->address == begin) AddEntry(order[i], symbol->name);
    }
    return Numbered();
  }

 private:
  using Place = std::pair<std::string, uint32_t>;                // file and line
  using FunctionPlace = std::pair<std::string, SourceFunction>;  // file and function

  auto FirstRow(uint64_t address) const {
    return std::lower_bound(
        table_.rows.begin(), table_.rows.end(), address,
        [](const LineRow& row, uint64_t wanted) { return row.address < wanted; });
  }

  void AddLines(size_t block, uint64_t begin, uint64_t end) {
    for (auto row = FirstRow(begin); row != table_.rows.end() && row->address < end; ++row) {
      if (row->line == 0 || names_[row->file].empty()) continue;
      places_[block].emplace_back(names_[row->file], row->line);
    }
    std::sort(places_[block].begin(), places_[block].end());
    places_[block].erase(std::unique(places_[block].begin(), places_[block].end()),
                         places_[block].end());
    all_.insert(places_[block].begin(), places_[block].end());
  }

  void AddEntry(size_t block, const std::string& name) {
    const auto row = FirstRow(blocks_[block].address);
    const bool is_here = row != table_.rows.end() && row->address == blocks_[block].address;
    if (!is_here || row->line == 0 || names_[row->file].empty()) return;
    all_.emplace(names_[row->file], row->line);
    entries_[block] = FunctionPlace(names_[row->file], {name, row->line});
    all_functions_.insert(*entries_[block]);
  }

  SourceMap Numbered() const {
    SourceMap map;
    std::map<Place, uint32_t> lines;
    std::map<FunctionPlace, uint32_t> functions;
    for (const Place& place : all_) {
      if (map.files.empty() || map.files.back().name != place.first) {
        map.files.push_back({place.first, {}, {}});
      }
      map.files.back().lines.push_back(place.second);
      lines.emplace(place, static_cast<uint32_t>(lines.size()));
    }
    auto file = map.files.begin();
    for (const FunctionPlace& place : all_functions_) {
      while (file->name != place.first) ++file;  // a function has lines, so its file is there
      file->functions.push_back(place.second);
      functions.emplace(place, static_cast<uint32_t>(functions.size()));
    }
    for (size_t block = 0; block < blocks_.size(); ++block) {
      std::vector<uint32_t>& elements = map.lines.emplace_back();
      for (const Place& place : places_[block]) elements.push_back(lines.at(place));
      map.functions.emplace_back();
      if (entries_[block]) map.functions.back() = functions.at(*entries_[block]);
    }
    return map;
  }

  const LineTable& table_;
  const std::vector<BlockAddress>& blocks_;
  std::vector<std::string> names_;  // of the files of the table, in `source`; empty: elsewhere
  std::vector<std::vector<Place>> places_;             // by block
  std::vector<std::optional<FunctionPlace>> entries_;  // by block
  std::set<Place> all_;
  std::set<FunctionPlace> all_functions_;
};

// Runs a program of binutils and returns what it prints.
Result<std::string> OutputOf(const std::string& tool, std::vector<std::string> arguments) {
  const std::string path = FindProgram(tool);
  if (path.empty()) {
    return Error{format("{} is not installed (Debian: binutils)", tool), ErrorKind::kUnavailable};
  }
  const Result<TemporaryFolder> folder = TemporaryFolder::Make();
  if (!folder) return folder.error();
  Command command;
  command.argv = {path};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.stdout_file = folder->path() + "/output";
  command.time_limit = kMostSeconds;
  command.file_limit = kMostOutput;
  const Result<CommandResult> ran = RunCommand(command);
  if (!ran) return ran.error();
  if (ran->end != CommandResult::End::kExit || ran->exit_code != 0) {
    return Error{format("{} failed: {}", tool, Printable(ran->output))};
  }
  return ReadFile(command.stdout_file, kMostOutput);
}

}  // namespace

LineTable ParseLineTable(std::string_view text) {
  LineTable table;
  std::map<std::string, uint32_t, std::less<>> number;
  uint32_t file = 0;
  ForEachLine(text, [&](std::string_view line) {
    LineRow row;
    if (const std::string_view heading = HeadingOf(line); !heading.empty()) {
      const auto [found, added] =
          number.emplace(heading, static_cast<uint32_t>(table.files.size()));
      if (added) table.files.emplace_back(heading);
      file = found->second;
    } else if (!table.files.empty() && ParseRow(line, &row)) {
      row.file = file;
      table.rows.push_back(row);
    }
  });
  std::stable_sort(table.rows.begin(), table.rows.end(),
                   [](const LineRow& a, const LineRow& b) { return a.address < b.address; });
  return table;
}

std::vector<Symbol> ParseSymbols(std::string_view text) {
  std::vector<Symbol> symbols;
  ForEachLine(text, [&](std::string_view line) {
    Symbol symbol;
    const std::string_view address = TakeWord(&line), kind = TakeWord(&line);
    if (kind.size() != 1 || std::string_view("tTwW").find(kind) == std::string_view::npos) return;
    if (line.empty() || !ParseAddress(address, &symbol.address)) return;
    symbol.name = line.substr(1);
    symbols.push_back(std::move(symbol));
  });
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const Symbol& a, const Symbol& b) { return a.address < b.address; });
  return symbols;
}

TestHits SourceMap::HitsOf(std::string test, const std::vector<bool>& marks) const {
  size_t line_count = 0, function_count = 0;
  for (const SourceFile& file : files) {
    line_count += file.lines.size();
    function_count += file.functions.size();
  }
  TestHits hits{std::move(test), std::vector<bool>(line_count), std::vector<bool>(function_count)};
  for (size_t block = 0; block < std::min(marks.size(), lines.size()); ++block) {
    if (!marks[block]) continue;
    for (const uint32_t line : lines[block]) hits.lines[line] = true;
    if (functions[block]) hits.functions[*functions[block]] = true;
  }
  return hits;
}

SourceMap MapSource(const LineTable& table, const std::vector<Symbol>& symbols,
                    const std::vector<BlockAddress>& blocks, const std::string& source,
                    const std::string& build) {
  return SourceMapMaker(table, blocks, source, build).Make(symbols);
}

Result<SourceMap> MapProgram(const std::string& program, const std::vector<BlockAddress>& blocks,
                             const std::string& source, const std::string& build) {
  const Result<std::string> lines = OutputOf("objdump", {"--dwarf=decodedline", "-w", program});
  if (!lines) return lines.error();
  const Result<std::string> symbols = OutputOf("nm", {"-C", "--defined-only", program});
  if (!symbols) return symbols.error();
  SourceMap map = MapSource(ParseLineTable(*lines), ParseSymbols(*symbols), blocks, source, build);
  if (map.files.empty()) {
    return Error{
        format("{}: no code of files in {} (no debug information, or built from another "
               "folder)",
               program, source)};
  }
  return map;
}

}  // namespace coverage
}  // namespace refract
