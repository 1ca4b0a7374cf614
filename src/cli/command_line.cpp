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

#include "base/suggest.h"
#include "cli/campaign/terminal_screen.h"
#include "cli/command_tree.h"
#include "cli/help.h"
#include "cli/versions.h"

namespace refract {
inline namespace cli {

namespace {

/// A failed CHECK has already printed its message. This ends the process with the documented exit
/// code instead of a signal, because a signal looks like the crash of a driver.
void ExitOnAbort(int) {
  TerminalScreen::Restore();
  _exit(kFault);
}

/// The innermost verb that was given (`check` in `refract cfg check`), or `app` if none was.
const CLI::App& Innermost(const CLI::App& app) {
  const CLI::App* innermost = &app;
  while (!innermost->get_subcommands().empty()) innermost = innermost->get_subcommands().front();
  return *innermost;
}

/// "; did you mean 'X'?" for an unknown verb of `app`; empty if no verb is similar.
std::string SimilarVerb(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!verb->get_group().empty()) names.push_back(verb->get_name());
  }
  return DidYouMean(typed, std::vector<std::string_view>(names.begin(), names.end()));
}

/// The same for an unknown option.
std::string SimilarOption(const CLI::App& app, const std::string& typed) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return DidYouMean(typed.substr(0, typed.find('=')),
                    std::vector<std::string_view>(names.begin(), names.end()));
}

bool HasVerbs(const CLI::App& app) {
  return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
}

/// The advice after a second value of an option that takes one each time: `--donors A B`.
std::string RepeatedOption(const CLI::App& verb) {
  const std::vector<const CLI::Option*> given = verb.get_options([](const CLI::Option* option) {
    return option->count() > 0 && option->nonpositional() &&
           option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  });
  if (given.empty()) return "";
  const std::string name = given.back()->get_name();
  return format("; if it is a second value for an option, repeat the option: {} A {} B", name,
                name);
}

/// The message of CLI11, except for "not expected", which it also uses for a mistyped verb.
std::string WordsOf(const CLI::App& app, const CLI::ParseError& parse) {
  const std::vector<std::string> extras = app.remaining(true);
  const CLI::App& verb = Innermost(app);
  // If a required option is missing, the reason may be that it was mistyped.
  const auto option = std::find_if(extras.begin(), extras.end(), [](const std::string& extra) {
    return extra.size() > 1 && extra.starts_with('-');
  });
  const bool missing = dynamic_cast<const CLI::RequiredError*>(&parse) != nullptr;
  const bool extra = dynamic_cast<const CLI::ExtrasError*>(&parse) != nullptr;
  if ((missing || extra) && option != extras.end()) {
    return format("unknown option {}{}", *option, SimilarOption(verb, *option));
  }
  // `refract campaign statsu`: the verb is no part of campaign, and what campaign requires is
  // missing.
  if (missing && !extras.empty() && HasVerbs(verb) && verb.get_require_subcommand_min() == 0) {
    return format("unknown verb {}{}", extras.front(), SimilarVerb(verb, extras.front()));
  }
  // A verb with parts, such as `refract cfg`.
  if (missing && verb.get_require_subcommand_min() > 0) {
    if (extras.empty()) return "no verb given";
    return format("unknown verb {}{}", extras.front(), SimilarVerb(verb, extras.front()));
  }
  if (!extra || extras.empty()) return parse.what();
  if (&verb != &app) {
    return format("unknown argument {}{}", extras.front(), RepeatedOption(verb));
  }
  return format("unknown verb {}{}", extras.front(), SimilarVerb(app, extras.front()));
}

/// CLI11 reports --help and every usage error by throwing; this is the only place that catches.
ExitCode ReportParse(const CLI::App& app, const CLI::ParseError& parse, HelpFormatter& formatter,
                     Console& console) {
  if (parse.get_exit_code() == 0) {
    formatter.ShowAll(dynamic_cast<const CLI::CallForAllHelp*>(&parse) != nullptr);
    console.Print(app.help());  // the help of the verb, if one was given
    return kDone;
  }
  console.PrintError(WordsOf(app, parse));
  console.Say(format("Try: {} --help", CommandOf(&Innermost(app))));
  return kUsage;
}

ExitCode Finish(Result<ExitCode> result, Console& console) {
  if (result) {
    const Status flushed = console.Flush();
    if (flushed) return *result;
    result = flushed.error();
  }
  console.PrintError(result.error().message);
  return ExitCodeOf(result.error().kind);
}

ExitCode Run(int argc, char** argv, std::span<const Verb* const> table, Console& console) {
  // Declares the options only of verbs whose names are among the arguments. For the others, CLI11
  // needs only the line in --help: declaring all options would take longer than many verbs run.
  const std::vector<std::string>& given = console.arguments;
  const auto is_given = [&](const Verb& verb) {
    return std::find(given.begin(), given.end(), verb.name) != given.end();
  };
  CommandTree commands(table, is_given, console);
  CLI::App& app = commands.app();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& parse) {
    return ReportParse(app, parse, commands.formatter(), console);
  }
  if (commands.version()) {
    console.Print(VersionText(console.json));
    return Finish(kDone, console);
  }
  for (const DeclaredVerb& chosen : commands.declared()) {
    if (!chosen.app->parsed() || chosen.action == nullptr) continue;
    if (chosen.verb->internal) std::signal(SIGABRT, SIG_DFL);
    return Finish(chosen.action(console), console);
  }
  console.PrintError("no verb given");
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
      return kFault;
  }
  return kFault;
}

int RunCommandLine(int argc, char** argv, std::span<const Verb* const> verbs) {
  std::signal(SIGABRT, ExitOnAbort);
  Console console;
  console.arguments.assign(argv, argv + argc);
  try {
    return Run(argc, argv, verbs, console);
  } catch (const std::exception& thrown) {
    // Refract throws no exceptions. The standard library does when memory ends.
    console.PrintError(thrown.what());
    return kFault;
  }
}

}  // namespace cli
}  // namespace refract
