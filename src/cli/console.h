// SPDX-License-Identifier: Apache-2.0
// The output of verbs: data on stdout, messages on stderr. Has the options that every verb has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace refract {
inline namespace cli {

class Console {
 public:
  bool quiet = false;      ///< --quiet: no progress messages
  bool json = false;       ///< --json: data as one JSON object
  bool no_colour = false;  ///< --no-colour
  /// The command line as given, to print the command that repeats the run.
  std::vector<std::string> arguments;

  /// Prints data to stdout, without adding a newline.
  void Print(std::string_view text);
  /// Prints a progress message: a line on stderr, unless --quiet.
  void Say(std::string_view line);
  /// Prints the line "refract: warning: ..." on stderr, even with --quiet.
  void Warn(std::string_view line);
  /// Prints the line "refract: error: ..." on stderr. Prints diagnostics (base/diagnostic.h)
  /// unchanged.
  void PrintError(std::string_view line);
  /// Whether stderr may be coloured: a terminal, no --no-colour and no NO_COLOR.
  bool MayColourMessages() const;
  /// Fails if data could not be written (for example, to a file on a full disk). Call it at the
  /// end.
  Status Flush();

 private:
  void WriteMessage(const std::string& text);

  int failed_with_ = 0;  // errno of a write to stdout
};

}  // namespace cli
}  // namespace refract
