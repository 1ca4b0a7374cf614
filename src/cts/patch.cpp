// SPDX-License-Identifier: Apache-2.0
#include "cts/patch.h"

#include <algorithm>

#include "base/check.h"
#include "base/file.h"
#include "base/text.h"

namespace refract {
inline namespace cts {
namespace {

constexpr size_t kContext = 3;

// A line of the new file; `added`: the old file does not have it.
struct PatchLine {
  std::string_view text;
  bool added;
};

std::vector<std::string_view> LinesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    CHECK(end != std::string_view::npos);
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::vector<PatchLine> Marked(const FileChange& change) {
  const std::vector<std::string_view> old =
      LinesOf(change.before ? std::string_view(*change.before) : std::string_view());
  std::vector<PatchLine> lines;
  size_t at = 0;
  for (const std::string_view line : LinesOf(change.after)) {
    const bool kept = at < old.size() && old[at] == line;
    lines.push_back({line, !kept});
    at += kept ? 1 : 0;
  }
  CHECK(at == old.size());
  return lines;
}

// Whether a line is in a hunk: an added line, or one of the lines of its context.
std::vector<bool> Shown(const std::vector<PatchLine>& lines) {
  std::vector<bool> shown(lines.size(), false);
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].added) continue;
    const size_t first = i < kContext ? 0 : i - kContext;
    const size_t end = std::min(lines.size(), i + kContext + 1);
    std::fill(shown.begin() + static_cast<ptrdiff_t>(first),
              shown.begin() + static_cast<ptrdiff_t>(end), true);
  }
  return shown;
}

// The part of a hunk header for one side. A side without lines names the line before it.
std::string Range(char sign, size_t before, size_t count) {
  return format("{}{},{}", sign, count == 0 ? before : before + 1, count);
}

std::string Hunks(const std::vector<PatchLine>& lines) {
  const std::vector<bool> shown = Shown(lines);
  std::string text;
  size_t old_lines = 0;  // before line i
  for (size_t i = 0; i < lines.size();) {
    if (!shown[i]) {
      ++i, ++old_lines;
      continue;
    }
    std::string hunk;
    const size_t first = i, first_old = old_lines;
    for (; i < lines.size() && shown[i]; ++i) {
      hunk += format("{}{}\n", lines[i].added ? '+' : ' ', lines[i].text);
      old_lines += lines[i].added ? 0 : 1;
    }
    text += format("@@ {} {} @@\n{}", Range('-', first_old, old_lines - first_old),
                   Range('+', first, i - first), hunk);
  }
  return text;
}

std::string FolderOf(const std::string& path) {
  return path.substr(0, path.find_last_of('/'));
}

}  // namespace

std::string PatchOf(const std::vector<FileChange>& changes) {
  std::string text;
  for (const FileChange& change : changes) {
    text += format("diff --git a/{} b/{}\n", change.path, change.path);
    if (!change.before) text += "new file mode 100644\n";
    text += change.before ? format("--- a/{}\n", change.path) : "--- /dev/null\n";
    text += format("+++ b/{}\n{}", change.path, Hunks(Marked(change)));
  }
  return text;
}

Status WriteChanges(const std::string& root, const std::vector<FileChange>& changes) {
  OutputSet outputs;
  for (const FileChange& change : changes) {
    const std::string path = format("{}/{}", root, change.path);
    if (Status made = MakeFolder(FolderOf(path)); !made) return made;
    if (Status added = outputs.Add(path, change.after); !added) return added;
  }
  return outputs.Commit();
}

}  // namespace cts
}  // namespace refract
