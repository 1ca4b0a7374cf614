// SPDX-License-Identifier: Apache-2.0
#include "cli/campaign/campaign_screen.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace refract {
inline namespace cli {
namespace {

using Style = ScreenLine::Style;

constexpr size_t kTwoColumns = 60, kThreeColumns = 110;  // least widths
constexpr size_t kFullNames = 37;                        // least width of a column with them
constexpr size_t kGap = 2;                               // between columns
constexpr size_t kMaxMessages = 10;

// How many columns a text takes: one for each character.
size_t WidthOf(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

std::string Padded(std::string_view text, size_t width) {
  std::string padded = CutToWidth(text, width);
  const size_t used = WidthOf(padded);
  return padded + std::string(width - std::min(used, width), ' ');
}

std::string Right(std::string_view text, size_t width) {
  const size_t used = WidthOf(text);
  return std::string(width - std::min(used, width), ' ') + std::string(text);
}

// A number with its name; `brief` is the name in narrow columns.
struct Row {
  std::string_view name, brief;
  std::string value;
};
struct Section {
  std::string_view title;
  std::vector<Row> rows;
};

std::string Rate(double tests_per_second) {
  // Slow tests take minutes.
  return tests_per_second > 0 && tests_per_second < 0.1
             ? format("{:.1f} tests/min", 60 * tests_per_second)
             : format("{:.1f} tests/s", tests_per_second);
}

// "12 min ago", with only the largest unit.
std::string Ago(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(seconds, 0.0));
  if (whole < 120) return format("{} s ago", whole);
  if (whole < 7200) return format("{} min ago", whole / 60);
  return whole < 172800 ? format("{} h ago", whole / 3600) : format("{} d ago", whole / 86400);
}

Section TestsSection(const CampaignStatus& status) {
  const CampaignProgress& now = status.progress;
  Section section{"Tests", {{"run time", "run time", ScreenDuration(now.seconds)}}};
  const auto add = [&](std::string_view name, std::string_view brief, std::string value) {
    section.rows.push_back({name, brief, std::move(value)});
  };
  if (now.all_seconds > now.seconds + 1) {
    add("run time of all starts", "all starts", ScreenDuration(now.all_seconds));
  }
  if (now.time_limit && status.state == CampaignStatus::State::kRunning) {
    add("time left", "time left", ScreenDuration(std::max(*now.time_limit - now.seconds, 0.0)));
  }
  add("tests", "tests", ScreenNumber(now.tests));
  if (now.test_limit && status.state == CampaignStatus::State::kRunning) {
    add("tests left", "tests left",
        ScreenNumber(*now.test_limit - std::min(now.tests, *now.test_limit)));
  }
  add("rate, last minute", "last minute", Rate(now.recent_tests_per_second));
  add("rate, this start", "average", Rate(now.tests_per_second));
  return section;
}

Section BucketsSection(const CampaignStatus& status) {
  const BucketCounts& buckets = status.progress.counts.buckets;
  return {"Buckets of failing tests",
          {{"new findings", "new findings", ScreenNumber(buckets.found)},
           {"last new finding", "last new",
            buckets.last_found < 0 ? "none yet"
                                   : Ago(status.progress.all_seconds - buckets.last_found)},
           {"known issues", "known issues", ScreenNumber(buckets.known)},
           {"muted", "muted", ScreenNumber(buckets.muted)},
           {"only counted", "only counted", ScreenNumber(buckets.counted_only)},
           {"faults of Refract", "Refract faults", ScreenNumber(buckets.own)}}};
}

Section ReducingSection(const CampaignStatus& status) {
  const CampaignProgress& now = status.progress;
  const uint64_t waiting = now.waiting - std::min(now.reducing, now.waiting);
  return {"Reducing failing tests",
          {{"under way", "under way", ScreenNumber(now.reducing)},
           {"waiting", "waiting", ScreenNumber(waiting)},
           {"reduced", "reduced", ScreenNumber(now.counts.reduced)}}};
}

Section CoverageSection(const CampaignStatus& status) {
  const CampaignProgress& now = status.progress;
  const CampaignCounts& counts = now.counts;
  const auto of = [](uint64_t part, uint64_t all) { return format("{} of {}", part, all); };
  Section section = {"Coverage",
                     {{"references checked", "references", of(now.checked, now.references)},
                      {"used only for crashes", "crashes only", ScreenNumber(counts.crash_only)},
                      {"put aside", "put aside", ScreenNumber(counts.put_aside)},
                      {"transformation types", "transform types",
                       of(counts.types, counts.types + counts.missing_types.size())}}};
  if (const auto& lines = counts.coverage) {
    section.rows.push_back({"lines that ran", "lines ran", of(lines->lines, lines->all_lines)});
    section.rows.push_back({"new lines, last round", "new lines", ScreenNumber(lines->new_lines)});
  }
  return section;
}

std::string StateText(const CampaignStatus& status) {
  switch (status.state) {
    case CampaignStatus::State::kRunning:
      break;
    case CampaignStatus::State::kStopping:
      return "ending; ^C again kills it";
    case CampaignStatus::State::kEnded:
      return "ended";
    case CampaignStatus::State::kKilled:
      return "killed";
    case CampaignStatus::State::kMerged:
      return "merged";
  }
  switch (status.progress.phase) {
    case CampaignPhase::kReferences:
      return "checking references";
    case CampaignPhase::kReducing:
      return "only reducing";
    case CampaignPhase::kTests:
      break;
  }
  return "running tests";
}

ScreenLine Header(const CampaignStatus& status, size_t width) {
  const std::string state = StateText(status);
  const size_t left = width - std::min(width, state.size() + kGap);
  if (left < 10) return {CutToWidth(state, width), Style::kHeading};
  // The end of a long path tells more than its beginning.
  const std::string folder = CutToWidth(status.folder, std::string::npos);
  std::string title = "refract campaign: " + folder;
  if (WidthOf(title) > left) title = folder;
  if (WidthOf(title) > left) {
    size_t from = title.size() - (left - 3);
    while (from < title.size() && (title[from] & 0xc0) == 0x80) ++from;
    title = "..." + title.substr(from);
  }
  return {Padded(title, left) + std::string(kGap, ' ') + state, Style::kHeading};
}

// The lines of sections below each other, `width` wide.
std::vector<ScreenLine> StackedLines(const std::vector<Section>& sections, size_t width) {
  const bool brief = width < kFullNames;
  std::vector<ScreenLine> lines;
  for (const Section& section : sections) {
    if (!lines.empty()) lines.push_back({std::string(width, ' ')});
    lines.push_back({Padded(section.title, width), Style::kHeading});
    size_t names = 0;
    for (const Row& row : section.rows) {
      names = std::max(names, brief ? row.brief.size() : row.name.size());
    }
    for (const Row& row : section.rows) {
      const std::string_view name = brief ? row.brief : row.name;
      lines.push_back({Padded(format("  {:<{}}  {}", name, names, row.value), width)});
    }
  }
  return lines;
}

// The sections in one, two or three columns.
std::vector<ScreenLine> Grid(const CampaignStatus& status, size_t width) {
  const Section tests = TestsSection(status), buckets = BucketsSection(status),
                reducing = ReducingSection(status), coverage = CoverageSection(status);
  std::vector<std::vector<Section>> columns;
  if (width >= kThreeColumns) {
    columns = {{tests}, {buckets}, {reducing, coverage}};
  } else if (width >= kTwoColumns) {
    columns = {{tests, reducing}, {buckets, coverage}};
  } else {
    columns = {{buckets, tests, reducing, coverage}};
  }
  const size_t each = (width - kGap * (columns.size() - 1)) / columns.size();
  std::vector<ScreenLine> lines;
  // The first sections of all columns have equal heights, so that headings are on one line.
  const size_t rows = std::max(tests.rows.size(), buckets.rows.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (columns.size() == 2) columns[i].front().rows.resize(rows);
    const std::vector<ScreenLine> column = StackedLines(columns[i], each);
    lines.resize(std::max(lines.size(), column.size()));
    for (size_t row = 0; row < column.size(); ++row) {
      ScreenLine& line = lines[row];
      if (i > 0) line.text = Padded(line.text, i * (each + kGap));
      line.text += column[row].text;
      if (column[row].style == Style::kHeading) line.style = Style::kHeading;
    }
  }
  return lines;
}

std::string_view UseText(TargetUse use) {
  switch (use) {
    case TargetUse::kSkipped:
      return "hangs: skipped";
    case TargetUse::kNotUsable:
      return "not usable";
    case TargetUse::kNoReference:
      return "no reference";
    case TargetUse::kInUse:
      break;
  }
  return "in use";
}

// A column of the table of targets.
struct TableColumn {
  std::string_view title;
  std::vector<std::string> cells;
  size_t Width() const {
    size_t width = title.size();
    for (const std::string& cell : cells) width = std::max(width, WidthOf(cell));
    return width;
  }
};

std::vector<ScreenLine> TargetLines(const CampaignStatus& status, size_t width) {
  const std::vector<TargetCounts>& targets = status.progress.counts.targets;
  double seconds = 0;
  for (const TargetCounts& target : targets) seconds += target.seconds;
  TableColumn name{"Target", {}}, runs{"runs", {}}, failures{"failures", {}};
  TableColumn counted{"only counted", {}}, time{"seconds", {}}, share{"share", {}};
  TableColumn state{"state", {}};
  for (const TargetCounts& target : targets) {
    name.cells.push_back(CutToWidth(target.name, std::string::npos));
    runs.cells.push_back(ScreenNumber(target.runs));
    failures.cells.push_back(ScreenNumber(target.failures));
    counted.cells.push_back(ScreenNumber(target.counted_only));
    time.cells.push_back(ScreenNumber(static_cast<uint64_t>(target.seconds)));
    share.cells.push_back(seconds > 0 ? format("{:.0f} %", 100 * target.seconds / seconds) : "");
    state.cells.emplace_back(UseText(target.use));
  }
  std::vector<const TableColumn*> columns = {&runs, &failures};
  if (width >= kThreeColumns) columns.push_back(&counted);
  if (width > kTwoColumns) columns.push_back(&time);
  if (width >= kTwoColumns) columns.push_back(&share);
  size_t used = width >= kTwoColumns ? kGap + state.Width() : 0;
  for (const TableColumn* column : columns) used += kGap + column->Width();
  const size_t left = std::min(name.Width(), width - std::min(width, used));
  std::vector<ScreenLine> lines;
  for (size_t row = 0; row <= targets.size(); ++row) {
    const auto cell = [&](const TableColumn& column) {
      return row == 0 ? std::string_view(column.title) : std::string_view(column.cells[row - 1]);
    };
    std::string text = Padded(cell(name), left);
    for (const TableColumn* column : columns) {
      text += std::string(kGap, ' ') + Right(cell(*column), column->Width());
    }
    if (width >= kTwoColumns) text += std::string(kGap, ' ') + std::string(cell(state));
    lines.push_back({std::move(text), row == 0 ? Style::kHeading : Style::kPlain});
  }
  return lines;
}

// The newest messages, at most `most`. Warnings come last.
std::vector<ScreenLine> MessageLines(const CampaignStatus& status, size_t most) {
  std::vector<ScreenLine> lines;
  for (const std::string& event : status.progress.counts.events) lines.push_back({"  " + event});
  for (const std::string& warning : status.warnings) {
    lines.push_back({"  " + warning, Style::kWarning});
  }
  if (lines.size() > most) lines.erase(lines.begin(), lines.end() - static_cast<long>(most));
  return lines;
}

void Append(std::vector<ScreenLine> more, std::vector<ScreenLine>* lines) {
  lines->insert(lines->end(), more.begin(), more.end());
}

// Leaves out targets until the table has at most `height` lines.
void CutTable(size_t height, std::vector<ScreenLine>* table) {
  if (table->size() <= height) return;
  if (height < 3) return table->resize(height);
  const size_t shown = height - 1;
  const size_t left_out = table->size() - shown;
  table->resize(shown);
  table->push_back({format("and {} more targets", left_out)});
}

}  // namespace

std::string ScreenDuration(double seconds) {
  const auto whole = static_cast<uint64_t>(std::max(seconds, 0.0));
  const uint64_t minutes = whole / 60, hours = minutes / 60;
  if (whole < 120) return format("{} s", whole);
  if (hours < 2) return format("{} min {:02} s", minutes, whole % 60);
  if (hours < 48) return format("{} h {:02} min", hours, minutes % 60);
  return format("{} d {} h", hours / 24, hours % 24);
}

std::string ScreenNumber(uint64_t number) {
  std::string text = std::to_string(number);
  for (size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string CutToWidth(std::string_view text, size_t width) {
  std::string clean(text);
  for (size_t i = 0; i < clean.size(); ++i) {
    const auto byte = static_cast<unsigned char>(clean[i]);
    if (byte < ' ' || byte == 0x7f) clean[i] = ' ';
    // U+0080 to U+009F, which are control characters too.
    const bool control =
        byte == 0xc2 && i + 1 < clean.size() && static_cast<unsigned char>(clean[i + 1]) < 0xa0;
    if (control) clean[i] = clean[i + 1] = ' ';
  }
  if (WidthOf(clean) <= width) return clean;
  const std::string_view dots = width > 3 ? "..." : "";
  size_t end = 0;
  for (size_t used = 0; end < clean.size(); ++end) {
    if ((clean[end] & 0xc0) != 0x80 && used++ == width - dots.size()) break;
  }
  return clean.substr(0, end).append(dots);
}

std::vector<ScreenLine> CampaignScreen(const CampaignStatus& status, size_t width, size_t height) {
  width = std::max<size_t>(width, 1);
  std::vector<ScreenLine> grid = Grid(status, width), table = TargetLines(status, width);
  const size_t messages = MessageLines(status, kMaxMessages).size();
  const size_t core = 1 + grid.size() + table.size();
  if (height == 0) height = core + 4 + messages;
  // Messages are more important than empty lines.
  const bool roomy = core + 2 + (messages == 0 ? 0 : 2 + std::min<size_t>(messages, 3)) <= height;
  std::vector<ScreenLine> lines = {Header(status, width)};
  if (roomy) lines.push_back({});
  Append(std::move(grid), &lines);
  if (roomy) lines.push_back({});
  CutTable(height - std::min(height, lines.size()), &table);
  Append(std::move(table), &lines);
  const size_t left = height - std::min(height, lines.size());
  const size_t heading = roomy ? 2 : 1;
  if (messages > 0 && left > heading) {
    if (roomy) lines.push_back({});
    lines.push_back({"Last events", Style::kHeading});
    Append(MessageLines(status, std::min(left - heading, kMaxMessages)), &lines);
  }
  if (lines.size() > height) lines.resize(height);
  for (ScreenLine& line : lines) {
    line.text = CutToWidth(line.text, width);
    line.text.erase(line.text.find_last_not_of(' ') + 1);
  }
  return lines;
}

}  // namespace cli
}  // namespace refract
