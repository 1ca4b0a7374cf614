// SPDX-License-Identifier: Apache-2.0
#include "cli/command_line.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <exception>
#include <span>
#include <string>
#include <utility>

#include "cli/versions.h"

namespace refract::inline cli {

namespace {

using ExitText = std::pair<ExitCode, std::string>;

/// The last part of --help of every verb: an example and the exit codes.
std::string Footer(const char* example, const std::vector<ExitText>& more) {
  std::string text = format("Example:\n  {}\n\nExit codes:\n", example);
  std::vector<ExitText> rows = {
      {kDone, "done"},
      {kOurFault, "a bug of refract (please report it), or a full disk"},
      {kUsage, "wrong usage"},
      {kBadInput,
       "bad input: unreadable, invalid or of another version; or an output cannot be written"}};
  rows.insert(rows.end(), more.begin(), more.end());
  for (const auto& [code, meaning] : rows) {
    text += format("  {:<4}{}\n", static_cast<int>(code), meaning);
  }
  return text;
}

std::vector<ExitText> RowsOf(const Verb& verb) {
  std::vector<ExitText> rows;
  for (const ExitRow& row : verb.exit_codes) rows.emplace_back(row.code, row.meaning);
  return rows;
}

/// The same rows for `refract --help`: sorted by code, each with the name of its verb.
std::vector<ExitText> RowsOfVerbs(std::span<const Verb* const> table) {
  std::vector<ExitText> rows;
  for (const Verb* verb : table) {
    if (verb->internal) continue;
    for (const ExitRow& row : verb->exit_codes) {
      rows.emplace_back(row.code, format("{}: {}", verb->name, row.meaning));
    }
    for (const auto& [code, meaning] : RowsOfVerbs(verb->parts)) {
      rows.emplace_back(code, format("{} {}", verb->name, meaning));
    }
  }
  std::stable_sort(rows.begin(), rows.end(),
                   [](const ExitText& a, const ExitText& b) { return a.first < b.first; });
  return rows;
}

/// The formatter of CLI11, with descriptions broken at 100 columns.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() {
    column_width(kColumn);
    label("REQUIRED", "(required)");
    label("Positionals", "Arguments");
  }
  /// The required arguments and options in the order in which they are typed, then [OPTIONS].
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string arguments, options;
    for (const CLI::Option* option : app->get_options()) {
      if (option->get_positional()) arguments += " " + make_option_usage(option);
      if (option->get_positional() || !option->get_required()) continue;
      const std::string flag = option->get_snames().empty() ? "--" + option->get_lnames().front()
                                                            : "-" + option->get_snames().front();
      options += " " + flag + " " + option->get_type_name();
    }
    const bool verbs = !app->get_subcommands([](const CLI::App*) { return true; }).empty();
    return "\nUsage: " + name + arguments + options + (verbs ? " VERB ..." : "") + " [OPTIONS]\n";
  }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string help = CLI::Formatter::make_help(app, std::move(name), mode);
    for (size_t at; (at = help.find("\n\n\n")) != std::string::npos;) help.erase(at, 1);
    if (help.ends_with("\n\n")) help.pop_back();
    return help;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string wrapped;
    size_t line = 0;
    for (const std::string& word : Split(CLI::Formatter::make_option_desc(option), ' ')) {
      const bool next = line + word.size() >= 100 - kColumn;
      if (!wrapped.empty()) wrapped += next ? '\n' : ' ';
      line = (next ? 0 : line + 1) + word.size();
      wrapped += word;
    }
    return wrapped;
  }

 private:
  static constexpr size_t kColumn = 30;
};

void AddCommonOptions(CLI::App& app, Console& console) {
  app.add_flag("--quiet", console.quiet, "Suppress progress messages (not warnings)")
      ->group("Common options");
  app.add_flag("--json", console.json, "Print the results as JSON on standard output")
      ->group("Common options");
  app.add_flag("--no-colour,--no-color", console.no_colour, "Use no colours, even on a terminal")
      ->group("Common options");
  app.set_help_flag("--help,-h", "Print this help and exit")->group("Common options");
}

/// A failed CHECK has already printed its message. This ends the process with the documented exit
/// code instead of a signal, because a signal looks like the crash of a driver.
void ExitOnAbort(int) {
  _exit(kOurFault);
}

/// The message of CLI11, except for "not expected", which it also uses for a mistyped verb.
std::string WordsOf(const CLI::App& app, const CLI::ParseError& parse) {
  const std::vector<std::string> extras = app.remaining(true);
  // A verb with parts, such as `refract cfg`.
  if (dynamic_cast<const CLI::RequiredError*>(&parse) != nullptr) {
    const auto chosen = app.get_subcommands();
    if (!chosen.empty() && chosen[0]->get_require_subcommand_min() > 0) {
      return extras.empty() ? "no verb given" : format("unknown verb {}", extras.front());
    }
  }
  if (dynamic_cast<const CLI::ExtrasError*>(&parse) == nullptr || extras.empty()) {
    return parse.what();
  }
  const bool option = extras.front().starts_with('-');
  const char* what = option ? "option" : app.get_subcommands().empty() ? "verb" : "argument";
  return format("unknown {} {}", what, extras.front());
}

/// CLI11 reports --help and every usage error by throwing; this is the only place that catches.
ExitCode ReportParse(const CLI::App& app, const CLI::ParseError& parse, Console& console) {
  if (parse.get_exit_code() == 0) {
    console.Print(app.help());  // the help of the verb, if one was given
    return kDone;
  }
  console.Complain(WordsOf(app, parse));
  std::string command = "refract";
  for (const CLI::App* above = &app; !above->get_subcommands().empty();) {
    above = above->get_subcommands().front();
    command += " " + above->get_name();
  }
  console.Say(format("Try: {} --help", command));
  return kUsage;
}

ExitCode Finish(Result<ExitCode> result, Console& console) {
  if (result) {
    const Status flushed = console.Flush();
    if (flushed) return *result;
    result = flushed.error();
  }
  console.Complain(result.error().message);
  return ExitCodeOf(result.error().kind);
}

/// A verb and its declaration in CLI11.
struct Declared {
  const CLI::App* app = nullptr;
  const Verb* verb = nullptr;
  Action action;
};

/// Declares the options only of verbs whose names are among the arguments. For the others, CLI11
/// needs only the line in --help: declaring all options would take longer than many verbs run.
void DeclareVerbs(CLI::App& app, std::span<const Verb* const> table, Console& console,
                  std::vector<Declared>* declared) {
  const std::vector<std::string>& arguments = console.arguments;
  for (const Verb* verb : table) {
    CLI::App* sub = app.add_subcommand(verb->name, verb->summary);
    sub->group(verb->internal ? "" : "Verbs");
    if (std::find(arguments.begin(), arguments.end(), verb->name) == arguments.end()) continue;
    sub->footer(Footer(verb->example, RowsOf(*verb)));
    if (verb->parts.empty()) {
      Options options(*sub);
      declared->push_back({sub, verb, verb->declare(options)});
    } else {
      DeclareVerbs(*sub, verb->parts, console, declared);
      sub->require_subcommand(1);
    }
    AddCommonOptions(*sub, console);
  }
}

ExitCode Run(int argc, char** argv, std::span<const Verb* const> table, Console& console) {
  CLI::App app(
      "Changes SPIR-V modules without changing what they compute, runs them on Vulkan\n"
      "drivers and tools, and reports where the results differ.",
      "refract");
  bool version = false;
  app.formatter(std::make_shared<HelpFormatter>());
  app.add_flag("--version", version, "Print the version, commit and libraries, and exit");
  AddCommonOptions(app, console);
  app.footer(
      Footer(table.empty() ? "refract --version" : table.front()->example, RowsOfVerbs(table)));
  std::vector<Declared> verbs;
  DeclareVerbs(app, table, console, &verbs);
  app.require_subcommand(0, 1);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& parse) {
    return ReportParse(app, parse, console);
  }
  if (version) {
    console.Print(VersionText(console.json));
    return Finish(kDone, console);
  }
  for (const Declared& chosen : verbs) {
    if (!chosen.app->parsed()) continue;
    if (chosen.verb->internal) std::signal(SIGABRT, SIG_DFL);
    return Finish(chosen.action(console), console);
  }
  console.Complain("no verb given");
  console.Say("Try: refract --help");
  return kUsage;
}

}  // namespace

ExitCode ExitCodeOf(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::kBadInput:
      return kBadInput;
    case ErrorKind::kUsage:
      return kUsage;
    case ErrorKind::kUnavailable:
      return kTargetMissing;
    case ErrorKind::kFailed:
      return kOurFault;
  }
  return kOurFault;
}

int RunCommandLine(int argc, char** argv, std::span<const Verb* const> verbs) {
  std::signal(SIGABRT, ExitOnAbort);
  Console console;
  console.arguments.assign(argv, argv + argc);
  try {
    return Run(argc, argv, verbs, console);
  } catch (const std::exception& thrown) {
    // Refract throws no exceptions. The standard library does when memory ends.
    console.Complain(thrown.what());
    return kOurFault;
  }
}

}  // namespace refract::inline cli
