// SPDX-License-Identifier: Apache-2.0
#include "base/diagnostic.h"

#include <algorithm>
#include <charconv>

#include "base/text.h"

namespace refract {
inline namespace base {
namespace {

constexpr size_t kMostShown = 100;  // bytes of a source line
constexpr std::string_view kError = "error: ";

bool IsContinuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;  // of a character in UTF-8
}

bool IsControl(char c) {
  return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == 0x7f;
}

// Removes "NUMBER:" from the front of `text`.
bool TakeNumber(std::string_view* text, size_t* number) {
  const char* end = text->data() + text->size();
  const auto [parsed, failed] = std::from_chars(text->data(), end, *number);
  if (failed != std::errc() || parsed == end || *parsed != ':') return false;
  text->remove_prefix(static_cast<size_t>(parsed - text->data()) + 1);
  return true;
}

// TakePlace removes the place from the front of `text`, a line of a message.
struct Place {
  size_t line = 0, column = 0;
};
bool TakePlace(std::string_view file, std::string_view* text, Place* place) {
  if (!text->starts_with(file)) return false;
  std::string_view rest = text->substr(file.size());
  if (!rest.starts_with(':')) return false;
  rest.remove_prefix(1);
  if (!TakeNumber(&rest, &place->line)) return false;
  if (!TakeNumber(&rest, &place->column)) place->column = 0;
  if (!rest.starts_with(' ')) return false;
  *text = rest.substr(1);
  return true;
}

}  // namespace

std::string_view SourceLine(std::string_view source, size_t line) {
  for (size_t at = 1; at < line; ++at) {
    const size_t end = source.find('\n');
    if (end == std::string_view::npos) return {};
    source.remove_prefix(end + 1);
  }
  std::string_view found = source.substr(0, source.find('\n'));
  if (found.ends_with('\r')) found.remove_suffix(1);
  return found;
}

std::string FormatDiagnostic(std::string_view file, std::string_view source, size_t line,
                             size_t column, std::string_view text) {
  std::string_view shown = line == 0 ? std::string_view() : SourceLine(source, line);
  const size_t first = shown.find_first_not_of(" \t");
  if (column == 0) column = first == std::string_view::npos ? 1 : first + 1;
  std::string message = format("{}:{}:{}: {}{}", file, line, column, kError, text);
  if (first == std::string_view::npos) return message;

  // The caret may be one column after the last character.
  size_t at = std::min(column - 1, shown.size());
  const bool cut_front = at > kMostShown * 3 / 4;
  if (cut_front) {
    size_t begin = at - kMostShown / 2;
    while (begin < at && IsContinuation(shown[begin])) ++begin;
    shown.remove_prefix(begin);
    at -= begin;
  }
  const bool cut_back = shown.size() > kMostShown;
  if (cut_back) {
    size_t end = kMostShown;
    while (end > at && IsContinuation(shown[end])) --end;
    shown = shown.substr(0, end);
  }
  std::string line_text(cut_front ? "..." : ""), caret(cut_front ? "   " : "");
  for (size_t i = 0; i < shown.size(); ++i) {
    line_text += IsControl(shown[i]) ? '?' : shown[i];
    // A tab stays a tab, so that the caret is below its character for any tab width.
    if (i < at && !IsContinuation(shown[i])) caret += shown[i] == '\t' ? '\t' : ' ';
  }
  message +=
      format("\n{:>5} | {}{}\n{:>5} | {}^", line, line_text, cut_back ? "..." : "", "", caret);
  return message;
}

Error WithSource(Error error, std::string_view file, std::string_view source) {
  std::string message;
  for (const std::string& line : Split(error.message, '\n')) {
    if (!message.empty()) message += '\n';
    std::string_view text = line;
    Place place;
    const bool found = TakePlace(file, &text, &place) && !text.starts_with(kError);
    message += found ? FormatDiagnostic(file, source, place.line, place.column, text) : line;
  }
  error.message = std::move(message);
  return error;
}

size_t FindDiagnostic(std::string_view message) {
  const std::string_view first = message.substr(0, message.find('\n'));
  for (size_t at = first.find(": error: "); at != std::string_view::npos;
       at = first.find(": error: ", at + 1)) {
    // Line and column must precede it, and the file must precede them.
    size_t numbers = 0, end = at;
    while (numbers < 2) {
      size_t begin = end;
      while (begin > 0 && first[begin - 1] >= '0' && first[begin - 1] <= '9') --begin;
      if (begin == end || begin < 2 || first[begin - 1] != ':') break;
      end = begin - 1;
      ++numbers;
    }
    const bool is_file = first.substr(0, end).find(": ") == std::string_view::npos;
    if (numbers == 2 && is_file) return at + 2;
  }
  return std::string_view::npos;
}

}  // namespace base
}  // namespace refract
