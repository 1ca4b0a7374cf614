// SPDX-License-Identifier: Apache-2.0
#include "folder/issue.h"

#include <algorithm>

#include "base/counted.h"
#include "base/text.h"
#include "base/version.h"
#include "folder/markdown.h"
#include "signature/normalise.h"

namespace refract {
inline namespace folder {
namespace {

constexpr size_t kShownLines = 200;    // of a module or a difference
constexpr size_t kShownMessages = 30;  // lines of the messages of the program
constexpr size_t kShownFrames = 30;

bool IsTool(const Issue& issue) {
  return issue.record.target.kind == "command";
}

// The part of the signature that names the program, and the part that names the failure.
std::pair<std::string, std::string> PartsOf(const std::string& signature) {
  const size_t blank = signature.find(' ');
  if (blank == std::string::npos) return {};
  const size_t colon = signature.find(": ", blank);
  if (colon == std::string::npos) return {signature.substr(blank + 1), {}};
  return {signature.substr(blank + 1, colon - blank - 1), signature.substr(colon + 2)};
}

std::string Indented(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += format("    {}\n", Printable(line));
  return text;
}

// At most `limit` lines of `text`. `*all` is set to whether these are all.
std::string FirstLines(const std::string& text, size_t limit, bool* all) {
  size_t end = 0, lines = 0;
  while (end < text.size() && lines < limit) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
    ++lines;
  }
  *all = end == text.size();
  return text.substr(0, end);
}

size_t LinesIn(const std::string& text) {
  return static_cast<size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::string ColourText(const std::array<uint8_t, 4>& colour) {
  return format("({}, {}, {}, {})", colour[0], colour[1], colour[2], colour[3]);
}

std::string Versions(const Issue& issue) {
  const TargetRecord& target = issue.record.target;
  std::string text = "## Versions\n\n";
  const auto row = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += format("- {}: {}\n", name, Cell(Printable(value)));
  };
  row(IsTool(issue) ? "tools" : "driver", issue.version);
  if (!IsTool(issue)) row("device", target.device);
  row("system", issue.system);
  // The driver that draws does not matter if the tool itself failed.
  const bool drawn = !IsTool(issue) || IsWrongOutput(issue.record.verdict);
  for (const auto& [file, id] : target.build_ids) {
    const bool library = file.find(".so") != std::string::npos;
    if (!id.empty() && (drawn || !library)) row("build-id of " + file, id);
  }
  for (const auto& [name, value] : target.environment) {
    if (drawn) row("environment", format("{}={}", name, value));
  }
  return text + "\n";
}

std::string Commands(const Issue& issue) {
  std::string text = "## Steps to reproduce\n\n";
  std::vector<std::string> lines = {format("tar xzf {}.tar.gz", issue.name),
                                    format("cd {}", issue.name)};
  lines.insert(lines.end(), issue.commands.begin(), issue.commands.end());
  const bool amber = !issue.amber.empty();
  if (amber) lines.push_back(format("amber -v {} test.amber", issue.amber));
  if (issue.commands.empty() && !amber) {
    text += format("Run `{}.spv` of the attached `{}.tar.gz`. There is no script for Amber: {}.\n",
                   kIssueModule, issue.name, Printable(issue.amber_refusal));
    return text + "With Refract, the command is `refract repeat test`.\n\n";
  }
  text += format("With the attached `{}.tar.gz`:\n\n{}\n", issue.name, Indented(lines));
  if (!issue.commands.empty() && LinesIn(issue.assembly) <= kShownLines) {
    text += format("`{}.spv` is the module below. If you copy its text, this command makes it:\n\n",
                   kIssueModule);
    text += Indented({format("spirv-as --preserve-numeric-ids --target-env {} {}.spvasm -o {}.spv",
                             issue.spirv, kIssueModule, kIssueModule)});
    text += "\n";
  }
  if (!issue.full_commands.empty()) {
    text += "The failure was found with this longer command, which fails, too:\n\n";
    text += Indented(issue.full_commands) + "\n";
  }
  if (amber) {
    text += "[Amber](https://github.com/google/amber) runs `test.amber` on a Vulkan driver. ";
    text += IsTool(issue) ? "The script draws the module before and after the tool.\n\n"
                          : "The script has the shaders and all inputs.\n\n";
  }
  return text;
}

std::string Expected(const Issue& issue) {
  const bool tool = IsTool(issue);
  const std::string_view environment = NameOf(issue.record.environment);
  std::string text = "## Expected behaviour\n\n";
  const std::string valid =
      format("The module is valid: `spirv-val --target-env {}` accepts it.", environment);
  switch (issue.record.verdict) {
    case FailureClass::kWrongImage:
    case FailureClass::kWrongBuffer:
      if (tool) {
        return text + valid +
               " The tool must not change what the module computes: its output and the module "
               "must give the same result on every driver.\n\n";
      }
      if (issue.module == "check") {
        return text + valid +
               " It compares its own output with the correct one. A fragment shader draws red "
               "where its output is correct, and black elsewhere: it must draw red everywhere. A "
               "compute shader writes 1 to its last storage buffer if the other storage buffers "
               "are correct, and 0 otherwise: it must write 1.\n\n";
      }
      if (issue.record.unchanged || !issue.record.generated_by.empty()) {
        return text + valid +
               " It is well defined: the reference interpreter of Refract computes its output.\n\n";
      }
      if (!issue.record.fleshed_by.empty()) {
        return text + valid +
               " It is a compute shader that writes the path of each invocation to a buffer. The "
               "correct content of the buffer is known (`$expected` in `test/original.json`).\n\n";
      }
      return text + valid +
             format(
                 " It computes the same as `test/original.spv`{}. Both must give the same "
                 "result.\n\n",
                 issue.delta.empty() ? ""
                                     : ", from which it differs only in the instructions "
                                       "shown below");
    case FailureClass::kInvalidOutput:
      return text + valid + " The output of the tool must be valid, too.\n\n";
    case FailureClass::kRejected:
      return text + valid + " The tool must accept it.\n\n";
    default:
      return text + valid +
             (tool ? " The tool must process it.\n\n" : " The driver must compile and run it.\n\n");
  }
}

std::string Messages(const Issue& issue) {
  std::string text;
  std::vector<std::string> lines;
  for (const std::string& line : Split(WithoutFolders(issue.failure.output), '\n')) {
    if (!Trim(line).empty() && lines.size() <= kShownMessages) lines.push_back(line);
  }
  if (!lines.empty()) {
    const bool more = lines.size() > kShownMessages;
    if (more) lines.pop_back();
    text += "Messages:\n\n" + Indented(lines) + "\n";
    if (more) text += "The rest is in `test/log.txt`.\n\n";
  }
  if (issue.failure.backtrace.empty()) return text;
  std::vector<std::string> frames = issue.failure.backtrace;
  if (frames.size() > kShownFrames) frames.resize(kShownFrames);
  for (size_t i = 0; i < frames.size(); ++i) frames[i] = format("#{} {}", i, frames[i]);
  return text + "Stack:\n\n" + Indented(frames) + "\n";
}

std::string Pixels(const Issue& issue) {
  const PixelDifference& found = *issue.pixels;
  std::string text = format(
      "{} of {} pixels differ. The first is pixel ({}, {}), counted from the upper left corner: it "
      "is {} and must be {} (red, green, blue, alpha).",
      found.pixels, found.total, found.x, found.y, ColourText(found.got),
      ColourText(found.expected));
  if (!issue.images) return text;
  return text +
         " `test/original.png` is the correct image, `test/variant.png` the wrong one, and "
         "`test/diff.png` shows where they differ.";
}

std::string Actual(const Issue& issue) {
  const TestRecord& record = issue.record;
  std::string what = Cell(Printable(record.what));
  if (what.empty()) what = FailureClassName(record.verdict);
  if (issue.pixels) what = Pixels(issue);
  std::string text =
      format("## Actual behaviour\n\n{}{}\n\n", what, what.ends_with('.') ? "" : ".");
  text += Messages(issue);
  if (issue.runs > 0) {
    text += format("The failure reproduced in {} of {} before this text was written.\n\n",
                   issue.failed, Counted(issue.runs, "run"));
  } else if (record.runs > 0) {
    text += format(
        "{} of {} showed the failure when it was found. It was not run again for this text.\n\n",
        record.confirmed, Counted(record.runs, "run"));
  } else {
    text += "The failure was seen once. It was not run again for this text.\n\n";
  }
  return text;
}

std::string Table(std::string_view heading, const std::vector<IssueRun>& runs) {
  if (runs.empty()) return {};
  std::string text = format("## {}\n\n| target | version | result |\n|---|---|---|\n", heading);
  for (const IssueRun& run : runs) {
    text += format("| {} | {} | {} |\n", Cell(Printable(run.target)), Cell(Printable(run.version)),
                   Cell(Printable(run.seen)));
  }
  return text + "\n";
}

std::string Cause(const Issue& issue) {
  if (issue.blame.empty()) return {};
  return format("## Cause\n\n{}{}\n\n", Cell(Printable(issue.blame)),
                issue.blame.ends_with('.') ? "" : ".");
}

std::string ModuleText(const Issue& issue) {
  std::string text = format("## Module\n\n`{}.spvasm` in the archive", kIssueModule);
  const size_t lines = LinesIn(issue.assembly);
  text += lines > kShownLines ? format(" is the module ({} lines).\n\n", lines)
                              : " is this module:\n\n" + Fenced(issue.assembly, "") + "\n";
  if (!issue.smaller) return text;
  return text +
         "`test/smallest.spv` is smaller. It computes something else, but fails in the same "
         "way.\n\n";
}

// A small program shows the failure without the original.
std::string Difference(const Issue& issue) {
  if (issue.delta.empty() || issue.module == "smallest" || issue.module == "check") return {};
  bool all = false;
  const std::string shown = FirstLines(issue.delta, kShownLines, &all);
  std::string text = format(
      "## Difference\n\nThe original module, `test/original.spv`, does not fail. These "
      "instructions make it fail ({}):\n\n",
      Counted(issue.record.instructions, "instruction"));
  text += Fenced(shown, "diff");
  if (!all) text += "\nThe rest is in `test/delta.diff`.\n";
  return text + "\n";
}

}  // namespace

std::string IssueTitle(const Issue& issue) {
  const TestRecord& record = issue.record;
  const auto [where, key] = PartsOf(record.signature);
  // In a signature, the version in the name of a target is "N".
  const bool is_target = where.empty() || where == Normalise(record.target.name, {}, nullptr);
  std::string who = is_target ? record.target.name : where;
  who.resize(std::min(who.find('@'), who.size()));  // the driver that draws for a tool
  if (!issue.program.empty()) who = issue.program;
  const std::string pass =
      issue.pass.empty() || who.find(issue.pass) != std::string::npos ? "" : " " + issue.pass;
  const std::string reason = key.empty() ? "" : format(": {}", Code(Printable(key)));
  const auto title = [&](std::string_view what) {
    return format("{}{} {}{}", Printable(who), pass, what, reason);
  };
  switch (record.verdict) {
    case FailureClass::kCrash:
      return title("crashes");
    case FailureClass::kHang:
      return title("does not end");
    case FailureClass::kRejected:
      return title("rejects a valid module");
    case FailureClass::kInvalidOutput:
      return title("writes an invalid module");
    case FailureClass::kDeviceLost:
      return title("loses the device");
    case FailureClass::kWrongImage:
      return title(IsTool(issue) ? "changes the image that a shader draws" : "draws a wrong image");
    case FailureClass::kWrongBuffer:
      return title(IsTool(issue) ? "changes what a shader writes" : "writes a wrong buffer");
    default:
      return title(format("fails ({})", FailureClassName(record.verdict)));
  }
}

std::string IssueText(const Issue& issue) {
  const bool tool = IsTool(issue);
  std::string text = format("# {}\n\n", IssueTitle(issue));
  text += Commands(issue) + Expected(issue) + Actual(issue);
  text += Table("Since when", issue.versions);
  text += Table(tool ? "The module without the tool" : "On other targets", issue.others);
  text += Cause(issue) + Versions(issue) + ModuleText(issue) + Difference(issue);
  text += format("Found by Refract {}, a fuzzer for SPIR-V. Its name for this failure: {}\n",
                 ToolVersion(), Code(Printable(issue.record.signature)));
  return text;
}

}  // namespace folder
}  // namespace refract
