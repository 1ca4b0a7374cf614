// SPDX-License-Identifier: Apache-2.0
// The lines of an AmberScript as words. Most statements are one line; the others go on to a line
// END.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace refract::amber {

/// The words of one line, which are taken from left to right.
class Statement {
 public:
  /// `file` is its name in errors, which must outlive the statement.
  Statement(const std::string* file, size_t line, std::vector<std::string> words)
      : file_(file), line_(line), words_(std::move(words)) {}

  size_t line() const { return line_; }
  bool AtEnd() const { return at_ == words_.size(); }
  /// The next word, "" at the end.
  std::string_view Peek() const { return AtEnd() ? std::string_view() : words_[at_]; }
  /// Takes the next word if it is `word`.
  bool TakeIf(std::string_view word);
  /// Takes the next word. The error says what was expected.
  Result<std::string> Take(std::string_view what);
  /// Takes an integer from 0 to `most`.
  Status TakeNumber(std::string_view what, uint32_t most, uint32_t* value);
  Status TakeReal(std::string_view what, double* value);
  /// An error if the next word is not `word`, which is taken.
  Status Require(std::string_view word);
  /// An error if there are words left, because Refract does not support them.
  Status RequireEnd() const;

  Error Bad(std::string_view what) const;
  /// The error for a part of the language that Refract does not support.
  Error NotSupported(std::string_view what) const;

 private:
  const std::string* file_;
  size_t line_;
  std::vector<std::string> words_;
  size_t at_ = 0;
};

/// Reads the lines of a script.
class Lines {
 public:
  Lines(const std::string& file, std::string_view text) : file_(file), text_(text) {}

  /// The next line that has words, without its comment; no words at the end of the text. A line
  /// that ends in a backslash goes on in the next one.
  Statement Next();
  /// Everything up to the next "END", which need not be on a line of its own. A missing "END" is
  /// an error.
  Result<std::string> TextToEnd(const Statement& begin);

 private:
  std::string_view Line();

  const std::string& file_;
  std::string_view text_;
  size_t at_ = 0;
  size_t line_ = 0;  // of the line that was read last
};

}  // namespace refract::amber
