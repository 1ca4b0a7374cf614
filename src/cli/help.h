// SPDX-License-Identifier: Apache-2.0
// The output of --help and --help-all. --help of a verb fits on one screen: usage, arguments, the
// main options, an example. --help-all shows all options and the exit codes of the verb.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace refract {
inline namespace cli {

/// The heading of the options that every verb has.
inline constexpr char kCommonOptions[] = "Common options";

/// The formatter of CLI11, with descriptions broken at 100 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `verbs` are all verbs, for the help of refract itself.
  explicit HelpFormatter(std::span<const Verb* const> verbs);

  /// Records the verb of `app`. The app of refract itself has none.
  void RegisterVerb(const CLI::App* app, const Verb* verb) { verb_of_[app] = verb; }
  /// Selects --help-all (true) or --help (false) for the following calls.
  void ShowAll(bool all) { all_ = all; }

  std::string make_usage(const CLI::App* app, std::string name) const override;
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_footer(const CLI::App* app) const override;
  std::string make_option_name(const CLI::Option* option, bool is_positional) const override;
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;

 private:
  const Verb* VerbOf(const CLI::App* app) const;
  std::string MainOptions(const CLI::App* app) const;

  std::span<const Verb* const> table_;
  std::map<const CLI::App*, const Verb*> verb_of_;
  bool all_ = false;
};

/// An exit code and when it occurs.
struct ExitText {
  ExitCode code;
  std::string meaning;
};

/// The exit codes of `verb`. For null, which is refract itself, and for a verb that does nothing
/// without one of its parts, those of `table` or of the parts, each with the name of its verb.
std::vector<ExitText> ExitTexts(const Verb* verb, std::span<const Verb* const> table);

/// Returns the command of `app` as typed: "refract cfg check".
std::string CommandOf(const CLI::App* app);

/// Returns the first sentence of a text, without its full stop if another sentence follows.
std::string_view FirstSentence(std::string_view text);

}  // namespace cli
}  // namespace refract
