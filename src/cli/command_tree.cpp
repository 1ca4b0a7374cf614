// SPDX-License-Identifier: Apache-2.0
#include "cli/command_tree.h"

#include <memory>

namespace refract {
inline namespace cli {
namespace {

void AddCommonOptions(CLI::App& app, Console& console) {
  app.add_flag("--quiet", console.quiet, "Suppress progress messages (not warnings)")
      ->group(kCommonOptions);
  app.add_flag("--json", console.json, "Print the results as JSON on standard output")
      ->group(kCommonOptions);
  app.add_flag("--no-colour,--no-color", console.no_colour, "Use no colours, even on a terminal")
      ->group(kCommonOptions);
  app.set_help_flag("--help,-h", "Print the main options and an example, and exit")
      ->group(kCommonOptions);
  app.set_help_all_flag("--help-all", "Print all options and the exit codes, and exit")
      ->group(kCommonOptions);
}

/// For a verb whose part is given: `refract campaign status` does not need the --out of campaigns.
void RequireNothing(CLI::App& app) {
  for (CLI::Option* option : app.get_options([](CLI::Option*) { return true; })) {
    option->required(false);
  }
}

}  // namespace

CommandTree::CommandTree(std::span<const Verb* const> table,
                         const std::function<bool(const Verb&)>& wanted, Console& console)
    : app_(
          "Changes SPIR-V modules without changing what they compute, runs them on Vulkan\n"
          "drivers and tools, and reports where the results differ.",
          "refract"),
      formatter_(std::make_shared<HelpFormatter>(table)) {
  app_.formatter(formatter_);
  app_.add_flag("--version", version_, "Print the version, commit and libraries, and exit");
  AddCommonOptions(app_, console);
  Declare(app_, table, wanted, console);
  app_.require_subcommand(0, 1);
}

void CommandTree::Declare(CLI::App& app, std::span<const Verb* const> table,
                          const std::function<bool(const Verb&)>& wanted, Console& console) {
  for (const Verb* verb : table) {
    CLI::App* sub = app.add_subcommand(verb->name, verb->summary);
    sub->group(verb->internal ? "" : "Verbs");
    if (!wanted(*verb)) continue;
    formatter_->RegisterVerb(sub, verb);
    Declare(*sub, verb->parts, wanted, console);
    if (verb->declare != nullptr) {
      Options options(*sub);
      declared_.push_back({sub, verb, verb->declare(options)});
      for (CLI::App* part : sub->get_subcommands([](CLI::App*) { return true; })) {
        part->preparse_callback([sub](size_t) { RequireNothing(*sub); });
      }
      if (!verb->parts.empty()) sub->require_subcommand(0, 1);
    } else {
      sub->require_subcommand(1);
      declared_.push_back({sub, verb, nullptr});
    }
    AddCommonOptions(*sub, console);
  }
}

}  // namespace cli
}  // namespace refract
