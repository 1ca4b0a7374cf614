// SPDX-License-Identifier: Apache-2.0
// Where verbs print: data on stdout, talk on stderr. Knows the options that every verb has.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/text.h"

namespace refract::inline cli {

class Console {
 public:
  bool quiet = false;      ///< --quiet: no talk, only data, warnings and errors
  bool json = false;       ///< --json: data as one JSON object
  bool no_colour = false;  ///< --no-colour
  /// The command line as given, for reruns.
  std::vector<std::string> arguments;

  /// Data: to stdout as it is, no newline added.
  void Print(std::string_view text);
  /// Talk: a line on stderr, unless --quiet.
  void Say(std::string_view line);
  /// A line "refract: warning: ..." on stderr, also with --quiet.
  void Warn(std::string_view line);
  /// A line "refract: error: ..." on stderr; diagnostics (base/diagnostic.h) as they are.
  void Complain(std::string_view line);
  /// Whether stderr (stdout) may be coloured: a terminal, no --no-colour and no NO_COLOR.
  bool ColourTalk() const;
  bool ColourData() const;
  /// Fails if data could not be written (a full disk behind a redirection); call at the end.
  Status Flush();

 private:
  void Talk(const std::string& text);

  int failed_with_ = 0;  // errno of a write to stdout
};

/// `arguments` as a line for a POSIX shell, quoted where needed.
std::string ShellLine(const std::vector<std::string>& arguments);

}  // namespace refract::inline cli
