// SPDX-License-Identifier: Apache-2.0
// The completion of bash. It needs nothing but bash itself: no functions of other completions.
#include "base/text.h"
#include "cli/pages/command_page.h"

namespace refract {
inline namespace cli {
namespace {

std::string OptionNames(const CommandPage& page) {
  std::string names;
  for (const CommandOption& option : page.options) {
    if (option.is_argument) continue;
    for (const std::string& name : option.names) names += (names.empty() ? "" : " ") + name;
  }
  return names;
}

std::string PartNames(const CommandPage& page) {
  std::string names;
  for (const CommandPage& part : page.parts) {
    names += (names.empty() ? "" : " ") + part.command.substr(part.command.rfind(' ') + 1);
  }
  return names;
}

/// The alternatives of a `case` that matches an option of a command: 'fuzz --seed'|'fuzz -s'.
std::string Alternatives(const CommandPage& page, const CommandOption& option) {
  std::string alternatives;
  for (const std::string& name : option.names) {
    alternatives += format("{}'{} {}'", alternatives.empty() ? "" : "|", page.Path(), name);
  }
  return alternatives;
}

/// One line for each option with a value: what completes the value.
std::string ValueCases(const std::vector<const CommandPage*>& pages) {
  std::string cases;
  for (const CommandPage* page : pages) {
    for (const CommandOption& option : page->options) {
      if (option.is_argument || option.kind == ValueKind::kNone) continue;
      std::string action = "kind=text";
      if (option.kind == ValueKind::kFile) action = "kind=file";
      if (option.kind == ValueKind::kFolder) action = "kind=folder";
      if (option.kind == ValueKind::kChoice) {
        action = "kind=choice words='";
        for (const std::string& choice : option.choices) action += choice + " ";
        action.back() = '\'';
      }
      cases += format("    {}) {} ;;\n", Alternatives(*page, option), action);
    }
  }
  return cases;
}

constexpr char kBegin[] =
    R"(# bash completion of refract. Generated from the tables of --help by command_pages.

_refract() {
  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]}
  local command= kind=file words= options= verbs= i

  # The verb, and its part if it has one.
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command ${COMP_WORDS[i]}" in
)";

constexpr char kValues[] = R"(    esac
  done

  # bash makes three words of --name=value.
  if [[ $current == "=" ]]; then
    current=
  elif [[ $previous == "=" ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  case "$command $previous" in
)";

constexpr char kOptions[] = R"(    *)
      case "$command" in
)";

constexpr char kEnd[] = R"(      esac
      [[ $current == -* ]] && kind=choice words=$options
      [[ $kind == file && -n $verbs ]] && kind=choice words=$verbs
      ;;
  esac

  local IFS=$'\n'
  case $kind in
    choice) COMPREPLY=($(IFS=' ' && compgen -W "$words" -- "$current")) ;;
    folder) COMPREPLY=($(compgen -d -- "$current")) ;;
    file) COMPREPLY=($(compgen -f -- "$current")) ;;
    *) COMPREPLY=() ;;
  esac
  # File names get a slash after a folder, and quotes where they need some.
  [[ $kind == f* ]] && compopt -o filenames 2> /dev/null
  return 0
}
complete -F _refract refract
)";

}  // namespace

std::string BashCompletion(const CommandPage& root) {
  const std::vector<const CommandPage*> pages = AllPages(root);
  std::string text = kBegin;
  for (const CommandPage& verb : root.parts) {
    text += format("      ' {0}') command={0} ;;\n", verb.Path());
    for (const CommandPage& part : verb.parts) {
      text += format("      '{0}') command='{0}' ;;\n", part.Path());
    }
  }
  text += kValues + ValueCases(pages) + kOptions;
  for (const CommandPage* page : pages) {
    text += format("        '{}') options='{}' verbs='{}' ;;\n", page->Path(), OptionNames(*page),
                   PartNames(*page));
  }
  return text + kEnd;
}

}  // namespace cli
}  // namespace refract
