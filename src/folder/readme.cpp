// SPDX-License-Identifier: Apache-2.0
#include "folder/readme.h"

#include <algorithm>

#include "base/text.h"
#include "folder/file_names.h"
#include "folder/markdown.h"
#include "target/command_target.h"

namespace refract {
inline namespace folder {
namespace {

constexpr size_t kDeltaLines = 200;  // shown of delta.diff

bool Has(const std::vector<std::string>& files, std::string_view name) {
  return std::find(files.begin(), files.end(), name) != files.end();
}

std::string Expectation(const TestRecord& record) {
  const std::string compared =
      record.rule.kind == CompareRule::kExact
          ? "the same in every bit"
          : format("the same under rule `{}` of `refract compare`", RuleName(record.rule.kind));
  return format(
      "The changed module computes the same as the original. It must run without a failure, as the "
      "original does, and the outputs of both must be {}.",
      compared);
}

std::string ProgramExpectation(const TestRecord& record) {
  return format(
      "The module is a {}. The key `$expected` of `original.json` has the expected output, which "
      "{}.",
      record.fleshed_by.empty()
          ? "generated program"
          : "control-flow program: it records which blocks of a control-flow graph it executes",
      record.fleshed_by.empty() ? "the interpreter computed" : "depends only on the inputs");
}

std::string OriginalExpectation(const TestRecord& record) {
  if (!IsWrongOutput(record.verdict)) {
    return "The module is a reference without any change. It must run without a failure.";
  }
  return "The module is a reference without any change. Its outputs must be those of the "
         "interpreter in every bit, because they do not depend on rounding.";
}

std::string AboutOriginal(bool smallest) {
  return format("`original.spv` is the reference itself: no step changed it.{}\n",
                smallest ? " `smallest.spv` fails in the same way." : "");
}

std::string AboutProgram(const TestRecord& record) {
  std::string text =
      format("`original.spv` is {}.",
             record.minimal ? "the smallest failing program that was found" : "a failing program");
  if (!record.fleshed_by.empty()) {
    text += " `graph.txt` has its control-flow graph, and the blocks that the invocations visit.";
  }
  return format("{} This command makes the program as it was found:\n\n    {}\n", text,
                record.ProgramCommand());
}

std::string Happened(const TestRecord& record) {
  std::string text = format("{}: {}", FailureClassName(record.verdict),
                            record.what.empty() ? "no details are known" : Cell(record.what));
  if (!text.ends_with('.')) text += '.';
  return text;
}

std::string HowOften(const TestRecord& record) {
  if (record.runs == 0) return "No further runs have confirmed the failure.";
  return format("{} of {} runs showed the failure.", record.confirmed, record.runs);
}

std::string AboutSteps(const TestRecord& record, bool reduced) {
  if (!reduced) {
    return format(
        "This test is not reduced: all {} steps of `variant.refract` make `variant.spv` from "
        "`original.spv`.",
        record.variant_steps);
  }
  std::string types;
  for (const std::string& type : record.types) types += (types.empty() ? "" : ", ") + Code(type);
  return format(
      "`reduced.refract` has the steps that make `reduced.spv` from `original.spv`: {} of {}{}. "
      "Step types: {}. `refract explain TYPE` describes a type.",
      record.steps, record.variant_steps,
      record.minimal ? "; no step can be removed (1-minimal)"
                     : "; it was not proved that no step can be removed",
      types.empty() ? "none" : types);
}

std::string Difference(const TestRecord& record, const std::string& delta) {
  size_t end = 0, lines = 0;
  while (end < delta.size() && lines < kDeltaLines) {
    end = std::min(delta.find('\n', end), delta.size() - 1) + 1;
    ++lines;
  }
  std::string text = format("Instructions that differ: {}.\n\n", record.instructions);
  text += Fenced(std::string_view(delta).substr(0, end), "diff");
  if (end < delta.size()) text += "\nThe rest is in `delta.diff`.\n";
  return text;
}

// The options of `refract run` that the test needs.
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

// The options of `refract run` that compare both modules as the test does.
std::string ComparisonOptions(const TestRecord& record) {
  const ComparisonRule& rule = record.rule;
  std::string text = format(" --rule {}", RuleName(rule.kind));
  if (HasThresholds(rule.kind) && rule.thresholds != Thresholds()) {
    text += format(" --thresholds {}", ThresholdsText(rule.thresholds));
  }
  return text;
}

// The option that names the companion, if there is one.
std::string CompanionOption(const std::vector<std::string>& files) {
  for (const CompanionFile& companion : kCompanionFiles) {
    if (Has(files, companion.file)) return format(" {} {}", companion.option, companion.file);
  }
  return {};
}

// Whether the user described the target.
bool HasTargetFile(const TestRecord& record) {
  const std::vector<CommandTarget> shipped = ShippedCommandTargets();
  return record.target.kind == "command" &&
         std::none_of(shipped.begin(), shipped.end(), [&](const CommandTarget& target) {
           return target.name == record.target.name;
         });
}

// The small programs of a wrong output.
std::string SmallPrograms(const TestRecord& record, const std::vector<std::string>& files) {
  std::string text;
  const std::string options = format("{}{}{}", HasTargetFile(record) ? " --target-file FILE" : "",
                                     Options(record), CompanionOption(files));
  if (Has(files, kSelfChecking)) {
    text += format(
        "`check.spv` compares its own output with the expected one, which comes from the "
        "interpreter. A fragment shader draws red where the output is right, and black elsewhere. "
        "A compute shader writes 1 to a storage buffer if the other storage buffers are right, "
        "and 0 otherwise. This command reports whether the output is right:\n\n"
        "    refract run check.spv --target {}{}\n\n",
        record.target.name, options);
  }
  if (Has(files, kSmallest)) {
    text += format(
        "`smallest.spv` ({} instructions) computes something else than the original. The target "
        "gives another output than the interpreter:\n\n"
        "    refract run smallest.spv --targets interp,{}{}\n\n",
        record.smallest_instructions, record.target.name, options);
  }
  if (Has(files, kPairDiff)) {
    text += format(
        "`pair.original.spv` ({} instructions) and `pair.variant.spv` are the original and the "
        "reduced module, made smaller together. They differ in {} instructions (`pair.diff`). Both "
        "must give the same output.\n",
        record.pair_instructions, record.pair_difference);
  }
  return text.empty() ? text : "\n## Small programs\n\n" + text;
}

std::string Commands(const TestRecord& record, const std::vector<std::string>& files) {
  const bool reduced = Has(files, "reduced.spv");
  const bool own = HasTargetFile(record);
  const std::string targets = own ? " --target-file FILE" : "";
  const std::string variant = reduced ? "reduced" : "variant";
  const std::string_view note = own ? "\nFILE describes this command target, which is not one of "
                                      "refract's built-in targets.\n"
                                    : "";
  std::string text = "Run this in the test folder:\n\n";
  text += format("    refract repeat .{}\n\n", targets);
  if (!record.HasVariant()) {
    return text + format(
                      "or, without `repeat`:\n\n    refract run original.spv --target {}{}{}{} -o "
                      "again\n{}",
                      record.target.name, targets, Options(record), CompanionOption(files), note);
  }
  text += "or, without `repeat`:\n\n";
  text += format("    refract run original.spv {}.spv --target {}{}{}{}{} -o again\n\n", variant,
                 record.target.name, targets, ComparisonOptions(record), Options(record),
                 CompanionOption(files));
  text += format(
      "This command makes the changed module again:\n\n"
      "    refract replay original.spv {}.refract{} -o again.spv\n",
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
  const bool reduced = Has(files, "reduced.spv"), alone = !record.HasVariant();
  const std::pair<std::string_view, std::string> rows[] = {
      {"test.json", "the content of this page as JSON, for scripts"},
      {"original.spv", record.IsProgram() ? "the program" : "the unchanged module"},
      {kGraph,
       "the control-flow graph of the program as text, and the blocks that the invocations visit"},
      {kVertex, "the vertex shader that is used with these fragment shaders"},
      {kFragment, "the fragment shader that is used with these vertex shaders"},
      {kControl, "the tessellation control shader that is used with these evaluation shaders"},
      {kEvaluation, "the tessellation evaluation shader that is used with these control shaders"},
      {kTask, "the task shader that is used with these mesh shaders"},
      {kMesh, "the mesh shader that is used with these task shaders"},
      {kRayGeneration, "the ray generation shader that is used with these shaders"},
      {kClosestHit, "the closest hit shader that is used with these ray generation shaders"},
      {kAnyHit, "the any-hit shader that is used with these ray generation shaders"},
      {kIntersection, "the intersection shader that is used with these ray generation shaders"},
      {kCallable, "the callable shader that is used with these ray generation shaders"},
      {"variant.spv", format("the module after all {} steps", record.variant_steps)},
      {"reduced.spv", "the module after the steps that matter"},
      {"neighbour.spv",
       "the reduced module without its last step, which behaves like the original"},
      {"smallest.spv",
       "a module that was made smaller without regard to what it computes; it fails in the same "
       "way"},
      {"pair.original.spv", "the original, made smaller together with the reduced module"},
      {"pair.variant.spv", "the reduced module, made smaller together with the original"},
      {kPairDiff, "the difference of the pair"},
      {kSelfChecking, "a small module that compares its own output with the expected one"},
      {"original.png", "the image that the target drew for the original"},
      {kExpected, "the image that the interpreter drew for the original"},
      {"variant.png",
       format("the image that the target drew for `{}.spv`", reduced ? "reduced" : "variant")},
      {"diff.png",
       "the difference of the images: grey where they agree, yellow to red where they differ"},
      {"log.txt",
       "the messages of the failing program; paths are those of the machine where it ran"},
  };
  std::string text = "| file | what it is |\n|---|---|\n", missing;
  for (const auto& [name, meaning] : rows) {
    if (Has(files, name)) text += format("| `{}` | {} |\n", name, meaning);
    // Files that a reader would expect.
    const bool expected = !alone && (name.ends_with(".png") || name == "reduced.spv" ||
                                     name == kNeighbour || name == kLog);
    if (!Has(files, name) && expected) {
      missing += format("{}`{}`", missing.empty() ? "" : ", ", name);
    }
  }
  text +=
      "\nFor each module, the `.json` file has its inputs and the `.refract` file its recording.\n";
  if (!missing.empty())
    text += format("\nThese files are absent because this test has nothing to put into them: {}.\n",
                   missing);
  return text;
}

// A test for coverage has no failure.
std::string CoverageReadme(const TestRecord& record, const std::vector<std::string>& files) {
  const bool checks = Has(files, kSelfChecking);
  std::string text = format("# {}\n\n", Code(record.signature));
  text += format(
      "This test runs code of the target that the tests of a suite do not run: {}. It shows no "
      "failure. `original.spv` was made smaller as long as the target ran these lines.\n\n",
      Code(record.covers));
  text += checks ? "`check.spv` compares its own output with the expected one, which comes from "
                   "the interpreter, and also runs the lines. This command reports whether the "
                   "output is right:\n\n"
                 : "There is no `check.spv`: the module cannot compare its own output. This "
                   "command runs the module:\n\n";
  text += format("    refract run {} --target {}{}{}\n", checks ? kSelfChecking : "original.spv",
                 record.target.name, Options(record), CompanionOption(files));
  return text +
         "\n`refract export` writes the test as a script for Amber, or as a test of the "
         "Vulkan conformance suite.\n";
}

}  // namespace

std::string TestReadme(const TestRecord& record, const std::vector<std::string>& files,
                       const std::string& delta) {
  if (!record.covers.empty()) return CoverageReadme(record, files);
  const bool reduced = Has(files, "reduced.spv");
  std::string text = format("# {}\n\n", Code(record.signature));
  const bool program = record.IsProgram();
  text += format("**Expected.** {}\n\n", program            ? ProgramExpectation(record)
                                         : record.unchanged ? OriginalExpectation(record)
                                                            : Expectation(record));
  text += format("**What happened.** {}\n\n", Happened(record));
  text += format("**How often.** {}\n\n", HowOften(record));
  text += (program            ? AboutProgram(record)
           : record.unchanged ? AboutOriginal(Has(files, kSmallest))
                              : AboutSteps(record, reduced)) +
          "\n";
  if (!delta.empty())
    text += format("\n## The minimal difference\n\n{}", Difference(record, delta));
  text += format("\n## Reproduce the failure\n\n{}", Commands(record, files));
  if (IsWrongOutput(record.verdict)) text += SmallPrograms(record, files);
  text += format("\n## Where the failure was seen\n\n{}", Where(record));
  text += format("\n## Files\n\n{}", Files(record, files));
  return text;
}

}  // namespace folder
}  // namespace refract
