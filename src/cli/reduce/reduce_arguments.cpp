// SPDX-License-Identifier: Apache-2.0
#include "cli/reduce/reduce_arguments.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/outputs.h"
#include "cli/paths.h"

namespace refract {
inline namespace cli {
namespace {

// The limit on tries for a module without a recording. The search ends by itself before: a module
// of N instructions takes a few tries for each of them.
constexpr size_t kMaxTries = 100000;

// The recording determines what these options choose.
Status CheckWithRecording(const ReduceArguments& given) {
  const bool layout = std::any_of(given.original.validator.flags.begin(),
                                  given.original.validator.flags.end(), [](bool f) { return f; });
  if (given.original.entry.empty() && given.original.environment.empty() && !layout) return {};
  return Error{
      "--entry, --target-env and the layout options are in the RECORDING; pass them only without "
      "one",
      ErrorKind::kUsage};
}

// These options choose among steps, or compare with an original.
Status CheckWithoutRecording(const ReduceArguments& given) {
  const InterestingnessArguments& test = given.interestingness;
  const std::pair<bool, const char*> needs_recording[] = {
      {given.smallest, "--smallest"},
      {given.steps_only, "--steps-only"},
      {given.plain, "--plain"},
      {given.algorithm != "bisect", "--algorithm"},
      {!given.folder.empty(), "--folder"},
      {test.wrong_image, "--wrong-image"},
      {test.interp, "--interp"},
      {test.rule != "auto", "--rule"},
      {!test.thresholds.empty(), "--thresholds"},
  };
  for (const auto& [is_given, name] : needs_recording) {
    if (is_given) return Error{format("{} requires a RECORDING", name), ErrorKind::kUsage};
  }
  return {};
}

}  // namespace

void DeclareReduceArguments(ReduceArguments& given, Options& options) {
  DeclareOriginal(options, &given.original, false);
  options.OptionalArgument("RECORDING", &given.recording,
                           "A .refract file or a mutated file, whose variant is interesting; "
                           "without it, MODULE is interesting and becomes smaller");
  DeclareInterestingnessOptions(options, &given.interestingness);
  options.RequiredText(
      "-o,--output", "OUT.spv", &given.output,
      "Reduced module. OUT.refract, if there is a RECORDING, and OUT.json, if there are "
      "inputs, are written to the same folder; - writes only the module, to "
      "standard output");
  options.Number("--jobs", &given.jobs,
                 "Number of parallel tries; the result does not depend on it", 1, 1024);
  options.Duration("--time,--budget", &given.budget,
                   "Stop after this time (seconds, or 90s, 8m, 1.5h), write the best result so "
                   "far, and exit with 6; --resume continues");
  options.Number("--max-tries", &given.max_tries,
                 "Limit on the tries that shrink a whole module (default 500 with --smallest, "
                 "2000 for a wrong output, 100000 without RECORDING)",
                 1);
  options.Flag("--resume", &given.resume,
               "Continue a reduction that was interrupted or killed; OUT.reducing has its tries, "
               "which are not repeated");
  options.Flag("--smallest", &given.smallest,
               "Also shrink the whole module as long as it is interesting, whatever it computes, "
               "and write OUT.smallest.spv. For a wrong output, first shrink the original and the "
               "variant together (OUT.pair.original.spv, OUT.pair.variant.spv, OUT.pair.diff); "
               "shrink the inputs too, and write a self-checking module "
               "(OUT.check.spv). The interpreter decides which output is correct");
  options.Text("--folder", "DIR", &given.folder,
               "With --target: also write a test folder (docs/test-folder.md), with the modules "
               "of --smallest; a folder with files is refused, except with --resume");
  options.Flag("--steps-only", &given.steps_only,
               "Only leave out steps; do not make the remaining steps smaller");
  options.Choice("--algorithm", &given.algorithm, {"bisect", "halving", "counter"},
                 "Algorithm that chooses the steps to leave out (docs/reducing.md)");
  options.Flag("--plain", &given.plain,
               "Use the unchanged algorithm of Donaldson et al. (2021), to compare with");
  options.Group("Without RECORDING");
  options.Text("--entry", "NAME", &given.original.entry,
               "Entry point that --target runs (default: the only one)");
  options.Text("--target-env", "ENV", &given.original.environment,
               "Environment that the modules must be valid for, such as vulkan1.1 or spv1.3 "
               "(default: by the version of MODULE)");
  options.Group(nullptr);
  DeclareLayout(options, &given.original.validator);
}

void SeparateScript(const Console& console, ReduceArguments* given) {
  const auto end = console.arguments.end();
  const auto dashes = std::find(console.arguments.begin(), end, "--");
  if (dashes == end || given->recording.empty()) return;
  std::vector<std::string>& script = given->interestingness.script;
  if (end - dashes - 1 != static_cast<ptrdiff_t>(script.size()) + 1) return;
  script.insert(script.begin(), std::move(given->recording));
  given->recording.clear();
}

Status CheckReduceArguments(const ReduceArguments& given, const Console& console) {
  std::vector<std::string> inputs = InputFilesOf(given.original);
  if (!given.recording.empty()) inputs.push_back(given.recording);
  if (Status once = CheckOneStandardInput(inputs); !once) return once;
  if (Status alone = CheckStandardOutput(given.output, console.json, "--json"); !alone) {
    return alone;
  }
  if (given.output == "-" && (given.resume || given.smallest)) {
    return Error{"-o -: --resume and --smallest need a file next to the output; pass a file name",
                 ErrorKind::kUsage};
  }
  if (Status interestingness = CheckInterestingnessArguments(given.interestingness);
      !interestingness)
    return interestingness;
  if (Status fits =
          given.recording.empty() ? CheckWithoutRecording(given) : CheckWithRecording(given);
      !fits) {
    return fits;
  }
  if (!given.folder.empty() && given.interestingness.target.empty()) {
    return Error{"--folder requires --target", ErrorKind::kUsage};
  }
  // A reduction that is continued writes its own folder again.
  if (!given.folder.empty() && !given.resume) {
    if (Status fresh = CheckNewFolder(given.folder); !fresh) return fresh;
  }
  if (given.smallest && given.interestingness.interp) {
    return Error{"--smallest changes what the module computes; it excludes --interp",
                 ErrorKind::kUsage};
  }
  return CheckVariantOutput(
      given.output,
      {".json", ".refract", ".reducing", ".smallest.spv", ".smallest.json", ".smallest.reducing",
       ".smallest.reducing-module", ".pair.original.spv", ".pair.original.json",
       ".pair.variant.spv", ".pair.variant.json", ".pair.diff", ".check.spv", ".check.json"},
      inputs);
}

std::string JournalOf(const ReduceArguments& given) {
  return given.output == "-" ? std::string() : ReplaceExtension(given.output, ".reducing");
}

std::string SmallestOf(const ReduceArguments& given) {
  return ReplaceExtension(given.output, ".smallest.spv");
}

std::string PairOriginalOf(const ReduceArguments& given) {
  return ReplaceExtension(given.output, ".pair.original.spv");
}

std::string PairVariantOf(const ReduceArguments& given) {
  return ReplaceExtension(given.output, ".pair.variant.spv");
}

std::string PairDiffOf(const ReduceArguments& given) {
  return ReplaceExtension(given.output, ".pair.diff");
}

std::string CheckOf(const ReduceArguments& given) {
  return ReplaceExtension(given.output, ".check.spv");
}

std::string SmallestJournalOf(const ReduceArguments& given) {
  if (given.output == "-") return {};
  return ReplaceExtension(given.output, ".smallest.reducing");
}

ReduceOptions ReduceOptionsOf(const ReduceArguments& given) {
  ReduceOptions options;
  options.algorithm = AlgorithmByName(given.algorithm).value_or(Algorithm::kBisect);
  options.plain = given.plain;
  options.jobs = static_cast<uint32_t>(given.jobs);
  options.shrink = !given.steps_only;
  if (given.recording.empty()) options.smallest_tries = kMaxTries;
  if (given.max_tries) options.smallest_tries = static_cast<size_t>(*given.max_tries);
  options.journal = JournalOf(given);
  options.journal_key = InterestingnessKey(given.interestingness);
  options.resume = given.resume;
  return options;
}

}  // namespace cli
}  // namespace refract
