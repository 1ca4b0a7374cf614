// SPDX-License-Identifier: Apache-2.0
// Takes out of a message what varies from one variant, run or machine to the next, so that the
// same bug says the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract::inline signature {

/// One rule that changed something, and what it made of the text.
struct Rewrite {
  const char* rule;
  std::string text;
};

/// `text` on one line of printable ASCII with placeholders for what varies: <id>, <hex>, <file>,
/// <name>, N for numbers; of `source_text`, a program's own, only files and template arguments are
/// replaced. `done` (may be null) gets the rules that changed something, in order.
std::string Normalise(std::string_view text, std::vector<Rewrite>* done, bool source_text = false);

/// Without the sequences by which a terminal is told to colour, and with straight quotes in the
/// place of those that some locales have.
std::string WithoutColours(std::string_view text);

/// Printable ASCII on one line; blanks, and what is neither, in runs of one.
std::string Printable(std::string_view text);

/// A C++ function without its parameters, template arguments and return type, demangled if need
/// be: "std::unique_ptr<X> a::B<int>::C(int) const" is "a::B<>::C".
std::string FunctionName(std::string_view function);

/// At most `limit` characters; what is longer ends in "~" and eight digits of a hash of all of it.
std::string Bounded(std::string_view text, size_t limit);

}  // namespace refract::inline signature
