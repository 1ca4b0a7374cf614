// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/original_options.h"
#include "cli/outputs.h"
#include "cli/paths.h"
#include "cli/recording_files.h"
#include "cli/verbs.h"
#include "engine/replay.h"
#include "engine/validity.h"
#include "wire/recording_file.h"

namespace refract {
inline namespace cli {
namespace {

struct ReplayArguments {
  OriginalArguments original;
  std::string recording;
  std::string output;
  std::optional<uint64_t> first;
  std::string steps;
  bool strict = false;
  bool force = false;
};

void Declare(ReplayArguments& given, Options& options) {
  DeclareOriginal(options, &given.original, false);
  options.Argument("RECORDING", &given.recording,
                   "A .refract file, binary or text, or a mutated file; - reads standard input");
  options.RequiredText("-o,--output", "OUT.spv", &given.output,
                       "Output module. If there are inputs, OUT.json is written to the same "
                       "folder; - writes only the module, to standard output");
  options.Number("--first", &given.first, "Apply only the steps with numbers up to N");
  options.Text("--steps", "LIST", &given.steps, "Apply only these steps, such as 1,4-9");
  options.Flag("--strict", &given.strict, "Fail if a step cannot be applied");
  options.Flag(
      "--force", &given.force,
      "Replay even if the module or the inputs are not those for which the recording was made");
}

// Parses "1,4-9" to ascending numbers.
Result<std::vector<uint32_t>> ParseSteps(const std::string& text) {
  std::vector<uint32_t> steps;
  for (const std::string& range : Split(text, ',')) {
    const std::vector<std::string> ends = Split(range, '-');
    uint64_t low = 0, high = 0;
    if (ends.size() > 2 || !ParseNumber(ends[0], &low) || !ParseNumber(ends.back(), &high) ||
        low == 0 || high < low || high > kMaxSteps) {
      return Error{
          format("--steps {}: '{}' is neither a step number nor a range such as 4-9", text, range),
          ErrorKind::kUsage};
    }
    for (uint64_t step = low; step <= high; ++step) steps.push_back(static_cast<uint32_t>(step));
  }
  std::sort(steps.begin(), steps.end());
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

std::string ToJson(const ReplayResult& result) {
  nlohmann::ordered_json json;
  json["applied"] = result.applied;
  json["skipped"] = nlohmann::ordered_json::array();
  for (const SkippedStep& step : result.skipped) {
    json["skipped"].push_back(
        {{"step", step.number}, {"type", step.type}, {"reason", step.reason}});
  }
  return json.dump(2) + "\n";
}

Result<ReplayOptions> OptionsOf(const ReplayArguments& given) {
  ReplayOptions options;
  if (given.first) {
    options.first = static_cast<uint32_t>(std::min<uint64_t>(*given.first, kMaxSteps));
  }
  options.force = given.force;
  if (given.steps.empty()) return options;
  Result<std::vector<uint32_t>> steps = ParseSteps(given.steps);
  if (!steps) return steps.error();
  options.steps = std::move(*steps);
  return options;
}

// Refuses --steps if it names no existing step. A range may extend beyond the last step.
Status CheckSteps(const ReplayArguments& given, const std::vector<uint32_t>& wanted,
                  const message::Recording& recording) {
  const auto is_wanted = [&](const message::Step& step) {
    return std::binary_search(wanted.begin(), wanted.end(), step.number);
  };
  const std::vector<message::Step>& steps = recording.steps;
  if (wanted.empty() || std::any_of(steps.begin(), steps.end(), is_wanted)) return {};
  if (steps.empty())
    return Error{
        format("{}: --steps {}: the recording has no steps", given.recording, given.steps)};
  return Error{format(
      "{}: --steps {}: the recording has no such step; its {} steps have the numbers {} to {}",
      given.recording, given.steps, steps.size(), steps.front().number, steps.back().number)};
}

Status CheckArguments(const ReplayArguments& given, const Console& console) {
  std::vector<std::string> inputs = InputFilesOf(given.original);
  inputs.push_back(given.recording);
  if (Status once = CheckOneStandardInput(inputs); !once) return once;
  if (Status alone = CheckStandardOutput(given.output, console.json, "--json"); !alone) {
    return alone;
  }
  return CheckVariantOutput(given.output, {".json"}, inputs);
}

Result<ExitCode> Run(const ReplayArguments& given, Console& console) {
  Result<ReplayOptions> replay = OptionsOf(given);
  if (!replay) return replay.error();
  if (Status fit = CheckArguments(given, console); !fit) return fit.error();
  Result<message::Recording> recording = LoadRecording(given.recording);
  if (!recording) return recording.error();
  if (Status there = CheckSteps(given, replay->steps, *recording); !there) return there.error();
  Result<OriginalOptions> options = OriginalOptionsOf(*recording);
  if (!options) {
    return Error{format("{}: {}", given.recording, options.error().message)};
  }
  Result<Original> original = LoadOriginal(given.original, &*options, console);
  if (!original) return original.error();
  Result<ReplayResult> result = Replay(*original, *recording, *replay);
  if (!result) return result.error();

  if (const auto fault = FindValidityError(result->context.module, result->words, *original)) {
    const bool ours = fault->kind == ErrorKind::kFailed;
    return Error{
        format("{}replaying {} gives {}: {}", ours ? "internal error: " : "", given.recording,
               ours ? "an invalid module" : "a module that could not be validated", fault->message),
        fault->kind};
  }
  const bool whole = result->applied.size() == recording->steps.size();
  const bool same = HashOfWords(result->words) == recording->result_hash &&
                    HashOfInputs(result->context.inputs.get()) == recording->result_inputs_hash;
  if (whole && !given.force && !same) {
    return Error{format("internal error: the replay of {} gives another module, or other inputs, "
                        "than were recorded (recorded by version {})",
                        given.recording, recording->tool),
                 ErrorKind::kFailed};
  }
  const bool refused = given.strict && !result->skipped.empty();
  if (!refused) {
    const Status written =
        WriteVariant(given.output, result->words, result->context.inputs.get(), nullptr);
    if (!written) return written.error();
  }
  for (const SkippedStep& step : result->skipped) {
    console.Say(format("skipped step {} ({}): {}", step.number, step.type, step.reason));
  }
  if (console.json) console.Print(ToJson(*result));
  console.Say(format("steps: {} applied, {} skipped{}", result->applied.size(),
                     result->skipped.size(), refused ? ": nothing written (--strict)" : ""));
  return refused ? kNotInteresting : kDone;
}

}  // namespace

const Verb kReplayVerb = {
    .name = "replay",
    .summary = "Apply the steps of a recording, or some of them, to the original",
    .example = "refract replay references/life_masks.frag variant.refract -o first.spv --first 10",
    .exit_codes = {{kNotInteresting, "--strict: a step could not be applied"}},
    .main_options = {"--output", "--inputs", "--first", "--steps", "--strict", "--force"},
    .declare = DeclareVerb<ReplayArguments, Declare, Run>,
};

}  // namespace cli
}  // namespace refract
