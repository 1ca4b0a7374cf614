// SPDX-License-Identifier: Apache-2.0
// The completion of zsh: a function for each command, which calls _arguments.
#include <algorithm>

#include "base/text.h"
#include "cli/pages/command_page.h"

namespace refract {
inline namespace cli {
namespace {

/// A text inside [...] or after a colon of _arguments.
std::string ForArguments(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c;
  }
  return escaped;
}

std::string FunctionName(const CommandPage& page) {
  std::string name = "_" + page.command;
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

std::string ValuePart(const CommandOption& option) {
  if (option.kind == ValueKind::kNone) return {};
  const std::string label =
      ForArguments(option.label.empty() ? option.names.front() : option.label);
  switch (option.kind) {
    case ValueKind::kFile:
      return format(":{}:_files", label);
    case ValueKind::kFolder:
      return format(":{}:_files -/", label);
    case ValueKind::kChoice: {
      std::string choices;
      for (const std::string& choice : option.choices) {
        choices += (choices.empty() ? "" : " ") + choice;
      }
      return format(":value:({})", choices);
    }
    default:
      return format(":{}: ", label);
  }
}

/// "(-o --output)"{-o,--output}"[Output module]:OUT.spv:_files", in single quotes.
std::string OptionSpec(const CommandOption& option) {
  std::string names, all;
  for (const std::string& name : option.names) {
    names += (names.empty() ? "" : ",") + name;
    all += (all.empty() ? "" : " ") + name;
  }
  const std::string text =
      format("[{}]", ForArguments(FirstSentence(option.help))) + ValuePart(option);
  // Options that may be given several times are not distinguished: zsh offers each of them again.
  const std::string before = option.kind == ValueKind::kNone ? format("({})", all) : "*";
  if (option.names.size() == 1) return QuotedForShell(before + names + text);
  return format("{}{{{}}}{}", QuotedForShell(before), names, QuotedForShell(text));
}

std::string CommandFunction(const CommandPage& page) {
  std::string text = format("{}() {{\n", FunctionName(page));
  if (!page.parts.empty()) {
    text += "  local curcontext=$curcontext state line\n  typeset -A opt_args\n";
  }
  text += page.parts.empty() ? "  _arguments -s -S \\\n" : "  _arguments -C -s -S \\\n";
  for (const CommandOption& option : page.options) {
    if (!option.is_argument) text += format("    {} \\\n", OptionSpec(option));
  }
  if (page.parts.empty()) return text + "    '*:file:_files'\n}\n\n";
  text += "    '1:verb:->verb' \\\n    '*::argument:->argument' && return 0\n  case $state in\n";
  text += "    verb)\n      local -a verbs=(\n";
  for (const CommandPage& part : page.parts) {
    const std::string name = part.command.substr(part.command.rfind(' ') + 1);
    text += format("        {}\n", QuotedForShell(format("{}:{}", name, part.summary)));
  }
  // Verbs such as `coverage run` have parts, and others such as `campaign` take options as well.
  text += "      )\n      _describe verb verbs\n      ;;\n    argument)\n      case $words[1] in\n";
  for (const CommandPage& part : page.parts) {
    const std::string name = part.command.substr(part.command.rfind(' ') + 1);
    text += format("        {}) {} ;;\n", name, FunctionName(part));
  }
  return text + "        *) _files ;;\n      esac\n      ;;\n  esac\n}\n\n";
}

}  // namespace

std::string ZshCompletion(const CommandPage& root) {
  std::string text =
      "#compdef refract\n# zsh completion of refract. Generated from the tables of --help by "
      "command_pages.\n\n";
  for (const CommandPage* page : AllPages(root)) text += CommandFunction(*page);
  return text + "_refract \"$@\"\n";
}

}  // namespace cli
}  // namespace refract
