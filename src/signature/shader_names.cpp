// SPDX-License-Identifier: Apache-2.0
#include "signature/shader_names.h"

#include <algorithm>

#include "base/text.h"
#include "signature/characters.h"

namespace refract {
inline namespace signature {
namespace {

bool IsUpper(char c) {
  return c >= 'A' && c <= 'Z';
}
bool IsLower(char c) {
  return c >= 'a' && c <= 'z';
}
bool IsQuote(char c) {
  return c == '\'' || c == '"' || c == '`';
}
size_t EndOfWord(std::string_view text, size_t at) {
  while (at < text.size() && IsWord(text[at])) ++at;
  return at;
}
bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

/// What tools add to names: SPIRV-Cross to members without a name (m0), to copies and to words that
/// the language reserves.
bool IsAffix(std::string_view part) {
  constexpr std::string_view kAffixes[] = {"RESERVED", "IDENTIFIER", "FIXUP", "SPIRV", "Cross",
                                           "copy",     "type",       "ptr",   "in",    "out"};
  if (part.size() > 1 && part[0] == 'm' && IsNumber(part.substr(1))) return true;
  return std::find(std::begin(kAffixes), std::end(kAffixes), part) != std::end(kAffixes);
}

/// Whether an identifier cannot be a word of a sentence: it has an underscore, a digit, or a
/// capital letter after a small one. Opcodes and the built-in variables of the languages are no
/// names.
bool IsClearlyAName(std::string_view word) {
  if (word.starts_with("Op") || word.starts_with("gl_")) return false;
  for (size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '_' || IsDigit(word[i])) return true;
    if (i > 0 && IsUpper(word[i]) && IsLower(word[i - 1])) return true;
  }
  return false;
}

/// Whether a program, and not the shader, has a name at this place: "spv::Name", "Name::f", a file
/// or a placeholder.
bool IsOfProgram(std::string_view text, size_t begin, size_t end) {
  const std::string_view before = text.substr(0, begin), after = text.substr(end);
  return before.ends_with("::") || after.starts_with("::") || before.ends_with("<") ||
         before.ends_with("/") || before.ends_with("-") || after.starts_with("-") ||
         before.ends_with("%") || before.ends_with("[%");
}

/// The end of a quoted expression without blanks, before the closing quote; kNone if the quote at
/// `at` does not begin one.
size_t EndOfExpression(std::string_view text, size_t at) {
  if (at > 0 && IsWord(text[at - 1])) return kNone;  // an apostrophe
  const size_t close = text.find(text[at], at + 1);
  if (close == kNone || close == at + 1) return kNone;
  const std::string_view quoted = text.substr(at + 1, close - at - 1);
  return quoted.find(' ') == kNone ? close : kNone;
}

/// Whether the shader's author chose the name, in messages that also quote functions of the
/// language, which begin with a small letter.
bool IsOwnName(std::string_view name) {
  return !name.empty() && IsUpper(name[0]);
}

/// Whether the message is known to quote a name at this place.
bool QuotesAName(std::string_view before, std::string_view quoted, std::string_view after) {
  constexpr std::string_view kBefore[] = {
      "structure ", "l-value required ", "function ",         "variable ",
      "Function: ", "identifier ",       "unresolved value ", "Member "};
  constexpr std::string_view kAfter[] = {
      " : undeclared identifier", " : redefinition",
      " : no such field",         " : unknown variable",
      " : redeclaration",         " : cannot be used",
      " : function already has",  " : identifiers starting with"};
  return std::any_of(std::begin(kBefore), std::end(kBefore),
                     [&](std::string_view words) { return before.ends_with(words); }) ||
         std::any_of(std::begin(kAfter), std::end(kAfter),
                     [&](std::string_view words) { return after.starts_with(words); }) ||
         (before.ends_with("] ") && after.starts_with(" is invalid")) ||
         (after.starts_with(" : no matching overloaded function") && IsOwnName(quoted));
}

/// Replaces the name that follows `words` without quotes.
std::string NameAfter(std::string text, std::string_view words) {
  for (size_t at = text.find(words); at != std::string::npos; at = text.find(words, at)) {
    at += words.size();
    const size_t end = EndOfWord(text, at);
    if (end > at) text.replace(at, end - at, "<name>");
  }
  return text;
}

/// Replaces what known messages quote: 'foo' : undeclared identifier.
std::string WithoutQuotedNames(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const char quote = text[at];
    const size_t close = quote == '\'' || quote == '"' ? text.find(quote, at + 1) : kNone;
    if (close == kNone || close - at > 200) {
      result += text[at++];
      continue;
    }
    const bool name =
        QuotesAName(result, text.substr(at + 1, close - at - 1), text.substr(close + 1));
    result +=
        name ? format("{}<name>{}", quote, quote) : std::string(text.substr(at, close + 1 - at));
    at = close + 1;
  }
  result = NameAfter(std::move(result), "function does not return a value: ");
  return NameAfter(std::move(result), "(name: ");
}

}  // namespace

std::string IdentifierOf(std::string_view name) {
  std::string word(name.substr(0, name.find('(')));
  for (char& c : word) {
    if (!IsWord(c)) c = '_';
  }
  return word.find_first_not_of('_') == std::string::npos ? std::string() : word;
}

bool IsMadeOfNames(std::string_view word, const std::vector<std::string>& names) {
  if (std::binary_search(names.begin(), names.end(), word)) return true;
  // reached[i]: the first i characters are names, numbers and affixes, with underscores after each.
  // named[i]: one of them is a name, or an id, which is the number after a leading underscore.
  std::vector<bool> reached(word.size() + 2), named(word.size() + 2);
  reached[0] = true;
  for (size_t begin = 0; begin < word.size(); ++begin) {
    if (!reached[begin]) continue;
    const auto reach = [&](size_t next, bool with_name) {
      reached[next] = true;
      named[next] = named[next] || named[begin] || with_name;
    };
    if (word[begin] == '_') reach(begin + 1, false);
    for (size_t end = begin + 1; end <= word.size(); ++end) {
      if (end < word.size() && word[end] != '_') continue;
      const std::string_view part = word.substr(begin, end - begin);
      const bool name = std::binary_search(names.begin(), names.end(), part);
      const bool id = IsNumber(part) && begin == 1 && word[0] == '_';
      if (name || IsNumber(part) || IsAffix(part)) reach(end + 1, name || id);
    }
  }
  // A part that ends with the word reaches the place after an underscore that is not there.
  return reached[word.size() + 1] && named[word.size() + 1];
}

std::string WithoutShaderNames(std::string_view text, const std::vector<std::string>& names) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const size_t close = IsQuote(text[at]) ? EndOfExpression(text, at) : kNone;
    if (close != kNone) {  // 'name', 'name.member[2]'
      const size_t end = EndOfWord(text, at + 1);
      if (end > at + 1 && !IsOfProgram(text, at + 1, end) &&
          IsMadeOfNames(text.substr(at + 1, end - at - 1), names)) {
        result += format("{}<name>{}", text[at], text[at]);
        at = close + 1;
        continue;
      }
    }
    if (!IsWord(text[at])) {
      result += text[at++];
      continue;
    }
    const size_t end = EndOfWord(text, at);
    const std::string_view word = text.substr(at, end - at);
    const bool name = !IsDigit(word[0]) && !IsOfProgram(text, at, end) && IsClearlyAName(word) &&
                      IsMadeOfNames(word, names);
    result += name ? "<name>" : word;
    at = end;
  }
  return WithoutQuotedNames(result);
}

std::string WithoutTypeSizes(std::string_view text) {
  constexpr std::string_view kTypes[] = {
      "vec",    "ivec",  "uvec",   "bvec",       "dvec",     "f16vec",    "i16vec", "u16vec",
      "i8vec",  "u8vec", "i64vec", "u64vec",     "mat",      "dmat",      "f16mat", "float",
      "double", "half",  "int",    "uint",       "bool",     "short",     "ushort", "char",
      "uchar",  "long",  "ulong",  "min16float", "min16int", "min16uint", ""};
  const auto is_size = [](char c) { return c >= '2' && c <= '4'; };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    if (!IsWord(text[at])) {
      result += text[at++];
      continue;
    }
    const size_t end = EndOfWord(text, at);
    const std::string_view word = text.substr(at, end - at);
    const size_t size = word.size();
    const bool matrix = size >= 3 && is_size(word[size - 1]) && is_size(word[size - 3]) &&
                        (word[size - 2] == 'x' || word[size - 2] == 'X');
    const std::string_view type = word.substr(0, size - (matrix ? 3 : 1));
    const bool sized = is_size(word[size - 1]) && (matrix || !type.empty()) &&
                       std::find(std::begin(kTypes), std::end(kTypes), type) != std::end(kTypes);
    result += sized ? format("{}{}", type, matrix ? "NxN" : "N") : std::string(word);
    at = end;
  }
  return result;
}

}  // namespace signature
}  // namespace refract
