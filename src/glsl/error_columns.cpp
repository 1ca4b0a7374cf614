// SPDX-License-Identifier: Apache-2.0
#include "glsl/error_columns.h"

#include <utility>

#include "base/diagnostic.h"
#include "base/text.h"

namespace refract {
inline namespace glsl {
namespace {

// The names that glslang's grammar gives to the most frequent tokens of syntax errors.
constexpr std::pair<std::string_view, std::string_view> kTokens[] = {
    {"COMMA", ","},        {"SEMICOLON", ";"},     {"EQUAL", "="},      {"COLON", ":"},
    {"LEFT_PAREN", "("},   {"RIGHT_PAREN", ")"},   {"LEFT_BRACE", "{"}, {"RIGHT_BRACE", "}"},
    {"LEFT_BRACKET", "["}, {"RIGHT_BRACKET", "]"}, {"DOT", "."},        {"QUESTION", "?"},
};

// Returns the token that an error names, as in "'x' : undeclared identifier" or "syntax error,
// unexpected RIGHT_BRACE, expecting SEMICOLON". Empty: it names none.
std::string_view TokenOf(std::string_view what) {
  if (what.starts_with('\'')) return what.substr(1, what.find('\'', 1) - 1);
  constexpr std::string_view kUnexpected = "unexpected ";
  const size_t at = what.find(kUnexpected);
  if (at == std::string_view::npos) return {};
  what.remove_prefix(at + kUnexpected.size());
  const std::string_view name = what.substr(0, what.find(','));
  for (const auto& [token, text] : kTokens) {
    if (token == name) return text;
  }
  return {};
}

bool IsWordCharacter(char c) {
  return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Returns the column of the first such token of a line, starting at 1; 0 if the line has none.
size_t ColumnOf(std::string_view token, std::string_view line) {
  if (token.empty()) return 0;
  for (size_t at = line.find(token); at != std::string_view::npos; at = line.find(token, at + 1)) {
    const size_t end = at + token.size();
    const bool cut_front =
        at > 0 && IsWordCharacter(line[at - 1]) && IsWordCharacter(token.front());
    const bool cut_back =
        end < line.size() && IsWordCharacter(line[end]) && IsWordCharacter(token.back());
    if (!cut_front && !cut_back) return at + 1;
  }
  return 0;
}

}  // namespace

Error WithColumns(Error error, const std::string& name, std::string_view source) {
  const std::string start = name + ":";
  std::string message;
  for (const std::string& line : Split(error.message, '\n')) {
    if (!message.empty()) message += '\n';
    message += line;
    const size_t colon = line.find(": ", start.size());
    uint64_t number = 0;
    if (!line.starts_with(start) || colon == std::string::npos ||
        !ParseNumber(line.substr(start.size(), colon - start.size()), &number)) {
      continue;
    }
    const std::string_view what = std::string_view(line).substr(colon + 2);
    const size_t column = ColumnOf(TokenOf(what), SourceLine(source, number));
    if (column == 0) continue;
    message.resize(message.size() - line.size());
    message += format("{}{}:{}: {}", start, number, column, what);
  }
  error.message = std::move(message);
  return error;
}

}  // namespace glsl
}  // namespace refract
