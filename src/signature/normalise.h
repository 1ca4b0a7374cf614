// SPDX-License-Identifier: Apache-2.0
// Removes the parts of a message that vary between variants, runs and machines, so that the same
// bug gives the same text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace refract {
inline namespace signature {

/// A rule that changed the text, and the text after it.
struct Rewrite {
  const char* rule;
  std::string text;
};

/// What is known about a text that is normalised.
struct NormaliseOptions {
  bool source_text = false;             ///< it is a program's own source, in which little varies
  std::vector<std::string> names = {};  ///< of the module that was run (IdentifierOf), sorted
};

/// Puts `text` on one line of printable ASCII and replaces the parts that vary: ids by <id>,
/// addresses by <hex>, files by <file>, names in the shader by <name>, numbers and the sizes of
/// vectors by N. In source text, only files and template arguments are replaced. `done` (may be
/// null) gets the rules that changed something, in order.
std::string Normalise(std::string_view text, const NormaliseOptions& options,
                      std::vector<Rewrite>* done);

/// The text without the escape sequences for colours, and with straight quotes instead of
/// typographic ones.
std::string WithoutColours(std::string_view text);

/// The text on one line of printable ASCII. A run of blanks becomes one blank, a run of other
/// characters one "?".
std::string Printable(std::string_view text);

/// The name of a C++ function without parameters, template arguments and return type, demangled if
/// necessary: "std::unique_ptr<X> a::B<int>::C(int) const" becomes "a::B<>::C".
std::string FunctionName(std::string_view function);

/// At most `limit` characters. A longer text is cut and ends in "~" and eight digits of a hash of
/// all of it.
std::string TruncateWithHash(std::string_view text, size_t limit);

}  // namespace signature
}  // namespace refract
