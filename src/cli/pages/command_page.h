// SPDX-License-Identifier: Apache-2.0
// Man pages and completions of shells, from the tables that --help prints (cli/verb.h). The program
// command_pages (tools/command_pages.cpp) writes them, and cmake/install.cmake installs them.
#pragma once

#include <string>
#include <vector>

#include "cli/help.h"

namespace refract {
inline namespace cli {

/// What an option or an argument expects as its value.
enum class ValueKind {
  kNone,    ///< a flag
  kFile,    ///< the name of a file
  kFolder,  ///< the name of a folder
  kChoice,  ///< one of CommandOption::choices
  kText     ///< anything else
};

/// An option, or an argument: what has a name without dashes.
struct CommandOption {
  std::vector<std::string> names;  ///< "-o", "--output"; or "MODULE"
  std::string label;               ///< stands for the value: "OUT.spv"; empty without a value
  std::string initial;             ///< the default that --help shows; may be empty
  std::string help;
  std::string group;  ///< the heading in --help-all; empty for an argument
  ValueKind kind = ValueKind::kNone;
  std::vector<std::string> choices;
  bool is_argument = false;
  bool is_required = false;
  bool is_repeated = false;  ///< takes any number of values
};

/// `refract` itself, a verb, or a part of a verb.
struct CommandPage {
  std::string command;  ///< as typed: "refract cfg check"
  std::string summary;
  std::vector<std::string> usage;      ///< the usage lines: "refract replay MODULE ..."
  std::string example;                 ///< may have several lines
  std::vector<CommandOption> options;  ///< in the order of --help-all
  std::vector<ExitText> exit_texts;
  std::vector<CommandPage> parts;

  /// The command without "refract ": "cfg check"; empty for refract itself.
  std::string Path() const;
};

/// Describes `refract` with all its verbs, without the internal ones.
CommandPage DescribeCommands();

/// The command and all its parts, and their parts.
std::vector<const CommandPage*> AllPages(const CommandPage& root);

/// The name of the man page: "refract-cfg-check".
std::string ManName(const CommandPage& page);

/// A man page in roff, with the macros of man(7). `root` is the page of refract itself.
std::string ManPage(const CommandPage& page, const CommandPage& root);

/// The completions of all commands, as a file for each shell.
std::string BashCompletion(const CommandPage& root);
std::string ZshCompletion(const CommandPage& root);
std::string FishCompletion(const CommandPage& root);

/// Quotes a text for a POSIX shell and for zsh: 'it'\''s'.
std::string QuotedForShell(std::string_view text);

}  // namespace cli
}  // namespace refract
