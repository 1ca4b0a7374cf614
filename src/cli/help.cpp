// SPDX-License-Identifier: Apache-2.0
#include "cli/help.h"

#include <algorithm>
#include <utility>

#include "base/text.h"

namespace refract {
inline namespace cli {
namespace {

constexpr size_t kColumn = 30;
constexpr size_t kWidth = 100;

/// The rows of all verbs: sorted by code, each with the name of its verb.
std::vector<ExitText> RowsOfVerbs(std::span<const Verb* const> table) {
  std::vector<ExitText> rows;
  for (const Verb* verb : table) {
    if (verb->internal) continue;
    for (const ExitRow& row : verb->exit_codes) {
      rows.push_back({row.code, format("{}: {}", verb->name, row.meaning)});
    }
    for (const auto& [code, meaning] : RowsOfVerbs(verb->parts)) {
      rows.push_back({code, format("{} {}", verb->name, meaning)});
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ExitText& a, const ExitText& b) { return a.code < b.code; });
  return rows;
}

/// Breaks a description into the lines of the right column.
std::string Wrapped(std::string_view text) {
  std::string wrapped;
  size_t line = 0;
  for (const std::string& word : Split(text, ' ')) {
    const bool next = line + word.size() >= kWidth - kColumn;
    if (!wrapped.empty()) wrapped += next ? '\n' : ' ';
    line = (next ? 0 : line + 1) + word.size();
    wrapped += word;
  }
  return wrapped;
}

}  // namespace

std::vector<ExitText> ExitTexts(const Verb* verb, std::span<const Verb* const> table) {
  const bool acts = verb != nullptr && verb->declare != nullptr;
  std::vector<ExitText> rows = {{kDone, "done"},
                                {kFault, "a bug of refract (please report it), or a full disk"},
                                {kUsage, "wrong usage"}};
  if (!acts || !verb->no_files) {
    rows.push_back(
        {kBadInput,
         "bad input: unreadable, invalid or of another version; or an output cannot be written"});
  }
  if (acts) {
    for (const ExitRow& row : verb->exit_codes) rows.push_back({row.code, row.meaning});
    return rows;
  }
  for (ExitText& row : RowsOfVerbs(verb != nullptr ? verb->parts : table)) {
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string CommandOf(const CLI::App* app) {
  const std::string name = app->get_name();
  return app->get_parent() == nullptr ? name : CommandOf(app->get_parent()) + " " + name;
}

std::string_view FirstSentence(std::string_view text) {
  for (size_t at = text.find(". "); at != std::string_view::npos; at = text.find(". ", at + 1)) {
    const char next = at + 2 < text.size() ? text[at + 2] : ' ';
    const std::string_view before = text.substr(0, at);
    const bool open = std::count(before.begin(), before.end(), '(') >
                      std::count(before.begin(), before.end(), ')');
    if (next >= 'A' && next <= 'Z' && !open) return before;
  }
  return text;
}

HelpFormatter::HelpFormatter(std::span<const Verb* const> verbs) : table_(verbs) {
  column_width(kColumn);
  label("REQUIRED", "(required)");
  label("Positionals", "Arguments");
}

const Verb* HelpFormatter::VerbOf(const CLI::App* app) const {
  const auto found = verb_of_.find(app);
  return found == verb_of_.end() ? nullptr : found->second;
}

/// The required arguments and options in the order in which they are typed, then [OPTIONS].
std::string HelpFormatter::make_usage(const CLI::App* app, std::string name) const {
  std::string arguments, options;
  for (const CLI::Option* option : app->get_options()) {
    if (option->get_positional()) arguments += " " + make_option_usage(option);
    if (option->get_positional() || !option->get_required()) continue;
    const std::string flag = option->get_snames().empty() ? "--" + option->get_lnames().front()
                                                          : "-" + option->get_snames().front();
    options += " " + flag + " " + option->get_type_name();
  }
  const bool verbs = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
  const std::string with_verb = name + " VERB ... [OPTIONS]\n";
  const std::string without = name + arguments + options + " [OPTIONS]\n";
  const Verb* verb = VerbOf(app);
  if (verbs && verb != nullptr && verb->declare != nullptr) {
    return "\nUsage: " + without + "       " + with_verb;
  }
  return "\nUsage: " + (verbs ? with_verb : without);
}

std::string HelpFormatter::make_help(const CLI::App* app, std::string name,
                                     CLI::AppFormatMode mode) const {
  std::string help;
  if (all_) {
    help = CLI::Formatter::make_help(app, std::move(name), mode);
  } else {
    help = make_description(app) + make_usage(app, std::move(name)) + make_positionals(app) +
           MainOptions(app) + make_subcommands(app, mode) + "\n" + make_footer(app);
  }
  for (size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
  if (help.ends_with("\n\n")) help.pop_back();
  return help;
}

/// The options that the verb lists as its main options, in its order.
std::string HelpFormatter::MainOptions(const CLI::App* app) const {
  const Verb* verb = VerbOf(app);
  std::vector<const CLI::Option*> options;
  if (verb != nullptr) {
    for (const char* name : verb->main_options) {
      const CLI::Option* option = app->get_option_no_throw(name);
      if (option != nullptr) options.push_back(option);
    }
  }
  return options.empty() ? std::string() : make_group("Options", false, std::move(options));
}

std::string HelpFormatter::make_footer(const CLI::App* app) const {
  const Verb* verb = VerbOf(app);
  const char* usual = table_.empty() ? "refract --version" : table_.front()->example;
  const std::string_view example = verb != nullptr ? verb->example : usual;
  if (!all_) {
    // If there are several examples, only the first.
    return format("Example:\n  {}\n\nAll options and exit codes: {} --help-all\n",
                  example.substr(0, example.find('\n')), CommandOf(app));
  }
  std::string text = format("Example:\n  {}\n\nExit codes:\n", example);
  for (const auto& [code, meaning] : ExitTexts(verb, table_)) {
    text += format("  {:<4}{}\n", static_cast<int>(code), meaning);
  }
  return text;
}

/// Only --help-all shows aliases.
std::string HelpFormatter::make_option_name(const CLI::Option* option, bool is_positional) const {
  if (is_positional || all_) return CLI::Formatter::make_option_name(option, is_positional);
  std::string name;
  if (!option->get_snames().empty()) name = "-" + option->get_snames().front();
  if (option->get_lnames().empty()) return name;
  return (name.empty() ? "--" : name + ",--") + option->get_lnames().front();
}

/// --help does not mark required options, because the usage line shows them.
std::string HelpFormatter::make_option_opts(const CLI::Option* option) const {
  std::string text = CLI::Formatter::make_option_opts(option);
  const std::string required = " " + get_label("REQUIRED");
  if (!all_ && text.ends_with(required)) text.resize(text.size() - required.size());
  return text;
}

std::string HelpFormatter::make_option_desc(const CLI::Option* option) const {
  const std::string text = CLI::Formatter::make_option_desc(option);
  if (all_) return Wrapped(text);
  // At most two lines, if the text can be cut at a semicolon or parenthesis.
  std::string_view part = FirstSentence(text);
  std::string wrapped = Wrapped(part);
  while (std::count(wrapped.begin(), wrapped.end(), '\n') > 1) {
    const size_t end = std::max(part.rfind("; ") + 1, part.rfind(" (") + 1);
    if (end == 0) break;
    part = part.substr(0, end - 1);
    const bool open =
        std::count(part.begin(), part.end(), '(') > std::count(part.begin(), part.end(), ')');
    wrapped = Wrapped(std::string(part) + (open ? ")" : ""));
  }
  return wrapped;
}

}  // namespace cli
}  // namespace refract
