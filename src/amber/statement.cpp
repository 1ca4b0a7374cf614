// SPDX-License-Identifier: Apache-2.0
#include "amber/statement.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/text.h"
#include "input/scalar.h"

namespace refract::amber {
namespace {

std::string Printable(std::string_view text) {
  constexpr size_t kMost = 60;
  std::string shown(text.substr(0, kMost));
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c >= 0x7f; }, '?');
  return text.size() > kMost ? shown + "..." : shown;
}

bool IsBlank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v' || c == '\0';
}

void AddWords(std::string_view line, std::vector<std::string>* words) {
  for (size_t at = 0; at < line.size();) {
    if (IsBlank(line[at])) {
      ++at;
      continue;
    }
    size_t end = at;
    while (end < line.size() && !IsBlank(line[end])) ++end;
    words->emplace_back(line.substr(at, end - at));
    at = end;
  }
}

}  // namespace

bool Statement::TakeIf(std::string_view word) {
  if (AtEnd() || words_[at_] != word) return false;
  ++at_;
  return true;
}

Result<std::string> Statement::Take(std::string_view what) {
  if (AtEnd()) return Bad(format("expected {} at the end of the line", what));
  return words_[at_++];
}

Status Statement::TakeNumber(std::string_view what, uint32_t most, uint32_t* value) {
  uint64_t number = 0;
  if (AtEnd() || !ParseNumber(words_[at_], &number) || number > most) {
    return Bad(format("expected {} (a number from 0 to {})", what, most));
  }
  ++at_;
  *value = static_cast<uint32_t>(number);
  return {};
}

Status Statement::TakeReal(std::string_view what, double* value) {
  uint64_t bits = 0;
  if (AtEnd() || !ParseFloat(words_[at_], 64, &bits)) {
    return Bad(format("expected {} (a number)", what));
  }
  ++at_;
  std::memcpy(value, &bits, sizeof(*value));
  return {};
}

Status Statement::Require(std::string_view word) {
  if (TakeIf(word)) return {};
  return Bad(AtEnd() ? format("expected {} at the end of the line", word)
                     : format("expected {}, not '{}'", word, Printable(Peek())));
}

Status Statement::RequireEnd() const {
  if (AtEnd()) return {};
  return NotSupported(Peek());
}

Error Statement::Bad(std::string_view what) const {
  return Error{format("{}:{}: {}", *file_, line_, what)};
}

Error Statement::NotSupported(std::string_view what) const {
  return Bad(format("'{}' is not supported here", Printable(what)));
}

std::string_view Lines::Line() {
  const size_t end = std::min(text_.find('\n', at_), text_.size());
  const std::string_view line = text_.substr(at_, end - at_);
  at_ = std::min(end + 1, text_.size());
  ++line_;
  return line;
}

Statement Lines::Next() {
  std::vector<std::string> words;
  size_t first = line_ + 1;
  bool goes_on = false;
  while (at_ < text_.size() && (words.empty() || goes_on)) {
    if (words.empty()) first = line_ + 1;
    std::string_view line = Line();
    line = line.substr(0, line.find('#'));
    while (!line.empty() && IsBlank(line.back())) line.remove_suffix(1);
    goes_on = !line.empty() && line.back() == '\\';
    if (goes_on) line.remove_suffix(1);
    AddWords(line, &words);
  }
  return {&file_, first, std::move(words)};
}

Result<std::string> Lines::TextToEnd(const Statement& begin) {
  const size_t end = text_.find("END", at_);
  if (end == std::string_view::npos) return begin.Bad("the block has no END");
  std::string taken(text_.substr(at_, end - at_));
  line_ += static_cast<size_t>(std::count(taken.begin(), taken.end(), '\n'));
  at_ = end + 3;
  return taken;
}

}  // namespace refract::amber
