// SPDX-License-Identifier: Apache-2.0
#include "folder/readme.h"

#include <algorithm>

#include "base/text.h"
#include "folder/files.h"
#include "target/command_target.h"

namespace refract::inline folder {
namespace {

constexpr size_t kShownLines = 200;  // of delta.diff

// Markdown would take `<id>` for a tag, so what is quoted is code; a grave accent would end that.
std::string Code(std::string_view text) {
  std::string code = "`";
  for (const char c : text) code += c == '`' ? '\'' : c == '\n' || c == '|' ? ' ' : c;
  return code + "`";
}

std::string Cell(std::string_view text) {
  std::string cell;
  for (const char c : text) {
    if (c == '|' || c == '<' || c == '\\') cell += '\\';
    cell += c == '\n' ? ' ' : c;
  }
  return cell;
}

bool Has(const std::vector<std::string>& files, std::string_view name) {
  return std::find(files.begin(), files.end(), name) != files.end();
}

std::string Expectation(const TestRecord& record) {
  const std::string compared =
      record.rule == CompareRule::kExact
          ? "the same in every bit"
          : format("the same under rule `{}` of `refract compare`", RuleName(record.rule));
  return format(
      "The changed module computes what the original does: it should run to its end as the "
      "original "
      "does, and what both leave behind should be {}.",
      compared);
}

std::string ProgramExpectation() {
  return "The module records its way through a graph: `original.json` says under `$expected` what "
         "it must leave behind, which follows from its inputs alone.";
}

std::string AboutProgram(const TestRecord& record) {
  return format(
      "`original.spv` is {}, fleshed; `graph.txt` has its graph and ways. As it was "
      "found it comes from\n\n    {} -o DIR\n",
      record.minimal ? "the smallest program that was found to do so" : "the program",
      record.fleshed_by);
}

std::string Happened(const TestRecord& record) {
  std::string text = format("{}: {}", FailureClassName(record.verdict),
                            record.what.empty() ? "nothing more is known" : Cell(record.what));
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string HowOften(const TestRecord& record) {
  if (record.runs == 0) return "It has not been confirmed by further runs.";
  return format("Runs that showed it: {} of {}.", record.confirmed, record.runs);
}

std::string AboutSteps(const TestRecord& record, bool reduced) {
  if (!reduced) {
    return format(
        "Nothing is reduced yet: `variant.spv` comes from `original.spv` by all {} steps "
        "of `variant.refract`.",
        record.variant_steps);
  }
  std::string types;
  for (const std::string& type : record.types) types += (types.empty() ? "" : ", ") + Code(type);
  return format(
      "`reduced.spv` comes from `original.spv` by the steps of `reduced.refract`, {} of {}{}. They "
      "are of these types: {}. `refract explain TYPE` says what one is.",
      record.steps, record.variant_steps,
      record.minimal ? "; none of them can go (1-minimal)"
                     : "; whether one more could go was not proved",
      types.empty() ? "none" : types);
}

// A fence longer than any in the text.
std::string Fenced(std::string_view text) {
  size_t longest = 2, run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return format("{}diff\n{}{}\n", fence, text, fence);
}

std::string Difference(const TestRecord& record, const std::string& delta) {
  size_t end = 0, lines = 0;
  while (end < delta.size() && lines < kShownLines) {
    end = std::min(delta.find('\n', end), delta.size() - 1) + 1;
    ++lines;
  }
  std::string text = format("Instructions of difference: {}.\n\n", record.instructions);
  text += Fenced(std::string_view(delta).substr(0, end));
  if (end < delta.size()) text += "\nThe rest is in `delta.diff`.\n";
  return text;
}

std::string Options(const TestRecord& record) {
  std::string text;
  if (record.entry != "main") text += format(" --entry '{}'", record.entry);
  text += format(" --target-env {}", NameOf(record.environment));
  for (const std::string& option : NamesOf(record.validation)) text += " --" + option;
  if (record.zero_inputs) text += " --zero-inputs";
  if (record.partial_subgroups) text += " --partial-subgroups";
  if (record.time_limit != 10) {
    text += format(" --time-limit {}", static_cast<uint64_t>(record.time_limit));
  }
  return text;
}

// The other shader of a pipeline, with the option that names it.
std::string CompanionOption(const std::vector<std::string>& files) {
  if (Has(files, kVertex)) return format(" --vertex {}", kVertex);
  return Has(files, kFragment) ? format(" --fragment {}", kFragment) : std::string();
}

std::string Commands(const TestRecord& record, const std::vector<std::string>& files) {
  const bool reduced = Has(files, "reduced.spv");

  const std::vector<CommandTarget> shipped = ShippedCommandTargets();
  const bool own = record.target.kind == "command" &&
                   std::none_of(shipped.begin(), shipped.end(), [&](const CommandTarget& target) {
                     return target.name == record.target.name;
                   });
  const std::string targets = own ? " --target-file FILE" : "";
  const std::string variant = reduced ? "reduced" : "variant";
  const std::string_view note =
      own ? "\nFILE is the description of the command target, which is not among refract's own.\n"
          : "";
  std::string text = "In this folder:\n\n";
  text += format("    refract repeat .{}\n\n", targets);
  if (!record.fleshed_by.empty()) {
    return text + format("or by hand\n\n    refract run original.spv --target {}{}{} -o again\n{}",
                         record.target.name, targets, Options(record), note);
  }
  text += "or by hand\n\n";
  text += format("    refract run original.spv {}.spv --target {}{} --rule {}{}{} -o again\n\n",
                 variant, record.target.name, targets, RuleName(record.rule), Options(record),
                 CompanionOption(files));
  text += format(
      "and the module itself comes again from\n\n    refract replay original.spv {}.refract{} "
      "-o again.spv\n",
      variant, CompanionOption(files));
  return text + std::string(note);
}

std::string Where(const TestRecord& record) {
  const TargetRecord& target = record.target;
  std::string text = "| | |\n|---|---|\n";
  const auto row = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) text += format("| {} | {} |\n", name, Cell(value));
  };
  row("target", format("{} ({})", target.name, target.kind));
  row("version", target.version);
  row("driver", target.driver);
  row("driver version", target.driver_version);
  row("driver info", target.driver_info);
  row("device", target.device);
  row("Vulkan", target.api_version);
  row("ICD file", target.icd);
  for (const auto& [file, id] : target.build_ids) {
    row("build-id", format("{} {}", file, id.empty() ? "(none)" : id));
  }
  for (const auto& [name, value] : target.environment) {
    row("environment", format("{}={}", name, value));
  }
  row("refract", format("{}, commit {}, {} build, seed {}", record.tool, record.commit,
                        record.build, record.seed));
  row("kernel", record.kernel);
  return text;
}

std::string Files(const TestRecord& record, const std::vector<std::string>& files) {
  const bool reduced = Has(files, "reduced.spv"), alone = !record.fleshed_by.empty();
  const std::pair<std::string_view, std::string> rows[] = {
      {"test.json", "all that is said here, for programs"},
      {"original.spv", alone ? "the program" : "the module before any change"},
      {kGraph, "its graph as text, and the ways that invocations take"},
      {kVertex, "the vertex shader that these fragment shaders are drawn with"},
      {kFragment, "the fragment shader that these vertex shaders are drawn with"},
      {"variant.spv", format("after all {} steps", record.variant_steps)},
      {"reduced.spv", "after the steps that matter"},
      {"neighbour.spv", "with one step less, which does as the original"},
      {"smallest.spv",
       "cut down further, beyond what steps can do: it computes something else, but "
       "fails in the same way"},
      {"original.png", "what the target drew of the original"},
      {"variant.png", format("what it drew of `{}.spv`", reduced ? "reduced" : "variant")},
      {"diff.png", "where the two differ: grey where they agree, yellow to red where not"},
      {"log.txt", "what the failing program said; paths in it are those of the machine"},
  };
  std::string text = "| file | what it is |\n|---|---|\n", missing;
  for (const auto& [name, meaning] : rows) {
    if (Has(files, name)) text += format("| `{}` | {} |\n", name, meaning);
    // Those that one would look for.
    const bool expected = !alone && (name.ends_with(".png") || name == "reduced.spv" ||
                                     name == kNeighbour || name == kLog);
    if (!Has(files, name) && expected) {
      missing += format("{}`{}`", missing.empty() ? "" : ", ", name);
    }
  }
  text += "\nA `.json` beside a module has its inputs, a `.refract` its recording.\n";
  if (!missing.empty()) text += format("\nThere was nothing to write into {}.\n", missing);
  return text;
}

}  // namespace

std::string TestReadme(const TestRecord& record, const std::vector<std::string>& files,
                       const std::string& delta) {
  const bool reduced = Has(files, "reduced.spv");
  std::string text = format("# {}\n\n", Code(record.signature));
  const bool alone = !record.fleshed_by.empty();
  text += format("**Expected.** {}\n\n", alone ? ProgramExpectation() : Expectation(record));
  text += format("**What happened.** {}\n\n", Happened(record));
  text += format("**How often.** {}\n\n", HowOften(record));
  text += (alone ? AboutProgram(record) : AboutSteps(record, reduced)) + "\n";
  if (!delta.empty())
    text += format("\n## The minimal difference\n\n{}", Difference(record, delta));
  text += format("\n## Run it again\n\n{}", Commands(record, files));
  text += format("\n## Where it was seen\n\n{}", Where(record));
  text += format("\n## Files\n\n{}", Files(record, files));
  return text;
}

}  // namespace refract::inline folder
