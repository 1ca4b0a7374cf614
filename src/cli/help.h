// SPDX-License-Identifier: Apache-2.0
// What --help and --help-all print. --help of a verb fits one screen: usage, arguments, the main
// options, an example. --help-all has all options, and the exit codes of the verb.
#pragma once

#include <CLI/CLI.hpp>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "cli/verb.h"

namespace refract::inline cli {

/// The heading of the options that every verb has.
inline constexpr char kCommonOptions[] = "Common options";

/// CLI11's, with descriptions broken at 100 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  /// `verbs`: all of them, for the page of refract itself.
  explicit HelpFormatter(std::span<const Verb* const> verbs);

  /// Which verb `app` is; refract itself is none.
  void Know(const CLI::App* app, const Verb* verb) { verb_of_[app] = verb; }
  /// Whether what comes next is --help-all.
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

/// The command that `app` is, as it is typed: "refract cfg check".
std::string CommandOf(const CLI::App* app);

/// The first sentence of a text, without its full stop if more comes after it.
std::string_view FirstSentence(std::string_view text);

}  // namespace refract::inline cli
