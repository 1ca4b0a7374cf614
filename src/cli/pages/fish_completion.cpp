// SPDX-License-Identifier: Apache-2.0
// The completion of fish: a line for each option, with a condition that tests the command.
#include "base/text.h"
#include "cli/pages/command_page.h"

namespace refract {
inline namespace cli {
namespace {

/// fish knows two escapes in single quotes.
std::string QuotedForFish(std::string_view text) {
  std::string quoted = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "'";
}

std::string ValueFlags(const CommandOption& option) {
  switch (option.kind) {
    case ValueKind::kNone:
      return {};
    case ValueKind::kFile:
      return " -r -F";
    case ValueKind::kFolder:
      return " -x -a '(__fish_complete_directories)'";
    case ValueKind::kChoice: {
      std::string choices;
      for (const std::string& choice : option.choices) {
        choices += (choices.empty() ? "" : " ") + choice;
      }
      return format(" -x -a {}", QuotedForFish(choices));
    }
    case ValueKind::kText:
      return " -x";
  }
  return {};
}

std::string OptionLine(const CommandPage& page, const CommandOption& option) {
  std::string names;
  for (const std::string& name : option.names) {
    names += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return format("complete -c refract -n {}{}{} -d {}\n",
                QuotedForFish("__refract_is " + QuotedForFish(page.Path())), names,
                ValueFlags(option), QuotedForFish(FirstSentence(option.help)));
}

/// `__refract_is 'cfg check'` tests whether the line has this command so far.
std::string Functions(const CommandPage& root) {
  std::string text = R"(function __refract_is
    set -l command
    for word in (commandline -opc)[2..-1]
        switch "$command $word"
)";
  for (const CommandPage& verb : root.parts) {
    text += format("            case {}\n                set command {}\n",
                   QuotedForFish(" " + verb.Path()), verb.Path());
    for (const CommandPage& part : verb.parts) {
      text += format("            case {0}\n                set command {0}\n",
                     QuotedForFish(part.Path()));
    }
  }
  return text + R"(        end
    end
    test "$command" = "$argv[1]"
end

)";
}

}  // namespace

std::string FishCompletion(const CommandPage& root) {
  std::string text =
      "# fish completion of refract. Generated from the tables of --help by command_pages.\n\n" +
      Functions(root);
  for (const CommandPage* page : AllPages(root)) {
    const std::string is_this = QuotedForFish("__refract_is " + QuotedForFish(page->Path()));
    // Without a verb, a file name makes no sense.
    if (page == &root) text += format("complete -c refract -n {} -f\n", is_this);
    for (const CommandPage& part : page->parts) {
      text += format("complete -c refract -n {} -a {} -d {}\n", is_this,
                     part.command.substr(part.command.rfind(' ') + 1), QuotedForFish(part.summary));
    }
    for (const CommandOption& option : page->options) {
      if (!option.is_argument) text += OptionLine(*page, option);
    }
  }
  return text;
}

}  // namespace cli
}  // namespace refract
