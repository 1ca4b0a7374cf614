// SPDX-License-Identifier: Apache-2.0
#include "cli/pages/command_page.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "base/text.h"
#include "cli/command_tree.h"
#include "cli/verbs.h"

namespace refract {
inline namespace cli {
namespace {

// Labels are capital letters ("FILE"), choices are values as typed ("bisect|halving").
bool IsChoice(const std::string& label) {
  return label.find('|') != std::string::npos &&
         std::none_of(label.begin(), label.end(), [](unsigned char c) { return std::isupper(c); });
}

ValueKind KindOf(const std::string& label, const std::vector<std::string>& names) {
  if (IsChoice(label)) return ValueKind::kChoice;
  if (label == "DIR") return ValueKind::kFolder;
  for (const char* part :
       {"FILE", "OUT", "PATH", "MODULE", "RECORDING", "IMAGE", "DIR", "SCRIPT"}) {
    if (label.find(part) != std::string::npos) return ValueKind::kFile;
    if (label.empty() && names.front().find(part) != std::string::npos) return ValueKind::kFile;
  }
  return ValueKind::kText;
}

CommandOption DescribeOption(const CLI::Option& option) {
  CommandOption result;
  result.is_argument = option.get_positional();
  if (result.is_argument) {
    result.names = {option.get_name(true)};
  } else {
    for (const std::string& name : option.get_snames()) result.names.push_back("-" + name);
    for (const std::string& name : option.get_lnames()) result.names.push_back("--" + name);
    result.group = option.get_group();
  }
  result.help = option.get_description();
  result.is_required = option.get_required();
  result.is_repeated = option.get_expected_max() == CLI::detail::expected_max_vector_size;
  if (option.get_expected_max() == 0) return result;  // a flag
  result.label = option.get_type_name();
  result.initial = option.get_default_str();
  result.kind = KindOf(result.label, result.names);
  if (result.kind == ValueKind::kChoice) result.choices = Split(result.label, '|');
  return result;
}

std::vector<std::string> UsageOf(const CLI::App& app, const HelpFormatter& formatter) {
  std::vector<std::string> lines;
  for (const std::string& line : Split(formatter.make_usage(&app, CommandOf(&app)), '\n')) {
    const size_t begin = line.find("refract");
    if (begin != std::string::npos) lines.push_back(line.substr(begin));
  }
  return lines;
}

CommandPage DescribeCommand(const CLI::App& app, const Verb* verb, const CommandTree& tree,
                            const HelpFormatter& formatter) {
  const std::vector<const Verb*> table(AllVerbs().begin(), AllVerbs().end());
  CommandPage page;
  page.command = CommandOf(&app);
  page.summary = verb != nullptr ? verb->summary : app.get_description();
  std::replace(page.summary.begin(), page.summary.end(), '\n', ' ');
  page.usage = UsageOf(app, formatter);
  page.example = verb != nullptr ? verb->example : table.front()->example;
  for (const CLI::Option* option : app.get_options()) {
    page.options.push_back(DescribeOption(*option));
  }
  page.exit_texts = ExitTexts(verb, table);
  for (const CLI::App* part : app.get_subcommands([](const CLI::App*) { return true; })) {
    const auto declared =
        std::find_if(tree.declared().begin(), tree.declared().end(),
                     [&](const DeclaredVerb& candidate) { return candidate.app == part; });
    if (declared == tree.declared().end() || declared->verb->internal) continue;
    page.parts.push_back(DescribeCommand(*part, declared->verb, tree, formatter));
  }
  return page;
}

void AddPages(const CommandPage& page, std::vector<const CommandPage*>* pages) {
  pages->push_back(&page);
  for (const CommandPage& part : page.parts) AddPages(part, pages);
}

}  // namespace

std::string CommandPage::Path() const {
  const size_t space = command.find(' ');
  return space == std::string::npos ? std::string() : command.substr(space + 1);
}

CommandPage DescribeCommands() {
  Console console;
  CommandTree tree(
      AllVerbs(), [](const Verb& verb) { return !verb.internal; }, console);
  return DescribeCommand(tree.app(), nullptr, tree, tree.formatter());
}

std::vector<const CommandPage*> AllPages(const CommandPage& root) {
  std::vector<const CommandPage*> pages;
  AddPages(root, &pages);
  return pages;
}

std::string QuotedForShell(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'') {
      quoted += "'\\''";
    } else {
      quoted += c;
    }
  }
  return quoted + "'";
}

}  // namespace cli
}  // namespace refract
