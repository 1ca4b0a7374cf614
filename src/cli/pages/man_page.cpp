// SPDX-License-Identifier: Apache-2.0
// Man pages in roff. No line has a date: the same source gives the same bytes.
#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "base/version.h"
#include "cli/pages/command_page.h"

namespace refract {
inline namespace cli {
namespace {

/// A text of which roff changes no character. An option keeps its hyphens when it is copied.
std::string Roff(std::string_view text) {
  std::string roff;
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) roff = "\\&";
  for (const char c : text) {
    switch (c) {
      case '\\':
        roff += "\\e";
        break;
      case '-':
        roff += "\\-";
        break;
      case '\'':
        roff += "\\(aq";
        break;
      case '"':
        roff += "\\(dq";
        break;
      case '^':
        roff += "\\(ha";
        break;
      case '`':
        roff += "\\(ga";
        break;
      case '~':
        roff += "\\(ti";
        break;
      default:
        roff += c;
    }
  }
  return roff;
}

/// Unchanged lines in a fixed font.
std::string Preformatted(std::string_view text) {
  std::string roff = ".RS 4\n.nf\n";
  for (const std::string& line : Split(text, '\n')) roff += Roff(line) + "\n";
  return roff + ".fi\n.RE\n";
}

std::string NameLine(const CommandOption& option) {
  std::string line;
  for (const std::string& name : option.names) {
    line += format("{}\\fB{}\\fR", line.empty() ? "" : ", ", Roff(name));
  }
  if (!option.label.empty()) line += format(" \\fI{}\\fR", Roff(option.label));
  if (option.is_repeated) line += " ...";
  return line;
}

std::string OptionText(const CommandOption& option) {
  std::string text = option.help;
  if (option.is_required) text += " (required)";
  if (!option.initial.empty() && text.find("(default") == std::string::npos) {
    text += format(" (default {})", option.initial);
  }
  return format(".TP\n{}\n{}\n", NameLine(option), Roff(text));
}

/// The options of each heading, in the order in which the headings occur.
std::string OptionSections(const CommandPage& page) {
  std::vector<std::string> groups;
  for (const CommandOption& option : page.options) {
    if (std::find(groups.begin(), groups.end(), option.group) == groups.end()) {
      groups.push_back(option.group);
    }
  }
  // Common options come last, as in --help-all.
  std::stable_partition(groups.begin(), groups.end(),
                        [](const std::string& group) { return group != kCommonOptions; });
  std::string text;
  for (const std::string& group : groups) {
    std::string heading = group.empty() ? "Arguments" : group;
    std::transform(heading.begin(), heading.end(), heading.begin(),
                   [](unsigned char c) { return std::toupper(c); });
    text += format(".SH {}\n", Roff(heading));
    for (const CommandOption& option : page.options) {
      if (option.group == group) text += OptionText(option);
    }
  }
  return text;
}

std::string VerbSection(const CommandPage& page) {
  if (page.parts.empty()) return {};
  std::string text = ".SH VERBS\n";
  for (const CommandPage& part : page.parts) {
    text += format(".TP\n\\fB{}\\fR(1)\n{}\n", Roff(ManName(part)), Roff(part.summary));
  }
  return text;
}

std::string ExitSection(const CommandPage& page) {
  std::string text = ".SH EXIT STATUS\n";
  for (const ExitText& row : page.exit_texts) {
    text += format(".TP\n{}\n{}\n", static_cast<int>(row.code), Roff(row.meaning));
  }
  return text;
}

/// The page above this one, and the other parts of it.
std::string SeeAlso(const CommandPage& page, const CommandPage& root) {
  std::vector<std::string> names;
  const std::vector<const CommandPage*> pages = AllPages(root);
  for (const CommandPage* other : pages) {
    const bool above = page.command.starts_with(other->command + " ");
    if (above) names.push_back(ManName(*other));
    const bool has_page = std::any_of(other->parts.begin(), other->parts.end(),
                                      [&](const CommandPage& part) { return &part == &page; });
    if (!has_page || other == &root) continue;
    for (const CommandPage& part : other->parts) {
      if (&part != &page) names.push_back(ManName(part));
    }
  }
  if (names.empty()) return {};
  std::string text = ".SH SEE ALSO\n";
  for (size_t i = 0; i < names.size(); ++i) {
    text += format("\\fB{}\\fR(1){}\n", Roff(names[i]), i + 1 < names.size() ? "," : "");
  }
  return text;
}

}  // namespace

std::string ManName(const CommandPage& page) {
  std::string name = page.command;
  std::replace(name.begin(), name.end(), ' ', '-');
  return name;
}

std::string ManPage(const CommandPage& page, const CommandPage& root) {
  std::string title = ManName(page);
  std::transform(title.begin(), title.end(), title.begin(),
                 [](unsigned char c) { return std::toupper(c); });
  std::string text = format(
      ".\\\" Generated from the tables of --help by command_pages.\n"
      ".TH {} 1 \"\" \"refract {}\" \"Refract\"\n.nh\n.ad l\n",
      Roff(title), Roff(ToolVersion()));
  const bool is_root = &page == &root;
  text += format(
      ".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", Roff(ManName(page)),
      is_root ? "find bugs in Vulkan drivers and in tools for SPIR\\-V" : Roff(page.summary));
  std::string usage;
  for (const std::string& line : page.usage) usage += (usage.empty() ? "" : "\n") + line;
  text += ".nf\n" + Roff(usage) + "\n.fi\n";
  if (is_root) text += format(".SH DESCRIPTION\n{}\n", Roff(page.summary));
  text += VerbSection(page) + OptionSections(page);
  text += ".SH EXAMPLE\n" + Preformatted(page.example);
  return text + ExitSection(page) + SeeAlso(page, root);
}

}  // namespace cli
}  // namespace refract
